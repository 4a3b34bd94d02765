import fc from 'fast-check';
import { ANY_CHARACTER } from '../../support/text.ts';

/** One change to a text. Positions are fractions of its length, so that they apply to any text. */
interface Change {
  readonly how: (typeof WAYS)[number];
  /** In millionths of the length. */
  readonly at: number;
  readonly size: number;
  readonly times: number;
  readonly token: string;
  readonly other: string;
}

const WAYS = ['insert', 'overwrite', 'flip', 'cut', 'end', 'repeat', 'splice', 'wrap'] as const;
const MILLION = 1_000_000;
/** Characters: repetitions would grow without limit. */
const LONGEST = 200_000;

/** Tokens with a meaning to a terminal, a spreadsheet, a shell, JSON, CSV, JavaScript, or a clock. */
export const TOKENS: readonly string[] = [
  ...['\0', '\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\r', '\n', '\r\n', '\t', ' ', '\u0085', '\u2028', '\u00a0'],
  ...['\u202e', '\u2066', '\u200b', '\u200d', '\u00ad', '\ufeff', '\ufffd', '\ufffe', '\u{e0041}', '\u{1f469}\u200d'],
  ...['\ud800', '\udc00', '\udbff\udbff', '\\ud800', '\\u0000', '\\u001b', '\\', '\\"', '"', '""', "'", '`', '$(x)'],
  ...['{', '}', '[', ']', '{}', '[]', '[[', ',', ':', ';', '|', '.', '..', '/', '%', '%00', '%2e%2e%2f', '?', '#', '&'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'prototype',
    'null',
    'true',
    'undefined',
    'NaN',
    'Infinity',
    'uid',
    'data',
  ],
  ...['0', '-0', '-1', '1e400', '-1e400', '1E5', '0.10', '00', '01', '0x10', '9007199254740993', '5e-324', '1e999999'],
  ...['2147483648', '4294967296', '18446744073709551616', '99999999999999999999', '\u0661', '\uff11'],
  ...['=1+1', '+1', '-1', '@x', '="01"', "=cmd|' /C calc'!A0", '\uff1d1'],
  ...['2026-02-29T12:00:00Z', '9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59', '2026-11-20T24:00:00Z'],
  ...['2026-11-20T23:59:60Z', '-000001-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-W47-5', '1e3-01-01T00:00Z'],
  ...['act.AbCd.1', 'ugw.AbCd.1', 'sk.Test.1', 'pk.Test.1', '--', '-', '--help', '-o', '@/dev/null', '@', 'e\u0301'],
];

const change: fc.Arbitrary<Omit<Change, 'other'>> = fc.record({
  how: fc.constantFrom(...WAYS),
  at: fc.nat(MILLION),
  size: fc.oneof(fc.nat(4), fc.nat(64)),
  times: fc.oneof({ weight: 8, arbitrary: fc.nat(3) }, fc.nat(100)),
  token: fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: ANY_CHARACTER, maxLength: 4 })),
});

const BITS = 8;

const changed = (text: string, { how, at, size, times, token, other }: Change): string => {
  const from = Math.floor((at * text.length) / MILLION);
  const [before, piece, behind] = [text.slice(0, from), text.slice(from, from + size), text.slice(from + size)];
  if (how === 'insert') return before + token.repeat(1 + times) + piece + behind;
  if (how === 'overwrite') return before + token + behind;
  if (how === 'cut') return before + behind;
  if (how === 'end') return before;
  if (how === 'repeat') return before + piece.repeat(times) + behind;
  if (how === 'splice') return before + other.slice(Math.floor((at * other.length) / MILLION));
  if (how === 'wrap') return `${before}${'['.repeat(times)}${piece}${']'.repeat(times)}${behind}`;
  const code = text.charCodeAt(from);
  return Number.isNaN(code) ? text : before + String.fromCharCode(code ^ (1 << (size % BITS))) + text.slice(from + 1);
};

/** A seed after a limited number of changes; `asUnits` encodes a token in the units of the seeds. */
const mutated = (seeds: readonly string[], most: number, asUnits: (token: string) => string): fc.Arbitrary<string> => {
  const seed = fc.constantFrom(...seeds);
  return fc
    .tuple(seed, fc.array(fc.tuple(change, seed), { maxLength: most }))
    .map(([text, changes]) =>
      changes.reduce(
        (now, [one, other]) => changed(now, { ...one, other, token: asUnits(one.token) }).slice(0, LONGEST),
        text,
      ),
    );
};

/** Text derived from seeds: any UTF-16, including lone surrogates. */
export const mutatedText = (seeds: readonly string[], most = 5): fc.Arbitrary<string> =>
  mutated(seeds, most, (token) => token);

const asBytes = (text: string): string => Buffer.from(text).toString('latin1');

/** Bytes derived from seeds: most are not UTF-8. */
export const mutatedBytes = (seeds: readonly string[], most = 5): fc.Arbitrary<Uint8Array> =>
  mutated(seeds.map(asBytes), most, asBytes).map((text) => Uint8Array.from(Buffer.from(text, 'latin1')));

/** The same, or half of the time valid UTF-8, so that much of it passes a decoder. */
export const mutatedInput = (seeds: readonly string[], most = 5): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    mutatedBytes(seeds, most),
    mutatedText(seeds, most).map((text) => Uint8Array.from(Buffer.from(text))),
  );
