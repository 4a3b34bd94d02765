import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutJson as cutBytes } from '../../src/core/json-cut.ts';
import { isJson } from '../../src/core/json-scan.ts';
import { valueAt } from '../../src/core/path.ts';

const cutJson = (text: string, names: readonly string[]): { readonly value: unknown } | undefined =>
  isJson(text) ? { value: cutBytes(new TextEncoder().encode(text), names) } : undefined;

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** What JSON is made of, in any order. */
const almostJson = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', ' ', '\n', '"a"', '"\\u00e9"', '"\\x"', '"\\u12"', '"\n"', '"', '\\', '\ufeff'],
      ...['0', '-', '01', '1.5', '1.', '.5', '1e5', '1e', '-0', 'true', 'null', 'nul', 'NaN', '\u00a0', '{}', '[]'],
    ),
    { maxLength: 8 },
  )
  .map((tokens) => tokens.join(''));

describe('isJson', () => {
  it('takes what JSON.parse takes, and nothing else', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        expect([text, isJson(text)]).toEqual([text, parses(text)]);
      }),
      { numRuns: 3000 },
    );
  });

  it('takes every JSON, and none of it without its end', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, nth) => {
        expect(isJson(text)).toBe(true);
        const cut = text.slice(0, nth % text.length);
        expect(isJson(cut)).toBe(parses(cut));
      }),
    );
  });

  it.each([
    ['a million lists in each other', '['.repeat(1e6) + ']'.repeat(1e6), true],
    ['the same without its end', '['.repeat(1e6) + ']'.repeat(1e6 - 1), false],
    ['a number of a million digits', '9'.repeat(1e6), true],
    ['a text of a million characters', `"${'\\u001b'.repeat(1e6)}"`, true],
  ])('says of %s what it is', (_what, text, is) => {
    expect(isJson(text)).toBe(is);
  });
});

const NAMES = ['uid', 'status'];
const ID = '"uid":"act.AbCd.1"';
const MANY = `[${'0,'.repeat(200_000)}0]`;

describe('cutJson', () => {
  it.each([
    ['behind a million numbers', `{"x":${MANY},${ID}}`],
    ['behind deep lists', `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)},${ID}}`],
    ['behind as many members', `{${Array.from({ length: 1e5 }, (_, nth) => `"m${nth}":0,`).join('')}${ID}}`],
    [
      'by another spelling, behind them',
      `{${Array.from({ length: 1e5 }, (_, nth) => `"m${nth}":0,`).join('')}"\\u0075id":"act.AbCd.1"}`,
    ],
    ['after another one', `{"uid":"act.AbCd.0","x":${MANY},${ID}}`],
    ['among blanks', ` { "x" : ${MANY} , "uid" : "act.AbCd.1" } `],
  ])('finds a member %s', (_what, text) => {
    expect(cutJson(text, NAMES)?.value).toMatchObject({ uid: 'act.AbCd.1' });
  });

  it('takes the last of a repeated member, also where nothing of it can be kept', () => {
    const deep = '{"a":'.repeat(70).concat('1', '}'.repeat(70));
    expect(cutJson(`{${ID},"uid":${deep}}`, NAMES)?.value).not.toMatchObject({ uid: 'act.AbCd.1' });
  });

  it('keeps the first of what is too much', () => {
    expect(cutJson(`{"status":${MANY}}`, NAMES)?.value).toEqual({ status: Array.from({ length: 100 }, () => 0) });
  });

  it('keeps what fits whole, numbers by their digits', () => {
    const text = `{"x":${MANY},"status":{"a":[1,12345678901234567890,{"__proto__":1.50}]}}`;
    const value = cutJson(text, NAMES)?.value;
    expect(JSON.stringify(valueAt(value, 'status'))).toBe('{"a":[1,"12345678901234567890",{"__proto__":"1.50"}]}');
  });

  it.each(['', '{', `{"x":${MANY}`, `{"x":${MANY}} x`, `{"x":${MANY},}`])('takes no text that is no JSON', (text) => {
    expect(cutJson(text, NAMES)).toBeUndefined();
  });

  it('makes nothing of a list, of which the first might look empty', () => {
    expect(cutJson(`[${'['.repeat(100)}${']'.repeat(100)}]`, NAMES)).toEqual({ value: null });
  });

  it('is JSON.parse for what is small', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 20 }), (object) => {
        const text = JSON.stringify(object);
        fc.pre(!/\d[.eE]|\d{16}|-0/.test(text));
        expect(cutJson(text, [])).toEqual({ value: JSON.parse(text) });
      }),
    );
  });
});
