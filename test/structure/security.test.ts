import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('each threat of docs/security.md names a defense and an existing test', () => {
  const rows = readFileSync('docs/security.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| threat'));
  const wrong = rows.filter((row) => {
    const [, name = '', title = ''] = /^\| .+ \| .+\. \| `([\w/-]+)`: (.+) \|$/.exec(row) ?? [];
    const file = `test/${name}.test.ts`;
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(title);
  });
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(20);
});
