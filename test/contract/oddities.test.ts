import { describe, expect, it } from 'vitest';
import { oddMembers } from '../../src/contract/oddities.ts';
import { operations } from '../../src/contract/operations.ts';
import * as fixtures from './fixtures.ts';

const { customer, laterActivity, ugwoWithCheckout, bankTransferActivity } = fixtures;
const ofCustomer = (answer: object): readonly string[] =>
  oddMembers(operations['onye.get'], answer, { uid: customer.uid });
const ofRequest = (answer: object): readonly string[] => oddMembers(operations['ugwo.get'], answer, {});
const ofActivity = (answer: object): readonly string[] => oddMembers(operations['activity.get'], answer, {});
const ofList = (...data: object[]): readonly string[] =>
  oddMembers(operations['ugwo.list'], { data, next_cursor: null }, {});

const unread = (name: string): string => `the answer's "${name}" could not be read; it is shown as received`;

describe('oddities', () => {
  it('are none in documented answers', () => {
    expect(ofCustomer(customer)).toEqual([]);
    expect(ofRequest(ugwoWithCheckout)).toEqual([]);
    expect(ofActivity(laterActivity)).toEqual([]);
    expect(ofList(ugwoWithCheckout)).toEqual([]);
  });

  it('name a missing field', () => {
    const { status: _, ...rest } = laterActivity;
    expect(ofActivity(rest)).toEqual(['the answer has no "status"']);
  });

  it.each([
    ['a name that is a list', { first_name: [null] }, 'first_name'],
    ['a name that is true', { first_name: true }, 'first_name'],
    ['an address that is a text', { billing_address: 'Lagos' }, 'billing_address'],
    ['an address that is a number', { billing_address: 5 }, 'billing_address'],
    ['an invalid time', { created_at: 'yesterday' }, 'created_at'],
    ['a time that is a number', { created_at: 1_795_179_900 }, 'created_at'],
    ['a status that is an object', { status: {} }, 'status'],
    ['a status that is empty', { status: '' }, 'status'],
    ['a status that is a number', { status: 5 }, 'status'],
    ['a name that is a pair', { first_name: ['Ada', 'First name'] }, 'first_name'],
  ])('report %s', (_what, field, name) => {
    expect(ofCustomer({ ...customer, ...field })).toEqual([unread(name)]);
  });

  it.each([
    ['a name that is a number', { first_name: 7 }],
    ['a time without an offset', { created_at: '2026-11-03 09:15:27' }],
    ["an address that is PHP's empty object", { billing_address: [] }],
    ['a status that is a pair', { status: ['active', 'enum.onye_status.active'] }],
  ])('do not report %s, which can still be read', (_what, field) => {
    expect(ofCustomer({ ...customer, ...field })).toEqual([]);
  });

  it.each([1, [1, 'Charge']])('report the activity type %j', (activity_type) => {
    expect(ofActivity({ ...laterActivity, activity_type })).toEqual([unread('activity_type')]);
  });

  it.each([
    ['a customer that is a number', { onye: 7 }, 'onye'],
    ['metadata that is a text', { metadata: 'x' }, 'metadata'],
    ['a number in place of a checkout', { checkout: 7 }, 'checkout'],
    ['a text in place of activities', { activities: 'x' }, 'activities'],
  ])('report %s', (_what, field, name) => {
    expect(ofRequest({ ...ugwoWithCheckout, ...field })).toEqual([unread(name)]);
  });

  it.each(['500000', '-5', '500000.00', '5.0'])('do not report the amount %j, which is a text', (amount) => {
    expect(ofRequest({ ...ugwoWithCheckout, amount })).toEqual([]);
  });

  it.each(['', '5,000', '5.5', '5.', '5.05', '1e5', 'x5', '5x', 'NGN', '--5', '5.0.0'])(
    'report the amount %j, which is not a number',
    (amount) => {
      expect(ofRequest({ ...ugwoWithCheckout, amount })).toEqual([unread('amount')]);
    },
  );

  it.each([true, { value: 5 }, ['500000']])('report the amount %j', (amount) => {
    expect(ofRequest({ ...ugwoWithCheckout, amount })).toEqual([unread('amount')]);
  });
});

describe('oddities of nested fields', () => {
  it('have a path without list positions', () => {
    const mediums = [{ medium: 'ussd' }, { medium: {} }, { medium: {} }];
    const checkout = { ...fixtures.checkoutSnapshot, mediums };
    expect(ofRequest({ ...ugwoWithCheckout, checkout })).toEqual([unread('checkout.mediums.medium')]);
  });

  it('are reported once per field', () => {
    const checkout = { uid: 'x y', currency: {}, mediums: 'ussd' };
    const said = ofRequest({ ...ugwoWithCheckout, amount: true, checkout, created_at: {} });
    expect(said).toEqual([unread('amount'), unread('checkout.uid'), unread('created_at')]);
  });

  it('include an error that is a number or true', () => {
    for (const error of [5, true]) expect(ofActivity({ ...laterActivity, error })).toEqual([unread('error')]);
  });

  it('include an incomplete account', () => {
    const next_action = { type: 'user_action', headers: { account_number: '0123456789' } };
    expect(ofActivity({ ...bankTransferActivity, next_action })).toEqual([
      'the answer has no "next_action.headers.bank_name"',
    ]);
  });

  it('are reported once for all records of a list', () => {
    expect(ofList(ugwoWithCheckout, { uid: 5 }, { ...ugwoWithCheckout, amount: true }, { amount: true })).toEqual([
      unread('uid'),
      unread('amount'),
    ]);
  });
});

describe('an answer about another customer', () => {
  const other = { ...customer, uid: 'ony.Kw9a.other' };

  it('is reported for an update', () => {
    expect(oddMembers(operations['onye.update'], other, { uid: customer.uid })).toEqual([
      'the service answered with another customer (onye), ony.Kw9a.other',
    ]);
  });

  it('is not reported for the requested customer, a read, or a charge', () => {
    expect(oddMembers(operations['onye.update'], customer, { uid: customer.uid })).toEqual([]);
    expect(oddMembers(operations['onye.get'], other, { uid: customer.uid })).toEqual([]);
    expect(oddMembers(operations['ugwo.charge'], laterActivity, { ugwoUid: ugwoWithCheckout.uid })).toEqual([]);
  });
});
