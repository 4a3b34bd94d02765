import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../src/cli/program.ts';
import { NOUNS, SPECS } from '../../src/commands/all.ts';
import { EXIT_CODES, EXIT_MEANINGS } from '../../src/core/exit.ts';
import { words } from './words.ts';

const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const readme = readFileSync('README.md', 'utf8');

describe.each(documents)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('links to files that are there', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(dirname(file), link)))).toEqual([]);
  });

  it('has no place left to be filled', () => {
    expect(text).not.toMatch(/\b(?:TODO|TBD|FIXME|FIGURES|XXX)\b/);
  });
});

describe('the README', () => {
  const lines = readme
    .split('\n')
    .map((line) => line.trim().replace(/^npx /, ''))
    .filter((line) => line.startsWith('paycli '));

  it('has commands to copy', () => {
    expect(lines.length).toBeGreaterThan(8);
  });

  it.each(lines)('has a line that parses: %s', (line) => {
    const [, ...argv] = words(line.replaceAll('.…', '.AbCd.1').replaceAll(/\$(\w+)/g, '$1.AbCd.1'));
    expect(parseArgv(argv, SPECS, { version: '0', width: 80, nouns: NOUNS, env: {} })).toMatchObject({ kind: 'run' });
  });

  it('links to every document', () => {
    const others = documents.filter((file) => file !== 'README.md');
    expect(others.filter((file) => !readme.includes(`(${file})`))).toEqual([]);
  });

  it.each(Object.entries(EXIT_CODES))('knows how a run ends as %s', (kind, code) => {
    const row = readme.split('\n').find((line) => new RegExp(`^\\| (?:\\d+, )?${code}[ ,|]`).test(line)) ?? '';
    const [meaning] = EXIT_MEANINGS[kind as keyof typeof EXIT_CODES];
    expect(row).toContain(meaning.split(' (')[0]);
  });
});
