import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  anyMembers,
  enumLike,
  idShape,
  instant,
  listOf,
  maybe,
  membersOrText,
  numeric,
  someText,
  textShape,
  time,
} from '../../src/contract/common.ts';
import { MAIN_FIELDS, type Operation, operations } from '../../src/contract/operations.ts';
import { faultsOf, pathsOf } from './faults.ts';

const titlesOf = (schema: z.ZodType, value: unknown): string[] => faultsOf(schema, value).map(({ title }) => title);

describe('enumLike', () => {
  it.each(['a', ['a', 'A'], ['a', '']])('accepts %j', (value) => {
    expect(titlesOf(enumLike(), value)).toEqual([]);
  });

  it.each(['', 5, null, {}, [], ['a'], ['', 'A'], ['a', 5], [5, 'A'], ['a', 'A', 'x'], { 0: 'a', 1: 'A', length: 2 }])(
    'rejects %j',
    (value) => {
      expect(titlesOf(enumLike(), value)).toEqual(['is neither text nor a pair [value, label]']);
    },
  );
});

describe('text, someText and numeric', () => {
  it.each(['', 'x', 5])('text accepts %j', (value) => {
    expect(titlesOf(textShape(), value)).toEqual([]);
  });

  it.each([[[]], [{}], [null], [true]])('text and someText reject %j', (value) => {
    expect(titlesOf(textShape(), value)).toEqual(['is not text']);
    expect(titlesOf(someText(), value)).toEqual(['is not text']);
  });

  it('someText rejects an empty text', () => {
    expect([' ', 'x', 5].flatMap((value) => titlesOf(someText(), value))).toEqual([]);
    expect(titlesOf(someText(), '')).toEqual(['is not text']);
  });

  it.each([5, 5.5, '5', '-5', '500000.00', '5.0'])('numeric accepts %j', (value) => {
    expect(titlesOf(numeric(), value)).toEqual([]);
  });

  it.each(['', '5,000', '5.5', '5.', '1e5', 'x5', '5x', ' 5', true, [5], {}, null])('numeric rejects %j', (value) => {
    expect(titlesOf(numeric(), value)).toEqual(['is neither a number nor a text of digits']);
  });
});

describe('time', () => {
  it.each([
    '2026-11-20T12:00:00.000000+00:00',
    '2026-11-20T13:00:00+0100',
    '2026-11-20T13:00:00',
    '2026-11-20 12:00:00',
    '2026-11-20 12:00:00+01:00',
  ])('accepts %j', (value) => {
    expect(titlesOf(time(), value)).toEqual([]);
  });

  it.each(['', 'now', '2026-11-20', '2026-11-31T12:00:00Z', 1_795_179_900, [], null])('rejects %j', (value) => {
    expect(titlesOf(time(), value)).toEqual(['is not an ISO 8601 time']);
  });
});

describe('maybe', () => {
  const schema = z.looseObject({ inner: maybe(z.looseObject({ a: z.string() })) });

  it.each([[undefined], [null], [[]], [{ a: 'x' }]])('accepts %j', (inner) => {
    expect(faultsOf(schema, { inner })).toEqual([]);
  });

  it.each([
    [{}, 'inner.a'],
    [{ a: 5 }, 'inner.a'],
    [[{ a: 'x' }], 'inner'],
    ['x', 'inner'],
  ])('names the fault in %j', (inner, path) => {
    expect(pathsOf(schema, { inner })).toEqual([path]);
  });
});

describe('anyMembers and membersOrText', () => {
  it.each([[{}], [[]], [null]])('anyMembers accepts %j', (value) => {
    expect(titlesOf(anyMembers(), value)).toEqual([]);
  });

  it.each(['x', 5, true])('anyMembers rejects %j', (value) => {
    expect(titlesOf(anyMembers(), value)).toEqual(['is not an object']);
  });

  it.each([[{}], [null], ['x'], [''], [[]]])('membersOrText accepts %j', (value) => {
    expect(titlesOf(membersOrText(), value)).toEqual([]);
  });

  it.each([[5], [true]])('membersOrText rejects %j', (value) => {
    expect(titlesOf(membersOrText(), value)).toEqual(['is neither an object nor text']);
  });
});

it('the faults of an identifier and of a time name the expected form', () => {
  expect(titlesOf(idShape('act'), 'act.a.b')).toEqual([]);
  expect(titlesOf(idShape('act'), 'x')).toEqual(['is not an identifier act.XXXX.YYYY…']);
  expect(titlesOf(instant(), 'now')).toEqual(['is not an ISO 8601 time with an offset']);
});

describe('list', () => {
  const pairs = listOf(z.looseObject({ a: z.string(), b: z.string() }));
  const bad = (count: number): object[] => Array.from({ length: count }, () => ({ a: 1, b: 1 }));

  it('names the position of each fault', () => {
    expect(pathsOf(pairs, [{ a: 'x', b: 'y' }, { a: 'x', b: 1 }, { b: 'y' }])).toEqual(['1.b', '2.a']);
    expect(pathsOf(pairs, [])).toEqual([]);
    expect(pathsOf(pairs, {})).toEqual(['']);
  });

  it('stops after 20 faults', () => {
    expect(pathsOf(pairs, bad(9))).toHaveLength(18);
    expect(pathsOf(pairs, bad(10))).toHaveLength(20);
    expect(pathsOf(pairs, bad(1000))).toHaveLength(20);
  });
});

describe('MAIN_FIELDS', () => {
  const shapes = Object.values<Operation>(operations).map(({ success }) => success.schema());

  it('contain the fields of every documented answer', () => {
    const names = shapes.flatMap((schema) => Object.keys('shape' in schema ? (schema.shape as object) : {}));
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !MAIN_FIELDS.includes(name))).toEqual([]);
  });
});
