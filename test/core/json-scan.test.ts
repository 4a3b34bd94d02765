import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapStrings, mayBeInexact } from '../../src/core/json.ts';
import { isJson, measure, scan } from '../../src/core/json-scan.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Each is at a place where something else is expected. */
const NONE = [
  ...', : ] } [,1] [1,] [,] [1,,2] [:] ["a":1] ["a",:1] [1 [1} [}'.split(' '),
  ...'{,} {"a"} {"a",1} {"a":} {"a":1,} {"a"::1} {1:2} {:1} {[]:1} {"a":1] {]'.split(' '),
  ...'1,2 1] 1],[1 1} "a":1 "a""b" ["a""b":1] {"a""b":1} []1 [][] {}{} []] {"a":1}}'.split(' '),
  ...['[1 2]', '{"a" 1}', '1 2', '\v1', '[\f1]', '[1\0]', '\u00a01', '\ufeff1', '"\t"', '"\n"', '"'],
  ...String.raw`"\ "\u "\u00 "\u00g0" "\u0g00" "\ug000" "\u000g" "\x" "\U0041"`.split(' '),
  ...'- +1 01 -01 1. .5 1.e5 1e 1e+ 1E- 1ee5 1e5.5 0x10 --1 1- 1:'.split(' '),
  ...'t tru truE truex nulll falsehood True NaN undefined'.split(' '),
];

const SOME = [
  ...['[]', '{}', ' [ ] ', '\t{\r\n}', '[1,[2],{"a":{"b":[]}}]', '{"a":1,"b":[{}],"a":null}'],
  ...['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u00e9\\uABCD\\u09af"', '"\x7f\u2028é😀"'],
  ...['0', '-0', '10', '9', '0.5', '-1.25', '1e5', '1E+05', '1.0e-10', '0e0', 'true', 'false', 'null', '[true,null]'],
];

describe('isJson', () => {
  it.each(NONE)('rejects %j', (text) => {
    expect([parses(text), isJson(text)]).toEqual([false, false]);
  });

  it.each(SOME)('accepts %j', (text) => {
    expect([parses(text), isJson(text)]).toEqual([true, true]);
  });

  it('accepts deeply nested objects and lists', () => {
    const [open, close] = ['{"a":['.repeat(3000), ']}'.repeat(3000)];
    expect(isJson(`${open}${close}`)).toBe(true);
    expect(isJson(`${open}${close.slice(0, -2)}}]`)).toBe(false);
  });
});

it('scan finds the exact range of a requested member and its elements, and of no other', () => {
  const text = '{ "x" : [ 0 ] , "data" : [ {"a":1} ,\t2\r\n] , "y" : 3 , "uid" : "u" }';
  const { members } = scan(new TextEncoder().encode(text), ['data', 'uid']);
  const cut = ({ start, end }: { readonly start: number; readonly end: number }): string => text.slice(start, end);
  expect([...members].map(([name, member]) => [name, cut(member), member.elements?.map(cut)])).toEqual([
    ['data', '[ {"a":1} ,\t2\r\n]', ['{"a":1}', '2']],
    ['uid', '"u"', undefined],
  ]);
});

it.each([
  ['{"a":"b ~\\n"}', true],
  ['{"a": 1}', false],
  ['{"a":"é"}', false],
  ['{"a":"\x7f"}', false],
  ['{"é":1}', false],
  ['{"a":"é","b":{}}', false],
  ['[1]', true],
])('scan says that the element %j can be printed raw: %s, whatever precedes it', (element, is) => {
  const text = `{"data":["é",${element},{"a":"é"},${element},{},${element}]}`;
  const elements = scan(new TextEncoder().encode(text), ['data']).members.get('data')?.elements;
  expect(elements?.slice(1).map(({ isPlain }) => isPlain)).toEqual([is, false, is, true, is]);
});

it.each(['{"a\n":1}', '{"ab', '{"a\\'])('scan rejects %j with an invalid name, whatever is requested', (text) => {
  expect(scan(new TextEncoder().encode(text), ['a'])).toMatchObject({ isJson: false, members: new Map() });
});

/** Depth, values and longest name, counted in the value. */
const counted = (value: unknown): { depth: number; values: number; name: number } => {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1, name: 0 };
  const inner = Object.values(value).map(counted);
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: inner.reduce((sum, { values }) => sum + values, 1),
    name: Math.max(
      0,
      ...names.map((name) => Buffer.byteLength(JSON.stringify(name)) - 2),
      ...inner.map(({ name }) => name),
    ),
  };
};

describe('the size of JSON text', () => {
  it.each([
    ['{}', 1, 1, 0],
    ['[{},[]]', 2, 3, 0],
    ['{"a":"long text","bc":[1,2]}', 2, 5, 2],
    ['{"a,b:[{":1}', 1, 2, 6],
    ['{"é":1}', 1, 2, 2],
    ['["\\",[", 1]', 1, 3, 0],
    ['"a"', 0, 1, 0],
    ['[{"abc":1},{"d":{"e":2}}]', 3, 6, 3],
  ])('%s: depth %i, %i values, and a longest name of %i bytes', (text, depth, values, name) => {
    expect(measure(text)).toMatchObject({ depth, values, name });
  });

  it('equals that of its value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(measure(JSON.stringify(value))).toMatchObject(counted(value));
      }),
    );
  });
});

describe('mapStrings', () => {
  const upper = (text: string): string => text.toUpperCase();

  it.each([
    ['{"a" : [1.50, "b", true], "c":"D"}', '{"A" : [1.50, "B", true], "C":"D"}'],
    ['"x\\u0061\\n"', '"XA\\n"'],
    [' [ ] ', ' [ ] '],
    ['["A\\u0042", "\\/"]', '["A\\u0042", "\\/"]'],
    ['["a\\"b"]', '["A\\"B"]'],
  ])('turns %s into %s', (text, mapped) => {
    expect(mapStrings(text, upper)).toBe(mapped);
  });

  it('passes each decoded string in order', () => {
    const seen: string[] = [];
    mapStrings('{"a\\n":["\\u0062",{"c":1}],"d":"e"}', (text) => {
      seen.push(text);
      return text;
    });
    expect(seen).toEqual(['a\n', 'b', 'c', 'd', 'e']);
  });
});

describe('mayBeInexact', () => {
  it.each([
    '1.5',
    '[1,1.5]',
    '{"a":1e5}',
    '{"a": 1E5}',
    '-0',
    '[-0]',
    '[1, -0]',
    '1234567890123456',
    '[-1234567890123456]',
    '[\n0.1]',
  ])('is true for %s', (text) => {
    expect(mayBeInexact(text)).toBe(true);
  });

  it.each([
    '1',
    '[1,-2]',
    '{"a":123456789012345}',
    '["2026-11-20T12:00:00+01:00"]',
    '"1.5"',
    '["1234567890123456"]',
    '[10]',
  ])('is false for %s', (text) => {
    expect(mayBeInexact(text)).toBe(false);
  });
});
