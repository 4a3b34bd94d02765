import { describe, expect, it } from 'vitest';
import { checkPeriod } from '../../src/commands/list.ts';
import type { Io } from '../../src/core/io.ts';
import { endsAt, hidesCustomer, matcher, type RecordFilter, serviceNow } from '../../src/core/record.ts';
import { HOUR } from '../support/units.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const REQUEST = {
  uid: 'ugw.AbCd.1',
  status: ['processing', 'enum.ugwo_status.processing'],
  amount: '500000',
  currency: ['NGN', 'Naira (NGN)'],
  ref: 'INV-1',
  onye: { uid: 'ony.AbCd.1', email: 'Ada@Example.com' },
  created_at: '2026-11-20T10:00:00.000000+00:00',
};
const CUSTOMER = { uid: 'ony.AbCd.1', email: 'ada@example.com', status: 'active', created_at: null };

describe('matcher', () => {
  const cases: readonly (readonly [what: string, filter: RecordFilter, record: object, found: boolean])[] = [
    ['nothing that is asked for', {}, REQUEST, true],
    ['a status, also as a pair', { status: ['processing'] }, REQUEST, true],
    ['one of several statuses', { status: ['cancelled', 'processing'] }, REQUEST, true],
    ['another status', { status: ['cancelled'] }, REQUEST, false],
    ['a reference', { ref: 'INV-1' }, REQUEST, true],
    ['a part of a reference', { ref: 'INV' }, REQUEST, false],
    ["the customer's e-mail, in any case", { email: 'ada@example.COM' }, REQUEST, true],
    ["a customer's own e-mail", { email: 'ada@example.com' }, CUSTOMER, true],
    ['another e-mail', { email: 'ad@example.com' }, CUSTOMER, false],
    ['a customer', { customer: 'ony.AbCd.1' }, REQUEST, true],
    ['a customer that is its identifier alone', { customer: 'ony.AbCd.1' }, { onye: 'ony.AbCd.1' }, true],
    ['a customer by e-mail', { customer: 'ada@example.com' }, REQUEST, true],
    ['an amount in its currency', { amount: 'NGN 5,000.00' }, REQUEST, true],
    ['an amount in another', { amount: 'USD 5,000.00' }, REQUEST, false],
    ['another customer', { customer: 'ony.AbCd.2' }, REQUEST, false],
    ['an amount, of a text and of a number', { amount: '5,000.00' }, { ...REQUEST, amount: 500_000 }, true],
    ["an amount in the record's own currency", { amount: '500,000' }, { ...REQUEST, currency: 'JPY' }, true],
    ['another amount', { amount: '5,000.01' }, REQUEST, false],
    ['an amount in the minor unit', { amountMinor: 500_000 }, REQUEST, true],
    ['another amount in the minor unit', { amountMinor: 5000 }, REQUEST, false],
    ['since so long ago', { since: { ago: 2 * HOUR } }, REQUEST, true],
    ['since less long ago', { since: { ago: 2 * HOUR - 1 } }, REQUEST, false],
    ['until a moment, which is not among them', { until: { at: NOW - 2 * HOUR } }, REQUEST, false],
    ['until later', { until: { at: NOW - 2 * HOUR + 1 } }, REQUEST, true],
    ['a time, of what says none', { since: { at: 0 } }, CUSTOMER, false],
    ['a time before, of what says none', { until: { ago: 0 } }, CUSTOMER, false],
    ['all of several', { status: ['processing'], ref: 'INV-2' }, REQUEST, false],
  ];
  it.each(cases)('finds %s', (_what, filter, record, found) => {
    expect(matcher(filter, NOW)(record)).toBe(found);
  });

  it('ends a walk at a record older than --since, and at no other', () => {
    const ends = endsAt({ since: { at: NOW - HOUR } }, NOW);
    expect(ends(REQUEST)).toBe(true);
    expect(ends({ ...REQUEST, created_at: '2026-11-20T11:00:00Z' })).toBe(false);
    expect(ends({ ...REQUEST, created_at: 'lately' })).toBe(false);
    expect(endsAt({ until: { at: NOW } }, NOW)(REQUEST)).toBe(false);
  });
});

it.each([
  ['a payment request with its customer', REQUEST, false],
  ['a payment request without one', { ...REQUEST, onye: null }, false],
  ['a customer', CUSTOMER, false],
  ['some fields alone', { uid: REQUEST.uid, status: 'processing' }, true],
  ['a text', 'ugw.AbCd.1', false],
])('a list with %s hides its customers: $2', (_what, record, hides) => {
  expect(hidesCustomer(record)).toBe(hides);
});

describe('a period', () => {
  const check = async (period: Pick<RecordFilter, 'since' | 'until'>): Promise<string[]> => {
    const said: string[] = [];
    const io = { clock: { now: () => NOW } } as Io;
    await checkPeriod(period, { io, say: async (text) => void said.push(...[text].flat()) });
    return said;
  };

  it.each<Pick<RecordFilter, 'since' | 'until'>>([
    {},
    { since: { at: NOW } },
    { until: { at: 0 } },
    { since: { at: NOW }, until: { at: NOW } },
    { since: { ago: 2 * HOUR }, until: { ago: HOUR } },
    { since: { ago: HOUR }, until: { at: NOW - HOUR } },
  ])('is valid: %j', async (period) => {
    expect(await check(period)).toEqual([]);
  });

  it('that starts in the future causes a notice', async () => {
    expect(await check({ since: { at: NOW + 1 } })).toEqual([expect.stringMatching(/^--since is in the future: /)]);
  });

  it.each<Pick<RecordFilter, 'since' | 'until'>>([
    { since: { at: NOW }, until: { at: NOW - 1 } },
    { since: { ago: HOUR }, until: { ago: 2 * HOUR } },
    { since: { ago: HOUR }, until: { at: NOW - HOUR - 1 } },
    { since: { at: NOW - HOUR + 1 }, until: { ago: HOUR } },
  ])('that ends before it starts is rejected: %j', async (period) => {
    await expect(check(period)).rejects.toThrow('--until is before --since');
  });
});

it.each([
  ['equal to the local time', { servedAt: 8000 }, 10_000],
  ['just different', { servedAt: 7999 }, 7999],
  ['different', { servedAt: 910_000 }, 910_000],
  ['missing', {}, 10_000],
  ['from a cache', { servedAt: 910_000, age: 2001 }, 10_000],
  ['that a cache has kept for a moment', { servedAt: 910_000, age: 2000 }, 910_000],
])("serviceNow returns the service's time: %s", (_what, answer, now) => {
  expect(serviceNow(answer, 10_000)).toBe(now);
});
