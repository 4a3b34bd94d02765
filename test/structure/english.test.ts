import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from '../../src/cli/globals.ts';
import { SPECS } from '../support/specs.ts';
import { sourceFiles } from './imports.ts';

/** Words that are private to a team, or that make a reader read a sentence twice. */
const AVOIDED =
  /\b(?:mend(?:s|ed)?|parted|struck|told|news|whoever|whatever|wherever|begun|what (?:was|were|came|comes|stands|waits)|(?:is|are|was|were) gone)\b/i;

/** Quoted texts with a space: the ones that users read. */
const textsIn = (source: string): string[] =>
  source
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*|import |export \* )/.test(line))
    .flatMap((line) => line.match(/(['"`])(?:(?!\1).|\\.)*\1/g) ?? [])
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, ''))
    .filter((text) => text.includes(' ') && !/^.(?:SELECT|INSERT|UPDATE) /.test(text));

const documents = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md'].concat(
  readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
);

it('help, errors and notices use plain English', () => {
  const found = sourceFiles().flatMap((file) =>
    textsIn(readFileSync(file, 'utf8'))
      .filter((text) => AVOIDED.test(text))
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

it('no text recommends --no-validate', () => {
  const found = sourceFiles().filter((file) =>
    /(?:add|with|use|try) --no-validate/.test(textsIn(readFileSync(file, 'utf8')).join('\n')),
  );
  expect(found).toEqual([]);
});

/** Texts about a flag of another program, or of `paycli help`, which declares its own. */
const OTHER_FLAGS = /\b(?:curl|docker|pg_dump|paycli help) |^.--(?:data-raw|label|search)\b/;

it('no text names a flag that no command has', () => {
  const options = [...SPECS.map((spec) => spec.options), GLOBAL_OPTIONS, BUILT_IN_OPTIONS].flatMap(Object.values);
  const flagsIn = (text: string): readonly string[] => text.match(/(?<![\w-])--[a-z][\w-]*\w/g) ?? [];
  const flags = new Set(options.flatMap((one: { readonly flags: string }) => flagsIn(one.flags)));
  const found = sourceFiles().flatMap((file) =>
    textsIn(readFileSync(file, 'utf8'))
      .filter((text) => !OTHER_FLAGS.test(text))
      .flatMap((text) => flagsIn(text).filter((flag) => !flags.has(flag)))
      .map((flag) => `${file}: ${flag}`),
  );
  expect(found).toEqual([]);
});

it.each(documents)('%s is in plain English', (file) => {
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => AVOIDED.test(line)),
  ).toEqual([]);
});
