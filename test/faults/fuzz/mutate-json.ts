import fc from 'fast-check';
import { ANY_CHARACTER } from '../../support/text.ts';
import { TOKENS } from './mutate.ts';

/** Replacements for a JSON value, as JSON text: each type, and its odd values. */
const ODD: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1e400',
    '-1e400',
    '0.10',
    '1E5',
    '9007199254740993',
    '5e-324',
    '""',
    '[]',
    '{}',
  ],
  ...['{"__proto__":{"x":1.50}}', '{"constructor":1,"toString":2}', '[[]]', '[null]', '{"":""}', '["paid","Paid"]'],
  ...[
    '{"10":1,"9":2}',
    '{"a":1,"a":2}',
    '"\\ud800"',
    '"\\u0000"',
    '"\\u001b[2J"',
    '"\\u202e"',
    '"\\/"',
    '9'.repeat(40),
  ],
  '['.repeat(70) + ']'.repeat(70),
  `{"${'k'.repeat(1001)}":0}`,
  JSON.stringify('x'.repeat(5000)),
];
/** More than the limit. */
const VAST = `[${'0,'.repeat(100_000)}0]`;

/** A placeholder for JSON text until the whole is printed. */
const MARK = 'odd#';

interface Edit {
  readonly how: 'replace' | 'add' | 'remove' | 'nest' | 'rename';
  /** The position among all changeable values, modulo their number. */
  readonly at: number;
  readonly json: string;
  readonly name: string;
}

const text = fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: ANY_CHARACTER, maxLength: 6 }));

const json: fc.Arbitrary<string> = fc.oneof(
  { weight: 200, arbitrary: fc.constantFrom(...ODD) },
  { weight: 100, arbitrary: text.map((word) => JSON.stringify(word)) },
  { weight: 50, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constant(VAST) },
);

const edit: fc.Arbitrary<Edit> = fc.record({
  how: fc.constantFrom('replace', 'replace', 'add', 'remove', 'nest', 'rename'),
  at: fc.nat(200),
  json,
  name: text,
});

type Json = unknown;

const isContainer = (value: Json): value is object => typeof value === 'object' && value !== null;

/** The path to each place below the top. */
const pathsIn = (value: Json, keep: (path: readonly string[]) => boolean, path: readonly string[] = []): string[][] =>
  isContainer(value)
    ? Object.entries(value).flatMap(([name, member]) => {
        const here = [...path, name];
        return keep(here) ? [here, ...pathsIn(member, keep, here)] : [];
      })
    : [];

/** The same value with changed entries at the end of the path. */
const rebuilt = (
  value: Json,
  path: readonly string[],
  change: (entries: [string, Json][]) => [string, Json][],
): Json => {
  if (!isContainer(value)) return value;
  const [name, ...rest] = path;
  const entries = Object.entries(value) as [string, Json][];
  const now =
    rest.length === 0
      ? change(entries)
      : entries.map(([key, member]): [string, Json] => [key, key === name ? rebuilt(member, rest, change) : member]);
  return Array.isArray(value) ? now.map(([, member]) => member) : Object.fromEntries(now);
};

const edited = (
  value: Json,
  { how, at, name: other }: Edit,
  nth: number,
  keep: (path: readonly string[]) => boolean,
): Json => {
  const odd = MARK + nth;
  const paths = pathsIn(value, keep);
  const path = paths[at % Math.max(1, paths.length)];
  if (path === undefined)
    return how === 'add' && keep([other]) ? rebuilt(value, [''], (all) => [...all, [other, odd]]) : value;
  const last = path.at(-1);
  return rebuilt(value, path, (entries) => {
    if (how === 'add') return keep([...path.slice(0, -1), other]) ? [...entries, [other, odd]] : entries;
    if (how === 'remove') return entries.filter(([key]) => key !== last);
    return entries.map(([key, member]): [string, Json] => {
      if (key !== last) return [key, member];
      if (how === 'rename') return keep([...path.slice(0, -1), other]) ? [other, member] : [key, member];
      return [key, how === 'nest' ? [member] : odd];
    });
  });
};

/**
 * JSON text of a seed's value after a limited number of changes by position; values for which `keep` is false are
 * neither changed nor added. Always valid JSON.
 */
export const mutatedJson = (
  seeds: readonly object[],
  keep: (path: readonly string[]) => boolean = () => true,
): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 6 }), fc.constantFrom(undefined, 1, '\t'))
    .map(([seed, edits, blanks]) => {
      const value = edits.reduce<Json>((now, one, nth) => edited(now, one, nth, keep), seed);
      // A function, because `$&` has a meaning in a replacement text.
      return JSON.stringify(value, null, blanks).replaceAll(
        new RegExp(`"${MARK}(\\d+)"`, 'g'),
        (found, nth: string, at: number, all: string) =>
          isName(all, at + found.length) ? found : (edits[Number(nth)]?.json ?? found),
      );
    });

const isName = (all: string, end: number): boolean => /^\s*:/.test(all.slice(end, end + 2));
