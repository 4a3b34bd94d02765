import { describe, expect, it } from 'vitest';
import { isApplied, isMerged } from '../../src/commands/onye/update-seen.ts';
import { parseExact } from '../../src/core/json.ts';

/** A customer as read. */
const CUSTOMER = {
  uid: 'ony.AbCd.1',
  email: 'ada@example.com',
  ref: 'A-1',
  first_name: 'Ada-Marie',
  last_name: 'Obi',
  billing_address: { address: '1 Road', city: 'Lagos', country: 'NG' },
  meta: { tier: 'vip', visits: 3, tags: ['a', { b: null }] },
  locale: 'en_NG',
};
/** The same without values. */
const EMPTY = { uid: 'ony.AbCd.1', email: null, ref: null, billing_address: [], meta: [] };

describe('isApplied', () => {
  it.each([
    ['an empty update', {}],
    ['an e-mail address in another case', { email: 'Ada@Example.COM' }],
    ['names in another case', { first_name: 'ADA-marie', last_name: 'obi' }],
    ['a reference', { ref: 'A-1' }],
    ['one field of the address', { billing_address: { city: 'Lagos' } }],
    ['an empty address field that is missing', { billing_address: { address2: '' } }],
    ['null for a missing address field', { billing_address: { address2: null } }],
    ['an empty address', { billing_address: {} }],
    ['metadata in another order', { meta: { tags: ['a', { b: null }], visits: 3, tier: 'vip' } }],
    ['an unknown field', { locale: 'en_NG' }],
    ['all fields', { email: 'ada@example.com', ref: 'A-1', meta: CUSTOMER.meta, locale: 'en_NG' }],
  ])('is true for %s', (_what, body) => {
    expect(isApplied(CUSTOMER, body)).toBe(true);
  });

  it.each([
    ['another e-mail address', { email: 'bob@example.com' }],
    ['another name', { first_name: 'Ada' }],
    ['a reference in another case', { ref: 'a-1' }],
    ['an empty reference instead of a value', { ref: '' }],
    ['another field of the address', { billing_address: { city: 'Lagos', zip: '1' } }],
    ['an address field in another case', { billing_address: { city: 'LAGOS' } }],
    ['an empty address field instead of a value', { billing_address: { city: '' } }],
    ['a list as the address', { billing_address: [] }],
    ['null as the address', { billing_address: null }],
    ['less metadata, since it is replaced as a whole', { meta: { tier: 'vip' } }],
    ['more metadata', { meta: { ...CUSTOMER.meta, more: 1 } }],
    ['metadata under another name', { meta: { tier: 'vip', visits: 3, tag: [] } }],
    ['metadata of another type', { meta: { ...CUSTOMER.meta, visits: '3' } }],
    ['a longer list in the metadata', { meta: { ...CUSTOMER.meta, tags: ['a', { b: null }, 1] } }],
    ['a shorter list in the metadata', { meta: { ...CUSTOMER.meta, tags: ['a'] } }],
    ['null for a missing field', { meta: { tier: 'vip', visits: 3, tags: ['a', {}] } }],
    ['no metadata instead of some', { meta: {} }],
    ['a missing field', { nick: 'a' }],
    ['a property name of objects', { toString: 'x' }],
    ['one of several', { email: 'ada@example.com', ref: 'B' }],
  ])('is false for %s', (_what, body) => {
    expect(isApplied(CUSTOMER, body)).toBe(false);
  });

  it('finds inherited property names only as own properties', () => {
    const body = JSON.parse('{"__proto__":{}}') as Record<string, unknown>;
    expect(isApplied(CUSTOMER, body)).toBe(false);
    expect(isApplied({ meta: { a: {} } }, { meta: body })).toBe(false);
    expect(isApplied(CUSTOMER, { billing_address: body })).toBe(false);
    expect(isApplied({ meta: body }, { meta: body })).toBe(true);
  });

  it.each([
    [{ email: '' }, true],
    [{ email: 'a@b' }, false],
    [{ first_name: '' }, true],
    [{ ref: '' }, true],
    [{ meta: {} }, true],
    [{ meta: { a: 1 } }, false],
    [{ billing_address: { address2: '' } }, true],
    [{ billing_address: { city: 'Lagos' } }, false],
  ])('handles empty values: %j is %s', (body, applied) => {
    expect(isApplied(EMPTY, body)).toBe(applied);
    expect(isApplied({ uid: EMPTY.uid }, body)).toBe(applied);
  });

  it.each([
    ['1.50', '1.5', true],
    ['1.0', '1', true],
    ['1e2', '100', true],
    ['1.5', '1.6', false],
    ['12345678901234567890', '12345678901234567890', true],
    ['12345678901234567890', '12345678901234567891', false],
  ])('compares %s with %s: %s', (sent, shown, applied) => {
    const [customer, body] = [shown, sent].map((number) => parseExact(`{"meta":{"n":${number}}}`));
    expect(isApplied(customer, body as Record<string, unknown>)).toBe(applied);
  });

  it.each([[null], ['x'], [[]], [undefined]])('is false for a non-object: %j', (customer) => {
    expect(isApplied(customer, {})).toBe(false);
  });
});

describe('isMerged', () => {
  it.each([
    [{ tier: 'vip' }, [], true],
    [{ tags: ['a', { b: null }] }, ['gone'], true],
    [{}, ['tier'], false],
    [{ tier: 'no' }, [], false],
    [{ visits: '3' }, [], false],
    [{ constructor: 'x' }, [], false],
    [{}, ['constructor'], true],
  ])('with %j set and %j removed: %s', (set, unset, merged) => {
    expect(isMerged(CUSTOMER.meta, { set, unset })).toBe(merged);
  });
});
