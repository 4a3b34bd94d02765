import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/core/async.ts';
import { valueAt } from '../../src/core/json.ts';
import { cutSteps } from '../../src/core/json-cut.ts';
import { isJson } from '../../src/core/json-scan.ts';
import { mayBeRenamed } from '../support/engine.ts';

const cutJson = (text: string, names: readonly string[]): { readonly value: unknown } | undefined =>
  isJson(text) ? { value: atOnce(cutSteps(new TextEncoder().encode(text), names)) } : undefined;

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
        fc.pre(!/\d[.eE]|\d{16}|-0/.test(text) && !mayBeRenamed(text));
        expect(cutJson(text, [])).toEqual({ value: JSON.parse(text) });
      }),
    );
  });
});

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const texts = (count: number, length: number): string[] => Array.from({ length: count }, () => 'x'.repeat(length));
const named = (list: readonly string[]): Record<string, string> =>
  Object.fromEntries(list.map((text, index) => [`m${index}`, text]));
/** What is kept of it as the member that is asked for. */
const statusOf = (status: unknown): unknown =>
  valueAt(cutJson(JSON.stringify({ status }), ['status'])?.value, 'status');
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const LARGE = 256 * 1024;

describe('what is kept of a member', () => {
  it('is all of 2,000 values, its own included, or the first hundred', () => {
    expect(statusOf(zeros(1999))).toEqual(zeros(1999));
    expect(statusOf(zeros(2000))).toEqual(zeros(100));
    expect(statusOf([zeros(1998), 1, 2])).toEqual([zeros(1998), 1]);
  });

  it('is all of 64 levels, the outermost included, or the first three of its own', () => {
    expect(statusOf(nested(63))).toEqual(nested(63));
    expect(statusOf(nested(64))).toEqual([[[]]]);
  });

  it('is all where no name is too long, and else what has none such', () => {
    const [fits, whole, long] = ['a'.repeat(998), 'b'.repeat(999), 'c'.repeat(1001)];
    const most = { ['d'.repeat(1000)]: 1 };
    expect(statusOf(most)).toEqual(most);
    expect(statusOf({ [long]: 1, a: 2 })).toStrictEqual({ a: 2 });
    expect(statusOf({ [fits]: 1, [whole]: 2, [long]: zeros(1990), end: zeros(90) })).toStrictEqual({
      [fits]: 1,
      end: zeros(90),
    });
    expect(cutJson(`{"${long}":1,"a":2}`, NAMES)?.value).toStrictEqual({ a: 2 });
  });

  it.each([
    ['list', (list: readonly string[]): unknown => list],
    ['object', named],
  ])('is all of a %s of 256 KiB, or its first hundred parts', (_what, made) => {
    const last = LARGE - JSON.stringify(made([...texts(149, 1000), ''])).length;
    const [most, more] = [last, last + 1].map((length) => [...texts(149, 1000), 'x'.repeat(length)]) as [
      string[],
      string[],
    ];
    expect(statusOf(made(most))).toEqual(made(most));
    expect(statusOf(made(more))).toEqual(made(more.slice(0, 100)));
  });

  it('is a text of any length', () => {
    expect(statusOf('x'.repeat(LARGE))).toBe('x'.repeat(LARGE));
  });
});

describe('what is kept of the other members', () => {
  const of = (object: object): unknown => cutJson(JSON.stringify(object), NAMES)?.value;

  it('is as much as of one that is asked for, together', () => {
    const [all, most] = [zeros(1999), zeros(1998)];
    expect(of({ a: all, b: 1, uid: all, c: [1] })).toStrictEqual({ a: all, uid: all });
    expect(of({ a: most, b: 1, c: 2 })).toStrictEqual({ a: most, b: 1 });
    // Of a repeated name the last counts.
    expect(cutJson(`{"b":1,"a":[${most}],"b":2}`, NAMES)?.value).toStrictEqual({ a: most });
  });

  it('is the first hundred', () => {
    const hundred = named(texts(100, 1));
    const text = JSON.stringify(hundred).slice(0, -1);
    expect(cutJson(`${text},"m":1,"\\u006d":2,"\\u0075id":3}`, NAMES)?.value).toStrictEqual({ ...hundred, uid: 3 });
  });
});

it('what is large is cut a step at a time', () => {
  const steps = (json: string): number => [...cutSteps(new TextEncoder().encode(json), NAMES)].length;
  const text = (length: number): string => `"${'x'.repeat(length - 2)}"`;
  expect(steps(`{"status":${text(LARGE)},"x":1}`)).toBe(0);
  expect(steps(`{"status":${text(LARGE + 1)},"x":1}`)).toBe(1);
  expect(steps(`{"status":[${text(LARGE)},1]}`)).toBe(1);
  expect(steps(`{"status":[${text(LARGE + 1)},1]}`)).toBe(2);
});

it.each([
  ['{', {}],
  ['{"a":1', { a: 1 }],
  ['{"a":1,', { a: 1 }],
  ['{"a":1} "b":2}', { a: 1 }],
])('%s ends with its bytes, or its bracket', (text, value) => {
  expect(atOnce(cutSteps(new TextEncoder().encode(text), NAMES))).toEqual(value);
});
