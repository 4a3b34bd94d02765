import { describe, expect, it } from 'vitest';
import { isApplied, isMerged } from '../../src/commands/onye/update-seen.ts';
import { parseExact } from '../../src/core/json.ts';

/** As a read shows it. */
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
/** The same with nothing in it. */
const EMPTY = { uid: 'ony.AbCd.1', email: null, ref: null, billing_address: [], meta: [] };

describe('isApplied', () => {
  it.each([
    ['nothing', {}],
    ['an e-mail address in other letters', { email: 'Ada@Example.COM' }],
    ['names in other letters', { first_name: 'ADA-marie', last_name: 'obi' }],
    ['a reference', { ref: 'A-1' }],
    ['one field of the address', { billing_address: { city: 'Lagos' } }],
    ['an empty field of the address that is not there', { billing_address: { address2: '' } }],
    ['nothing for a field of the address that is not there', { billing_address: { address2: null } }],
    ['no field of the address', { billing_address: {} }],
    ['metadata in another order', { meta: { tags: ['a', { b: null }], visits: 3, tier: 'vip' } }],
    ['a field that has no rule of its own', { locale: 'en_NG' }],
    ['all of them', { email: 'ada@example.com', ref: 'A-1', meta: CUSTOMER.meta, locale: 'en_NG' }],
  ])('is true of %s', (_what, body) => {
    expect(isApplied(CUSTOMER, body)).toBe(true);
  });

  it.each([
    ['another e-mail address', { email: 'bob@example.com' }],
    ['another name', { first_name: 'Ada' }],
    ['a reference in other letters', { ref: 'a-1' }],
    ['an empty reference where there is one', { ref: '' }],
    ['another field of the address', { billing_address: { city: 'Lagos', zip: '1' } }],
    ['a field of the address in other letters', { billing_address: { city: 'LAGOS' } }],
    ['an empty field of the address where there is one', { billing_address: { city: '' } }],
    ['a list for the address', { billing_address: [] }],
    ['nothing for the address', { billing_address: null }],
    ['fewer metadata: they are replaced as a whole', { meta: { tier: 'vip' } }],
    ['more metadata', { meta: { ...CUSTOMER.meta, more: 1 } }],
    ['as many metadata of another name', { meta: { tier: 'vip', visits: 3, tag: [] } }],
    ['metadata of another type', { meta: { ...CUSTOMER.meta, visits: '3' } }],
    ['a longer list in the metadata', { meta: { ...CUSTOMER.meta, tags: ['a', { b: null }, 1] } }],
    ['a shorter list in the metadata', { meta: { ...CUSTOMER.meta, tags: ['a'] } }],
    ['null for what is not there', { meta: { tier: 'vip', visits: 3, tags: ['a', {}] } }],
    ['no metadata where there are some', { meta: {} }],
    ['a field that is not shown', { nick: 'a' }],
    ['a name that every object has', { toString: 'x' }],
    ['one of several', { email: 'ada@example.com', ref: 'B' }],
  ])('is false of %s', (_what, body) => {
    expect(isApplied(CUSTOMER, body)).toBe(false);
  });

  it('looks for a name that every object has where it was written, and nowhere else', () => {
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
  ])('knows nothing by any of its names: %j is %s', (body, applied) => {
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
  ])('takes %s for %s: %s', (sent, shown, applied) => {
    const [customer, body] = [shown, sent].map((number) => parseExact(`{"meta":{"n":${number}}}`));
    expect(isApplied(customer, body as Record<string, unknown>)).toBe(applied);
  });

  it.each([[null], ['x'], [[]], [undefined]])('is false of what is no customer: %j', (customer) => {
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
  ])('sees %j set and %j removed: %s', (set, unset, merged) => {
    expect(isMerged(CUSTOMER.meta, { set, unset })).toBe(merged);
  });
});
