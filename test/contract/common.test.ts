import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { anyMembers, enumLike, id, instant, listOf, objectOrText } from '../../src/contract/common.ts';
import { MAIN_FIELDS, type Operation, operations } from '../../src/contract/operations.ts';
import { faultsOf, pathsOf } from './faults.ts';

const titlesOf = (schema: z.ZodType, value: unknown): string[] => faultsOf(schema, value).map(({ title }) => title);

describe('an enum', () => {
  it.each(['a', ['a', 'A'], ['a', '']])('may be %j', (value) => {
    expect(titlesOf(enumLike(), value)).toEqual([]);
  });

  it.each(['', 5, null, {}, [], ['a'], ['', 'A'], ['a', 5], [5, 'A'], ['a', 'A', 'x'], { 0: 'a', 1: 'A', length: 2 }])(
    'is not %j',
    (value) => {
      expect(titlesOf(enumLike(), value)).toEqual(['is neither text nor a pair [value, label]']);
    },
  );
});

describe('what holds other things', () => {
  it.each([[{}], [[]], [null]])('may be %j', (value) => {
    expect(titlesOf(anyMembers(), value)).toEqual([]);
  });

  it.each(['x', 5, true])('is not %j', (value) => {
    expect(titlesOf(anyMembers(), value)).toEqual(['is not an object']);
  });

  it.each([[{}], [null], ['x'], ['']])('or its name may be %j', (value) => {
    expect(titlesOf(objectOrText(), value)).toEqual([]);
  });

  it.each([[5], [true], [[]]])('or its name is not %j', (value) => {
    expect(titlesOf(objectOrText(), value)).toEqual(['is neither an object nor text']);
  });
});

it('an identifier and a moment say what they are not', () => {
  expect(titlesOf(id('act'), 'act.a.b')).toEqual([]);
  expect(titlesOf(id('act'), 'x')).toEqual(['is not an identifier act.XXXX.YYYY…']);
  expect(titlesOf(instant(), 'now')).toEqual(['is not an ISO 8601 time with an offset']);
});

describe('a list', () => {
  const pairs = listOf(z.looseObject({ a: z.string(), b: z.string() }));
  const bad = (count: number): object[] => Array.from({ length: count }, () => ({ a: 1, b: 1 }));

  it('names the place of each fault', () => {
    expect(pathsOf(pairs, [{ a: 'x', b: 'y' }, { a: 'x', b: 1 }, { b: 'y' }])).toEqual(['1.b', '2.a']);
    expect(pathsOf(pairs, [])).toEqual([]);
    expect(pathsOf(pairs, {})).toEqual(['']);
  });

  it('is left after so many faults that nobody reads more', () => {
    expect(pathsOf(pairs, bad(9))).toHaveLength(18);
    expect(pathsOf(pairs, bad(10))).toHaveLength(20);
    expect(pathsOf(pairs, bad(1000))).toHaveLength(20);
  });
});

describe('the main fields', () => {
  const shapes = Object.values<Operation>(operations).map(({ success }) => success.schema());

  it('are those of every documented answer', () => {
    const names = shapes.flatMap((schema) => Object.keys('shape' in schema ? (schema.shape as object) : {}));
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !MAIN_FIELDS.includes(name))).toEqual([]);
  });
});
