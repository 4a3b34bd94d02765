import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const rows = readFileSync('docs/security.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat'))
  .map((line) => line.slice(2, -2).split(' | '));

describe('the threats of docs/security.md', () => {
  it('are more than 20', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('name an existing test: %s', (...[, answer, proof]) => {
    expect(answer).toMatch(/\.$/);
    const [, name = '', title = ''] = /^`([\w/-]+)`: (.+)$/.exec(proof ?? '') ?? [];
    const file = `test/${name}.test.ts`;
    expect(existsSync(file), file).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});
