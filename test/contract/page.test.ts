import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageQuery, pageShape } from '../../src/contract/common.ts';
import { ugwo } from '../../src/contract/ugwo.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../../src/core/record.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { faultsOf, pathsOf } from './faults.ts';
import { lastPage, middlePage, ugwoWithCheckout } from './fixtures.ts';

describe('pageQuery (docs/service.md, Lists)', () => {
  it('has the bounds that the service documents', () => {
    expect([PAGE_DEFAULT, PAGE_MAX]).toEqual([10, 100]);
  });

  it.each([undefined, '1', '10', '99', '100', '007'])('accepts the limit %j', (limit) => {
    expect(pathsOf(pageQuery(), limit === undefined ? {} : { limit })).toEqual([]);
  });

  it.each([
    ['0', 'should be at least 1'],
    ['-0', 'should be at least 1'],
    ['-1', 'should be at least 1'],
    ['000', 'should be at least 1'],
    ['101', 'should be at most 100'],
    ['1000', 'should be at most 100'],
    ['99999999999999999999', 'should be at most 100'],
    ['9'.repeat(400), 'should be at most 100'],
    ['1.5', 'should be a whole number'],
    ['10.0', 'should be a whole number'],
    ['1e2', 'should be a whole number'],
    ['0x10', 'should be a whole number'],
    ['+5', 'should be a whole number'],
    [' 5', 'should be a whole number'],
    ['5\n', 'should be a whole number'],
    ['1,0', 'should be a whole number'],
    ['٥', 'should be a whole number'],
    ['all', 'should be a whole number'],
    ['', 'should be a whole number'],
  ])('rejects the limit %j, which %s', (limit, title) => {
    expect(faultsOf(pageQuery(), { limit })).toEqual([{ propertyPath: 'limit', title }]);
  });

  it('accepts every integer from 1 to 100, and no other', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -10, max: 120 }), fc.integer()), (limit) => {
        expect(pathsOf(pageQuery(), { limit: String(limit) }).length === 0).toBe(limit >= 1 && limit <= 100);
      }),
    );
  });

  it('accepts any cursor unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (cursor) => {
        expect(pageQuery().parse({ cursor })).toEqual({ cursor });
      }),
    );
  });

  it('accepts unknown parameters', () => {
    expect(pageQuery().parse({ 'filter[status][]': '1' })).toEqual({ 'filter[status][]': '1' });
  });
});

describe('page (docs/service.md, Lists)', () => {
  it.each([
    ['lacks its next cursor, which would end the pagination silently', { data: [] }, ['next_cursor']],
    ['has an empty next cursor', { data: [], next_cursor: '' }, ['next_cursor']],
    ['has a number for a next cursor', { data: [], next_cursor: 2 }, ['next_cursor']],
    ['has no records', { next_cursor: null }, ['data']],
    ['has null for its records', { data: null, next_cursor: null }, ['data']],
    ['has an object for its records', { data: {}, next_cursor: null }, ['data']],
    ['holds an invalid record', { ...middlePage, data: [ugwoWithCheckout, { uid: 'x' }] }, ['data.1.uid']],
    ['holds null among its records', { ...lastPage, data: [null] }, ['data.0']],
    ['is a bare list', [], ['']],
  ])('is rejected if it %s', (_what, value, paths) => {
    expect(pathsOf(pageShape(ugwo()), value)).toEqual(paths);
  });

  it('accepts any non-empty next cursor', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, minLength: 1 }), (next_cursor) => {
        expect(pageShape(ugwo()).parse({ data: [], next_cursor })).toEqual({ data: [], next_cursor });
      }),
    );
  });
});
