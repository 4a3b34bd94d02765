import { describe, expect, it } from 'vitest';
import { RowReader } from '../../src/bulk/rows.ts';
import type { Client } from '../../src/client/client.ts';
import type { GivenFields } from '../../src/commands/onye/fields.ts';
import { updateKind } from '../../src/commands/onye/kinds.ts';
import { printExact } from '../../src/core/json.ts';

const UID = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const NONE: GivenFields = { given: {}, body: {}, change: undefined };
const OPTIONS: GivenFields = {
  given: { email: 'all@example.com', meta: [['tier', 'vip']] },
  body: { email: 'all@example.com', meta: { tier: 'vip' } },
  change: undefined,
};
const REPLACING: GivenFields = { ...NONE, replaceMeta: true };
const changing = (set: Record<string, unknown>, ...unset: string[]): GivenFields => ({
  ...NONE,
  given: { ...(Object.keys(set).length === 0 ? {} : { merge_meta: Object.entries(set) }), unset_meta: unset },
  change: { set, unset },
});

type Format = 'csv' | 'ndjson';

const client = { check: () => undefined } as unknown as Client;
const opened = (columns: readonly string[], options: GivenFields, format: Format = 'ndjson', validate = true) =>
  new RowReader(updateKind(options), { columns, format }, { client, validate });
/** As a later row of its file. */
const rowOf = (fields: object, options = NONE, format: Format = 'csv', validate = true) =>
  opened(['uid'], options, format, validate).read({ number: 2, line: 3, fields: fields as Record<string, unknown> });

const updateOf = (fields: object, options = NONE, format: Format = 'csv') => {
  const row = rowOf({ uid: UID, ...fields }, options, format);
  if ('faults' in row) throw new Error(printExact(row.faults));
  return row.item;
};
const bodyOf = (fields: object, options = NONE, format: Format = 'csv'): unknown =>
  updateOf(fields, options, format).body;
const faultsOf = (fields: object, options = NONE, format: Format = 'csv'): unknown => {
  const row = rowOf(fields, options, format);
  return 'faults' in row ? row.faults.map(({ column, what }) => `${column}: ${what}`) : row;
};

describe('the update of a row', () => {
  it.each([
    ['strings', { email: 'a@b', ref: 'r', first_name: 'A', last_name: 'B' }],
    ['a non-string of NDJSON, which the contract validates', { email: 5, first_name: false }],
    ['objects of NDJSON', { billing_address: { city: 'Lagos', zip: null }, meta: { n: 1, deep: { a: [] } } }],
    ['an empty string of NDJSON, which sets it', { ref: '' }],
    ['an empty object of NDJSON, which removes all metadata', { meta: {} }],
  ])('consists of %s', (_what, fields) => {
    expect(bodyOf(fields, NONE, 'ndjson')).toEqual(fields);
  });

  it('has the customer', () => {
    expect(rowOf({ uid: UID, ref: 'r' })).toEqual({
      key: UID,
      item: { uid: UID, name: undefined, body: { ref: 'r' }, typed: { ref: 'r' }, change: undefined },
    });
  });

  it.each([
    [{ 'meta.tier': 'vip', 'meta.a.b': '1' }, { meta: { tier: 'vip', 'a.b': '1' } }],
    [{ 'meta.n:': '3', 'meta.list:': '[1]' }, { meta: { n: 3, list: [1] } }],
    [
      { 'billing_address.city': 'Lagos', 'billing_address.zip': '0101' },
      { billing_address: { city: 'Lagos', zip: '0101' } },
    ],
    [{ billing_address: '{"city": "Lagos"}' }, { billing_address: { city: 'Lagos' } }],
    [{ meta: '{"a": 1}' }, { meta: { a: 1 } }],
    [{ meta: '{"a": 1}', 'meta.b': 'x' }, { meta: { a: 1, b: 'x' } }],
  ])('is built from the columns %j, with --replace-meta', (fields, body) => {
    expect(bodyOf(fields, REPLACING)).toEqual(body);
  });

  it('preserves the digits of numbers', () => {
    expect(printExact(bodyOf({ meta: '{"n":0.10}', billing_address: '{"zip":12345678901234567890}' }))).toBe(
      '{"billing_address":{"zip":12345678901234567890},"meta":{"n":0.10}}',
    );
  });

  it('omits empty and null cells, and unknown columns', () => {
    const empty = { email: '', first_name: null, 'meta.tier': '', 'meta.n:': '', billing_address: '', meta: null };
    expect(bodyOf({ ...empty, ref: 'r', amount: '5', metadata: 'x', status: 'active' })).toEqual({ ref: 'r' });
    expect(bodyOf({ ref: 'r', email: null, 'meta.a': null, billing_address: null }, NONE, 'ndjson')).toEqual({
      ref: 'r',
    });
  });

  it("has the options' fields that the file lacks", () => {
    expect(bodyOf({ ref: 'r' }, OPTIONS)).toEqual({ email: 'all@example.com', meta: { tier: 'vip' }, ref: 'r' });
    const clearing = { ...NONE, given: { clear_meta: true }, body: { meta: {} } };
    expect(bodyOf({}, clearing)).toEqual({ meta: {} });
  });

  it('treats property names of objects like other names', () => {
    const body = bodyOf({ 'meta.__proto__': 'x', 'meta.constructor': 'y' }, REPLACING);
    expect(printExact(body)).toBe('{"meta":{"__proto__":"x","constructor":"y"}}');
  });
});

describe('the metadata change of a row', () => {
  const changeOf = (fields: object, options = NONE): unknown => updateOf(fields, options).change;

  it.each([
    [
      { 'merge_meta.a': 'x', 'merge_meta.n:': '3', 'merge_meta.b': '' },
      { set: { a: 'x', n: 3 }, unset: [] },
    ],
    [{ merge_meta: '{"a":{"b":1}}' }, { set: { a: { b: 1 } }, unset: [] }],
    [
      { 'meta.a': 'x', 'meta.b.c': '', 'meta.n:': '3', 'merge_meta.c': 'y' },
      { set: { a: 'x', n: 3, c: 'y' }, unset: [] },
    ],
    [{ meta: '{"a":1}', 'meta.b': 'x' }, undefined],
    [
      { meta: '', 'meta.b': 'x' },
      { set: { b: 'x' }, unset: [] },
    ],
    [{ ref: 'r', 'merge_meta.a': '' }, undefined],
    [{ ref: 'r', merge_meta: '{}' }, undefined],
  ])('is built from the columns %j', (fields, change) => {
    expect(changeOf(fields)).toEqual(change);
  });

  it('is that of the options, with keys to remove besides the columns', () => {
    expect(changeOf({ ref: 'r' }, changing({ a: 1 }, 'b'))).toEqual({ set: { a: 1 }, unset: ['b'] });
    expect(changeOf({ 'merge_meta.a': 'x' }, changing({}, 'b'))).toEqual({ set: { a: 'x' }, unset: ['b'] });
  });

  it('is not in the body', () => {
    expect(bodyOf({ 'merge_meta.a': 'x' })).toEqual({});
  });

  it.each<[object, GivenFields, string]>([
    [{ 'merge_meta.a:': '{' }, NONE, 'merge_meta.a:: not JSON'],
    [{ meta: { a: 1 }, 'merge_meta.b': 'x' }, NONE, "merge_meta.b: can't be used together with meta"],
    [{ 'merge_meta.a': 'x' }, OPTIONS, 'merge_meta.a: is also set by --meta'],
    [{ 'meta.a': 'x' }, changing({ b: 1 }), 'meta.a: is also set by --merge-meta'],
    [{ meta: { a: 1 } }, changing({}, 'b'), 'meta: is also set by --unset-meta'],
    [{ 'meta.a': 'x' }, { ...changing({}, 'b'), replaceMeta: true }, 'meta.a: is also set by --unset-meta'],
    [{ 'meta.a': 'x' }, changing({}, 'a'), 'meta.a: "a" is also in --unset-meta'],
    [{ 'meta.a': 'x', 'merge_meta.a': 'y' }, NONE, 'merge_meta.a: "a" is also set by the column "meta.a"'],
    [{ 'merge_meta.a': 'x' }, changing({ b: 1 }), 'merge_meta.a: is also set by --merge-meta'],
    [{ 'merge_meta.a:': '1' }, changing({}, 'a'), 'merge_meta.a:: "a" is also in --unset-meta'],
    [{ merge_meta: { a: 1 } }, changing({}, 'a'), 'merge_meta: "a" is also in --unset-meta'],
  ])('of %j has a fault', (fields, options, fault) => {
    const faults = faultsOf({ uid: UID, ...fields }, options, 'ndjson');
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });
});

describe('the faults of a row', () => {
  it.each([
    [{ ref: 'r' }, ['uid: is missing']],
    [{ uid: '', ref: 'r' }, ['uid: is missing']],
    [{ uid: 5, ref: 'r' }, ['uid: should be text']],
    [{ uid: 'ugw.AbCd.1', ref: 'r' }, [expect.stringMatching(/^uid: is the identifier of a payment request/)]],
    [{ uid: UID }, ['undefined: changes nothing: no field is set']],
    [{ uid: UID, email: '', 'meta.a': '', note: 'x' }, ['undefined: changes nothing: no field is set']],
    [{}, ['uid: is missing', 'undefined: changes nothing: no field is set']],
  ])('of %j are %j', (fields, faults) => {
    expect(faultsOf(fields)).toEqual(faults);
  });

  it.each(['{"city"', '[]', '5', '"x"', 'null', 'Lagos'])('include an invalid address: %s', (billing_address) => {
    expect(faultsOf({ uid: UID, billing_address })).toEqual([expect.stringMatching(/^billing_address: /)]);
  });

  it('are all reported, not only the first', () => {
    expect(faultsOf({ uid: 'x', billing_address: '5', meta: '6', 'meta.n:': '{' })).toEqual([
      expect.stringMatching(/^uid: /),
      expect.stringMatching(/^billing_address: /),
      expect.stringMatching(/^meta: /),
      expect.stringMatching(/^meta\.n:: /),
    ]);
  });

  it('include columns that only a later row has', () => {
    expect(faultsOf({ uid: UID, email: null, 'meta.a': 'x', ref: 'r' }, OPTIONS, 'ndjson')).toEqual([
      'email: is also set by --email',
      'meta.a: is also set by --meta',
    ]);
  });

  it('are fewer with --no-validate: any text is a customer', () => {
    expect(rowOf({ uid: 'x', ref: 'r' }, NONE, 'csv', false)).toMatchObject({ item: { uid: 'x' } });
    expect(rowOf({ uid: '', ref: 'r' }, NONE, 'ndjson', false)).toHaveProperty('faults');
  });
});

describe('the columns of a file', () => {
  const isRead = (column: string): boolean => opened(['uid', column], NONE).notices.length === 0;

  it.each([
    'uid',
    'email',
    'ref',
    'first_name',
    'last_name',
    'billing_address',
    'billing_address.city',
    'meta.k',
    'meta.k:',
  ])('include %s', (column) => {
    expect(isRead(column)).toBe(true);
  });

  it.each(['status', 'x.email', '', 'toString'])('do not include %s', (column) => {
    expect(isRead(column)).toBe(false);
  });

  it.each(['Email', 'metadata', 'billing_address_city', 'email.x'])('must not resemble them: %s', (column) => {
    expect(() => isRead(column)).toThrow('did you mean');
  });

  it('are listed by name', () => {
    const { columns } = updateKind(NONE);
    for (const name of columns) expect(isRead(name)).toBe(true);
    expect(columns).toEqual(expect.arrayContaining(['last_name', 'meta.k', 'billing_address.k']));
  });

  it('need a customer', () => {
    expect(() => opened(['email'], NONE)).toThrow('no column uid');
    expect(() => opened(['email', 'uid', 'note'], NONE)).not.toThrow();
  });

  it.each([
    ['email', '--email'],
    ['meta', '--meta'],
    ['meta.tier', '--meta'],
    ['meta.n:', '--meta'],
  ])("can't include %s besides %s", (column, flag) => {
    expect(() => opened(['uid', column], OPTIONS)).toThrow(
      `${flag} and the column ${column} set the same value; leave one out`,
    );
    expect(() => opened(['uid', 'ref'], OPTIONS)).not.toThrow();
  });

  it("can't both replace and merge metadata", () => {
    for (const column of ['meta', 'meta.a', 'meta.a:']) {
      expect(() => opened(['uid', column, 'merge_meta.b'], REPLACING)).toThrow(
        `the columns "${column}" and "merge_meta.b" can't be used together`,
      );
    }
    expect(() => opened(['uid', 'meta', 'merge_meta.b'], NONE)).toThrow("can't be used together");
    expect(() => opened(['uid', 'meta.a', 'merge_meta.b'], NONE)).not.toThrow();
    expect(() => opened(['uid', 'merge_meta', 'merge_meta.b'], changing({}, 'c'))).not.toThrow();
  });
});

describe('the column of a property of the body', () => {
  const item = { uid: UID, name: undefined, body: {}, typed: {}, change: undefined };
  const columnOf = (columns: readonly string[], path: string) => updateKind(NONE).columnOf(item, columns)(path);

  const columns = ['uid', 'email', 'meta.k', 'meta.n:', 'meta.a.b', 'billing_address.city'];

  it.each([
    ['email', 'email'],
    ['meta.k', 'meta.k'],
    ['meta.n', 'meta.n:'],
    ['meta.n.0.x', 'meta.n:'],
    ['meta.a.b', 'meta.a.b'],
    ['billing_address.city', 'billing_address.city'],
    ['billing_address', 'billing_address.city'],
    ['billing_address.zip', 'billing_address.zip'],
    ['ref', 'ref'],
    ['', ''],
  ])('%s is %s', (path, column) => {
    expect(columnOf(columns, path)).toBe(column);
  });

  it.each(['billing_address.city', 'billing_address'])('%s is in an object column', (path) => {
    expect(columnOf(['uid', 'billing_address'], path)).toBe('billing_address');
  });

  it('is the most specific one', () => {
    expect(columnOf(['billing_address', 'billing_address.city'], 'billing_address.city')).toBe('billing_address.city');
  });
});
