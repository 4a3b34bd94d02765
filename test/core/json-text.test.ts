import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapStrings, mayBeInexact } from '../../src/core/json.ts';
import { measure } from '../../src/core/json-scan.ts';

/** Depth, values and longest name, counted in the value itself. */
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

describe('the measure of a JSON text', () => {
  it.each([
    ['{}', 1, 1, 0],
    ['[{},[]]', 2, 3, 0],
    ['{"a":"long text","bc":[1,2]}', 2, 5, 2],
    ['{"a,b:[{":1}', 1, 2, 6],
    ['{"é":1}', 1, 2, 2],
    ['["\\",[", 1]', 1, 3, 0],
    ['"a"', 0, 1, 0],
    ['[{"abc":1},{"d":{"e":2}}]', 3, 6, 3],
  ])('%s is %i deep, %i values, and a name of %i bytes', (text, depth, values, name) => {
    expect(measure(text)).toMatchObject({ depth, values, name });
  });

  it('is what its value has', () => {
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
  ])('makes %s into %s', (text, mapped) => {
    expect(mapStrings(text, upper)).toBe(mapped);
  });

  it('is given each string as it is meant, in its order', () => {
    const seen: string[] = [];
    mapStrings('{"a\\n":["\\u0062",{"c":1}],"d":"e"}', (text) => {
      seen.push(text);
      return text;
    });
    expect(seen).toEqual(['a\n', 'b', 'c', 'd', 'e']);
  });
});

describe('a number that a double may not give back', () => {
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
  ])('may be in %s', (text) => {
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
  ])('is not in %s', (text) => {
    expect(mayBeInexact(text)).toBe(false);
  });
});
