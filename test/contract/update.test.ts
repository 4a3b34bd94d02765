import { describe, expect, it } from 'vitest';
import { onyeUpdate } from '../../src/contract/onye.ts';
import { faultsOf, pathsOf } from './faults.ts';

/** Texts of a given number of characters: plain, of four bytes each, and of letters with combining accents. */
const plain = (length: number): string => 'x'.repeat(length);
const emoji = (length: number): string => '😀'.repeat(length);
const combining = (length: number): string => 'e\u0301'.repeat(length).slice(0, length);

describe('the body of an update (docs/service.md, Customers)', () => {
  it.each([
    ['nothing', {}],
    ['every field', { email: 'ada@example.com', ref: 'r', first_name: 'Ada', last_name: 'L', meta: { a: 'b' } }],
    ['an empty meta, which clears it', { meta: {} }],
    ['a meta of any values', { meta: { tier: 'vip', none: null, deep: { a: [1, true] }, '': 0 } }],
    ['empty names and reference', { first_name: '', last_name: '', ref: '' }],
    ['an empty address', { billing_address: {} }],
    ['an address with a new field', { billing_address: { city: 'Lagos', landmark: { lat: 6.45 } } }],
    ['unknown fields', { phone: '+234', tags: ['a'], nested: { b: null } }],
  ])('accepts %s unchanged', (_what, body) => {
    expect(onyeUpdate().parse(body)).toEqual(body);
  });

  it.each([
    'a@b',
    'ada@example.com',
    'ada+tag@mail.example.co.uk',
    "o'neil@example.com",
    'ада@пример.рф',
    'ADA@EXAMPLE.COM',
  ])('accepts the e-mail address %s', (email) => {
    expect(pathsOf(onyeUpdate(), { email })).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'ada @example.com',
    ' ada@example.com',
    'ada@example.com\n',
    '@',
  ])('rejects the e-mail address %j', (email) => {
    expect(faultsOf(onyeUpdate(), { email })).toEqual([
      { propertyPath: 'email', title: 'is not a valid e-mail address' },
    ]);
  });

  const limits = [
    ['first_name', 100],
    ['last_name', 100],
    ['ref', 150],
    ['billing_address.address', 100],
    ['billing_address.address2', 100],
    ['billing_address.city', 50],
    ['billing_address.state', 50],
    ['billing_address.zip', 10],
  ] as const;
  const bodyOf = (path: string, value: unknown): unknown => {
    const [name = '', inner] = path.split('.');
    return { [name]: inner === undefined ? value : { [inner]: value } };
  };

  it.each(limits)('accepts a %s of %d characters, counted as characters, and rejects one more', (path, max) => {
    for (const textOf of [plain, emoji, combining]) {
      expect(pathsOf(onyeUpdate(), bodyOf(path, textOf(max)))).toEqual([]);
      expect(faultsOf(onyeUpdate(), bodyOf(path, textOf(max + 1)))).toEqual([
        { propertyPath: path, title: `is too long: ${max + 1} characters, at most ${max}` },
      ]);
    }
  });

  it.each(limits)('rejects a %s that is not text', (path) => {
    for (const value of [null, 5, true, [], {}]) expect(pathsOf(onyeUpdate(), bodyOf(path, value))).toEqual([path]);
  });

  it.each(['address', 'city', 'state', 'zip'])('rejects an empty %s of an address', (field) => {
    expect(faultsOf(onyeUpdate(), { billing_address: { [field]: '' } })).toEqual([
      { propertyPath: `billing_address.${field}`, title: 'should not be blank' },
    ]);
  });

  it('accepts an empty second address line', () => {
    expect(pathsOf(onyeUpdate(), { billing_address: { address2: '' } })).toEqual([]);
  });

  it.each(['NG', 'gh', 'Us'])('accepts the country %s', (country) => {
    expect(pathsOf(onyeUpdate(), { billing_address: { country } })).toEqual([]);
  });

  it.each(['', 'N', 'NGA', 'Nigeria', 'N1', 'NG\n', 'ÑG', 'N '])('rejects the country %j', (country) => {
    expect(faultsOf(onyeUpdate(), { billing_address: { country } })).toEqual([
      { propertyPath: 'billing_address.country', title: 'is not a two-letter country code' },
    ]);
  });

  it.each([
    ['billing_address', null, 'should be an object'],
    ['billing_address', [], 'should be an object'],
    ['billing_address', 'Lagos', 'should be an object'],
    ['meta', null, 'should be an object of keys and values'],
    ['meta', [], 'should be an object of keys and values'],
    ['meta', 'tier=vip', 'should be an object of keys and values'],
  ])('rejects a %s of %j', (field, value, title) => {
    expect(faultsOf(onyeUpdate(), { [field]: value })).toEqual([{ propertyPath: field, title }]);
  });

  it('reports every violated rule', () => {
    const body = { email: 'ada', first_name: plain(101), billing_address: { zip: '', country: 'NGA' }, meta: 5 };
    expect(pathsOf(onyeUpdate(), body)).toEqual([
      'email',
      'first_name',
      'billing_address.zip',
      'billing_address.country',
      'meta',
    ]);
  });

  it.each([[null], [undefined], [[]], ['x'], [7]])('is rejected if it is %j', (body) => {
    expect(pathsOf(onyeUpdate(), body)).toEqual(['']);
  });
});
