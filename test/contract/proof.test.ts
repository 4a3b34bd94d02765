import { describe, expect, it } from 'vitest';
import { isNoOtherType, namesNoOther, provesPage, provesResource } from '../../src/contract/proof.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { lastPage, laterActivity, middlePage } from './fixtures.ts';

const ACT = 'act.Kw9a.8Zp3';
const UGW = 'ugw.Kw9a.2Mn4';
const ASKED = { ugwoUid: UGW };

describe('provesResource', () => {
  const proof = provesResource('act');

  it.each([[{ uid: ACT }], [laterActivity], [{ uid: ACT, status: 5, next_action: [] }]])('accepts %j', (answer) => {
    expect(proof(answer, {})).toBeUndefined();
  });

  it.each([['act'], [undefined], [null], [5], [[{ uid: ACT }]], [[]]])(
    'rejects %j, which is not an object',
    (answer) => {
      expect(proof(answer, {})).toBe('the answer is not a JSON object');
    },
  );

  it.each([[{}], [{ uid: null }], [{ uid: [ACT] }], [{ uid: 5 }], [{ uid: UGW }], [{ uid: 'act.x' }], [{ id: ACT }]])(
    'rejects %j, which has no identifier of this kind',
    (answer) => {
      expect(proof(answer, {})).toBe('the answer has no "uid" of an activity, act.XXXX.YYYY…');
    },
  );

  it('runs further checks after it and returns the first fault', () => {
    const [good, bad, worse] = [() => undefined, () => 'bad', () => 'worse'];
    expect(provesResource('act', good, good)({ uid: ACT }, {})).toBeUndefined();
    expect(provesResource('act', good, bad, worse)({ uid: ACT }, {})).toBe('bad');
    expect(provesResource('act', bad)({}, {})).toContain('has no "uid"');
    const withParams = provesResource('act', (_answer, { ugwoUid }) => ugwoUid);
    expect(withParams({ uid: ACT }, ASKED)).toBe(UGW);
  });
});

describe('namesNoOther', () => {
  it('rejects an activity that names another payment request', () => {
    expect(namesNoOther({ ugwo_uid: 'ugw.Kw9a.other' }, ASKED)).toBe(
      'the answer is about another payment request, ugw.Kw9a.other ("ugwo_uid")',
    );
    expect(namesNoOther({ ugwo_uid: ['ugw.Kw9a.other', 'Other'] }, ASKED)).toContain('another payment request');
  });

  it.each([UGW, [UGW, 'This'], undefined, null, '', 'other', {}, 5, ACT])(
    'accepts an activity that names %j',
    (named) => {
      expect(namesNoOther({ ugwo_uid: named }, ASKED)).toBeUndefined();
    },
  );
});

describe('isNoOtherType', () => {
  it.each([
    'charge',
    ['charge', 'Charge'],
    undefined,
    null,
    '',
    {},
    [],
    1,
    1e21,
    Number.POSITIVE_INFINITY,
    '1',
    [1, 'Charge'],
  ])('accepts the type %j', (activity_type) => {
    expect(isNoOtherType({ activity_type }, {})).toBeUndefined();
  });

  it.each(['refund', ['refund', 'Refund']])('rejects the type %j', (activity_type) => {
    expect(isNoOtherType({ activity_type }, {})).toBe('the answer is not a charge but a refund ("activity_type")');
  });

  it('cuts a long type in the message', () => {
    const said = isNoOtherType({ activity_type: 'x'.repeat(BOUNDS.word + 5) }, {});
    expect(said).toBe(
      `the answer is not a charge but a ${'x'.repeat(BOUNDS.word)}… (5 more characters) ("activity_type")`,
    );
  });
});

describe('provesPage', () => {
  const records = (count: number): object[] => Array.from({ length: count }, () => ({}));

  it.each([
    ['a middle page', middlePage],
    ['the last page', lastPage],
    ['an empty page', { data: [], next_cursor: null }],
    ['a page with odd records', { data: [{}, { uid: 5 }], next_cursor: 'x' }],
    ['the largest possible page', { data: records(BOUNDS.records), next_cursor: 'x'.repeat(BOUNDS.cursor) }],
  ])('accepts %s', (_what, answer) => {
    expect(provesPage(answer, {})).toBeUndefined();
  });

  const LIST = 'the answer is not a page: "data" is not a list';
  const OBJECT = 'the answer is not a page: a record in "data" is not an object';
  const NEXT = 'the answer is not a page: "next_cursor" is neither text nor null';
  it.each([
    ['a list', [], LIST],
    ['a text', 'page', LIST],
    ['nothing', undefined, LIST],
    ['an object of records', { data: { 0: {} }, next_cursor: null }, LIST],
    ['a record that is a text', { data: [{}, 'x'], next_cursor: null }, OBJECT],
    ['a record that is null', { data: [null], next_cursor: null }, OBJECT],
    ['a record that is a list', { data: [[]], next_cursor: null }, OBJECT],
    ['a missing cursor', { data: [] }, NEXT],
    ['an empty cursor', { data: [], next_cursor: '' }, NEXT],
    ['a cursor that is a number', { data: [], next_cursor: 2 }, NEXT],
    ['a cursor that is a list', { data: [], next_cursor: ['x'] }, NEXT],
    [
      'too many records',
      { data: records(BOUNDS.records + 1), next_cursor: null },
      'the answer has 1,001 records, but a page may have at most 1,000',
    ],
    [
      'a cursor that is too long',
      { data: [], next_cursor: 'x'.repeat(BOUNDS.cursor + 1) },
      'the answer has a "next_cursor" of more than 4,096 characters',
    ],
  ])('rejects %s', (_what, answer, fault) => {
    expect(provesPage(answer, {})).toBe(fault);
  });
});
