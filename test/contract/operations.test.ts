import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filledPath, type Operation, operations } from '../../src/contract/operations.ts';
import { REJECTIONS } from '../../src/core/error.ts';
import { isUnsafeSegment } from '../../src/core/ids.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { pathsOf } from './faults.ts';
import * as fixtures from './fixtures.ts';

const table: [id: string, operation: Operation][] = Object.entries(operations);

describe('the table of operations (docs/service.md)', () => {
  it('lists each operation with method, path and safety', () => {
    expect(table.map(([id, { method, path, safety }]) => [id, method, path, safety])).toEqual([
      ['onye.get', 'GET', '/v1/onye/{uid}', 'safe'],
      ['onye.create', 'POST', '/v1/onye', 'never-repeat'],
      ['onye.list', 'GET', '/v1/onye', 'safe'],
      ['onye.update', 'PATCH', '/v1/onye/{uid}', 'checked'],
      ['onye.delete', 'DELETE', '/v1/onye/{uid}', 'checked'],
      ['ugwo.create', 'POST', '/v1/ugwo', 'never-repeat'],
      ['ugwo.charge', 'POST', '/v1/ugwo/{ugwoUid}/activities', 'never-repeat'],
      ['ugwo.get', 'GET', '/v1/ugwo/{uid}', 'safe'],
      ['activity.get', 'GET', '/v1/ugwo/{ugwoUid}/activities/{activityUid}', 'safe'],
      ['ugwo.list', 'GET', '/v1/ugwo', 'safe'],
      ['ugwo.cancel', 'DELETE', '/v1/ugwo/{uid}', 'checked'],
      ['checkout.list', 'GET', '/v1/checkouts', 'safe'],
      ['checkout.get', 'GET', '/v1/checkouts/{uid}', 'safe'],
      ['checkout.providers', 'GET', '/v1/checkouts/{uid}/{medium}', 'safe'],
      ['refund.create', 'POST', '/v1/refunds', 'never-repeat'],
    ]);
  });

  it.each(table)('%s declares exactly the parameters of its path', (_id, { path, params }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params)).toEqual(named);
  });

  it.each(table)(
    '%s has a versioned path, a body only for PATCH and POST, and a query only for a list',
    (id, operation) => {
      expect(operation.path).toMatch(/^\/v1\/[a-z]/);
      expect(operation.body !== undefined).toBe(['PATCH', 'POST'].includes(operation.method));
      expect(operation.query !== undefined).toBe(id.endsWith('.list'));
      expect(operation.safety === 'safe').toBe(operation.method === 'GET');
      // Every write has its own text for an unknown result.
      expect(operation.effect === undefined).toBe(operation.safety === 'safe');
    },
  );

  it.each(table)('%s succeeds with 200 and can meet 401, 403 and 422', (_id, { success }) => {
    expect(success.status).toBe(200);
    expect([...REJECTIONS.keys()]).toEqual(expect.arrayContaining([401, 403, 422]));
    expect([...REJECTIONS.keys()].every((status) => status >= 400 && status < 500)).toBe(true);
  });

  it('requires the identifier type of each parameter', () => {
    expect(operations['onye.get'].params).toEqual({ uid: 'ony' });
    expect(operations['onye.update'].params).toEqual({ uid: 'ony' });
    expect(operations['ugwo.charge'].params).toEqual({ ugwoUid: 'ugw' });
    expect(operations['ugwo.get'].params).toEqual({ uid: 'ugw' });
    expect(operations['activity.get'].params).toEqual({ ugwoUid: 'ugw', activityUid: 'act' });
  });

  it.each([
    ['onye.get', fixtures.customer, fixtures.ugwoWithCheckout],
    ['onye.update', fixtures.customer, fixtures.ugwoWithCheckout],
    ['ugwo.charge', fixtures.bankTransferActivity, fixtures.customer],
    ['ugwo.list', fixtures.middlePage, { data: [fixtures.customer], next_cursor: null }],
  ] as const)('%s answers with its own resource', (id, right, wrong) => {
    expect(pathsOf(operations[id].success.schema(), right)).toEqual([]);
    expect(pathsOf(operations[id].success.schema(), wrong)).not.toEqual([]);
  });

  it('checks a charge against the given time, and an update and a list by their rules', () => {
    const now = Date.UTC(2026, 10, 20, 13, 5);
    const body = { type: 'charge', data: { medium: 'bank_transfer', expires_at: '2026-11-20T13:15:00Z' } };
    const charge: Operation = operations['ugwo.charge'];
    expect(charge.body && pathsOf(charge.body(now), body)).toEqual([]);
    expect(charge.body && pathsOf(charge.body(now + 600_000), body)).toEqual(['data.expires_at']);
    expect(pathsOf(operations['onye.update'].body(), { email: 'ada' })).toEqual(['email']);
    expect(pathsOf(operations['ugwo.list'].query(), { limit: '101' })).toEqual(['limit']);
  });
});

describe('pathOf', () => {
  it.each([
    ['onye.get', { uid: 'ony.Kw9a.8Zp3' }, '/v1/onye/ony.Kw9a.8Zp3'],
    ['onye.update', { uid: 'ony.Kw9a.8Zp3' }, '/v1/onye/ony.Kw9a.8Zp3'],
    ['ugwo.charge', { ugwoUid: 'ugw.Kw9a.2Mn4' }, '/v1/ugwo/ugw.Kw9a.2Mn4/activities'],
    ['ugwo.list', {}, '/v1/ugwo'],
    ['onye.update', { uid: 'a/b?c#d' }, '/v1/onye/a%2Fb%3Fc%23d'],
    ['onye.update', { uid: '../ugwo' }, '/v1/onye/..%2Fugwo'],
    ['onye.update', { uid: '%2e%2e' }, '/v1/onye/%252e%252e'],
    ['onye.update', { uid: '$&{uid}' }, '/v1/onye/%24%26%7Buid%7D'],
    ['onye.update', { uid: 'a\r\nHost: evil' }, '/v1/onye/a%0D%0AHost%3A%20evil'],
    ['onye.update', { uid: '@evil\\x' }, '/v1/onye/%40evil%5Cx'],
    ['onye.update', { uid: 'Ńdị' }, '/v1/onye/%C5%83d%E1%BB%8B'],
  ] as const)('returns for %s with %j the path %s', (id, params, path) => {
    expect(filledPath(operations[id], params)).toBe(path);
  });

  const rows = [
    ['onye.update', 'uid', '/v1/onye/', ''],
    ['ugwo.charge', 'ugwoUid', '/v1/ugwo/', '/activities'],
  ] as const;

  it.each(rows)('of %s encodes any text as one segment that can be decoded', (id, name, before, after) => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: ANY_CHARACTER }).map((one) => one.toWellFormed()),
    );
    fc.assert(
      fc.property(text, (given) => {
        const path = filledPath(operations[id], { [name]: given });
        expect(path.startsWith(before) && path.endsWith(after)).toBe(true);
        const segment = path.slice(before.length, path.length - after.length);
        expect(segment).toMatch(/^[\w.~!*'()%-]*$/);
        expect(decodeURIComponent(segment)).toBe(given);
      }),
    );
  });

  it.each(rows)('of %s is unchanged by URL normalization, except for unsafe segments', (id, name, before, after) => {
    const tricky = fc.string({
      unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', '@', ':', ' ', '\t', '\n', 'é'),
    });
    fc.assert(
      fc.property(tricky, (given) => {
        fc.pre(!isUnsafeSegment(given));
        const url = new URL(filledPath(operations[id], { [name]: given }), 'https://api.kwugwo.africa');
        expect(url.origin).toBe('https://api.kwugwo.africa');
        expect(url.pathname).toBe(`${before}${encodeURIComponent(given)}${after}`);
        expect(url.search + url.hash).toBe('');
      }),
    );
  });
});
