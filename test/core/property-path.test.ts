import { describe, expect, it } from 'vitest';
import { namesAlong } from '../../src/core/json.ts';

describe('the names along the path of a property', () => {
  it.each([
    ['data.provider', ['data', 'provider']],
    ['data[provider]', ['data', 'provider']],
    ['[data][provider]', ['data', 'provider']],
    ['provider', ['provider']],
    ['', []],
    ['meta[orderId]', ['meta', 'orderId']],
    ['items[0].name', ['items', '0', 'name']],
  ])('of %j are %j', (path, names) => {
    expect(namesAlong(path, ['data', 'provider'])).toEqual(names);
  });

  it('are known ones in snake case, where only those are known', () => {
    const known = ['first_name', 'billing_address', 'city', 'orderId'];
    expect(namesAlong('firstName', known)).toEqual(['first_name']);
    expect(namesAlong('billingAddress.city', known)).toEqual(['billing_address', 'city']);
    expect(namesAlong('orderId', [...known, 'order_id'])).toEqual(['orderId']);
    expect(namesAlong('zipCode', known)).toEqual(['zipCode']);
  });
});
