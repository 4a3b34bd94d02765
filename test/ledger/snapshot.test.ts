import { describe, expect, it } from 'vitest';
import { activityFacts } from '../../src/charge/payment.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import type { ApiRecord } from '../../src/core/record.ts';
import {
  asActivity,
  hasSameActivities,
  keptActivity,
  type Snapshot,
  snapshotOf,
  withActivity,
} from '../../src/ledger/snapshot.ts';
import { NOON } from './support/charges.ts';

const ONYE = 'ony.AbCd.000000000000000000000001';

describe('the amount of snapshotOf', () => {
  it.each<[unknown, number | undefined]>([
    [500, 500],
    [0, 0],
    ['500', 500],
    ['500.00', 500],
    ['0', 0],
    ['999999999999999', 999_999_999_999_999],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER + 1, undefined],
    ['1000000000000000', undefined],
    ['500.50', undefined],
    ['500.', undefined],
    ['500.00 NGN', undefined],
    ['NGN 500', undefined],
    ['1,500', undefined],
    ['-500', undefined],
    [-500, undefined],
    [1.5, undefined],
    ['', undefined],
    [null, undefined],
    [[500], undefined],
  ])('for %j is %j', (amount, read) => {
    expect(snapshotOf({ amount }).asked.amount).toBe(read);
  });
});

describe('snapshotOf', () => {
  it.each<[object, string | undefined]>([
    [{ currency: 'NGN' }, 'NGN'],
    [{ currency: ['ngn', 'Naira'] }, 'NGN'],
    [{ checkout: { currency: ['GHS', 'Cedi'] } }, 'GHS'],
    [{ currency: 'NGN', checkout: { currency: 'GHS' } }, 'NGN'],
    [{ currency: 'NAIRA' }, undefined],
    [{ currency: 'NG' }, undefined],
    [{ currency: '1NG' }, undefined],
    [{}, undefined],
  ])('reads the currency: %j is %j', (ugwo, currency) => {
    expect(snapshotOf(ugwo).asked.currency).toBe(currency);
  });

  it.each<[object, string | undefined]>([
    [{ onye: { uid: ONYE } }, ONYE],
    [{ onye: ONYE }, ONYE],
    [{ onye_nzube: { uid: ONYE } }, ONYE],
    [{ onye: 'ugw.AbCd.1', onye_nzube: { uid: ONYE } }, ONYE],
    [{ onye: 'Ada' }, undefined],
    [{}, undefined],
  ])('reads the customer: %j is %j', (ugwo, customer) => {
    expect(snapshotOf(ugwo).asked.customer).toBe(customer);
  });

  it.each<[object, string | undefined]>([
    [{ onye: { email: 'ada@example.com' } }, 'ada@example.com'],
    [{ onye_nzube: { email: 'ada@example.com' } }, 'ada@example.com'],
    [{ onye: { email: '' }, onye_nzube: { email: 'ada@example.com' } }, 'ada@example.com'],
    [{ onye: { email: 'ada@example.com' }, onye_nzube: { email: 'eze@example.com' } }, 'ada@example.com'],
    [{ onye: { email: 7 } }, undefined],
  ])("reads the customer's email: %j is %j", (ugwo, email) => {
    expect(snapshotOf(ugwo).asked.email).toBe(email);
  });

  it.each<[unknown, string | undefined]>([
    ['Cocoa', 'Cocoa'],
    ['', undefined],
    [7, undefined],
    [null, undefined],
    ['x'.repeat(1000), 'x'.repeat(1000)],
    ['x'.repeat(1001), `${'x'.repeat(1000)}… (1 more characters)`],
  ])('shortens long text: %#', (text, read) => {
    const { asked, description } = snapshotOf({ ref: text, description: text });
    expect([asked.ref, description]).toEqual([read, read]);
  });

  it.each<[object, boolean]>([
    [{ checkout: null }, true],
    [{ checkout: {} }, false],
    [{ checkout: [] }, false],
    [{}, false],
  ])('reads the checkout: with %j, noCheckout is %s', (ugwo, none) => {
    expect(snapshotOf(ugwo).noCheckout).toBe(none);
  });

  it.each<[unknown, boolean]>([
    [{ uid: 'act.1', status: 'processing' }, true],
    [{ uid: 'act.1', status: ['processing', 'Busy'] }, true],
    [{ uid: 'act.1' }, false],
    [[], false],
    [null, false],
    ['act.1', false],
    [undefined, false],
  ])('reads the latest activity: %j is one: %s', (last, is) => {
    expect(snapshotOf({ lastest_ugwo_activity: last }).last).toBe(is ? last : undefined);
  });

  it('has only the times of the answer', () => {
    expect(snapshotOf({}, { servedAt: NOON, age: 5 })).toMatchObject({ servedAt: NOON, age: 5 });
    for (const shown of [snapshotOf({}), snapshotOf({}, {})]) {
      expect(shown).not.toHaveProperty('servedAt');
      expect(shown).not.toHaveProperty('age');
    }
  });
});

describe('withActivity', () => {
  const [one, two] = [
    { uid: 'act.1', status: 'processing' },
    { uid: 'act.2', status: 'processing' },
  ];
  const paid: ApiRecord = { value: { uid: 'act.1', status: 'successful' }, text: '' };

  it('replaces the earlier version of the activity', () => {
    const shown = snapshotOf({ status: 'requires_ugwo', activities: [one, two] }, { servedAt: NOON });
    expect(withActivity(shown, paid)).toEqual({ ...shown, facts: undefined, activities: [two, paid.value] });
    expect(withActivity(shown, { ...paid, servedAt: NOON + 5 })).toEqual({
      ...shown,
      facts: undefined,
      servedAt: NOON + 5,
      activities: [two, paid.value],
    });
  });

  it('contains only the activity if there was no snapshot', () => {
    expect(withActivity(undefined, paid)).toEqual({ ...snapshotOf({}), facts: undefined, activities: [paid.value] });
    expect(withActivity(snapshotOf({}), paid).activities).toEqual([paid.value]);
  });
});

describe('hasSameActivities', () => {
  const [one, two] = [{ uid: 'act.1' }, { uid: 'act.2', status: 'processing' }];
  const read = (activities: readonly unknown[], servedAt?: number, last?: unknown): Snapshot =>
    snapshotOf({ activities, lastest_ugwo_activity: last }, servedAt === undefined ? {} : { servedAt });

  it.each<[string, Snapshot, Snapshot, boolean]>([
    ['a later read of the same', read([one, two], NOON), read([two, one], NOON + 1000), true],
    ['reads without a date', read([one]), read([one]), true],
    ['a read of the same second', read([one], NOON), read([one], NOON), false],
    ['a later read without a date', read([one], NOON), read([one]), false],
    ['fewer', read([one, two]), read([one]), false],
    ['more', read([one]), read([one, two]), false],
    ['another one as the latest', read([one]), read([one], undefined, two), false],
    ['one without a uid', read([{ status: 'processing' }]), read([{ status: 'processing' }]), false],
  ])('of %s: %#', (_what, before, after, same) => {
    expect(hasSameActivities(before, after)).toBe(same);
  });
});

const NEXT = { type: 'user_action', headers: { ussd: '*737*1#' } };
const WHOLE = {
  uid: 'act.AbCd.1',
  activity_type: 'charge',
  status: ['requires_action', 'Requires action'],
  next_action: NEXT,
  created_at: '2026-11-20T12:00:00+01:00',
  psp: 'somebody',
};

it('keptActivity has the id, status, next action and creation time', () => {
  expect(keptActivity(WHOLE)).toMatchObject({
    uid: 'act.AbCd.1',
    status: 'requires_action',
    nextAction: NEXT,
    createdAt: '2026-11-20T12:00:00+01:00',
  });
  expect(keptActivity(WHOLE, { servedAt: 5 }).servedAt).toBe(5);
  expect(keptActivity(WHOLE, { servedAt: 9, askedAt: 8, age: 7 })).toMatchObject({ servedAt: 2, askedAt: 1 });
  expect(keptActivity({ uid: 'act.AbCd.1', status: 'failed' })).toMatchObject({
    uid: 'act.AbCd.1',
    status: 'failed',
    nextAction: null,
    createdAt: undefined,
  });
});

it('asActivity reverses keptActivity', () => {
  const { psp: _, ...kept } = { ...WHOLE, status: 'requires_action' };
  expect(asActivity(keptActivity(WHOLE))).toStrictEqual(kept);
  expect(asActivity(keptActivity({ uid: 'act.AbCd.1', status: 'failed' }))).toMatchObject({
    uid: 'act.AbCd.1',
    activity_type: 'charge',
    status: 'failed',
    next_action: null,
  });
});

it('keptActivity omits overlong text and oversized next actions', () => {
  const times = ['x'.repeat(BOUNDS.word), 'x'.repeat(BOUNDS.word + 1), 7];
  expect(times.map((created_at) => keptActivity({ created_at }).createdAt)).toEqual([times[0], undefined, undefined]);
  // JSON adds two quotes.
  const steps = ['x'.repeat(BOUNDS.kept - 2), 'x'.repeat(BOUNDS.kept - 1)];
  expect(steps.map((next_action) => keptActivity({ next_action }).nextAction)).toEqual([steps[0], null]);
});

it('keptActivity measures a next action by its JSON length', () => {
  const step = (more: string): object => ({ 'a"b': [1, -0.5, true, null, {}, [], 'é\n'], more });
  const room = BOUNDS.kept - JSON.stringify(step('')).length;
  const steps = [step('x'.repeat(room)), step('x'.repeat(room + 1))];
  expect(steps.map((next_action) => keptActivity({ next_action }).nextAction)).toEqual([steps[0], null]);
});

it('keptActivity has an empty id and a null next action for unusable input', () => {
  for (const nothing of [{}, { uid: 7, next_action: undefined }, null, []]) {
    const empty = { uid: '', status: '', nextAction: null, createdAt: undefined };
    expect(keptActivity(nothing)).toEqual({ ...empty, facts: activityFacts(nothing) });
  }
});
