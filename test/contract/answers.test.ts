import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { activity } from '../../src/contract/activity.ts';
import { checkoutSnapshot } from '../../src/contract/checkout.ts';
import { pageShape } from '../../src/contract/common.ts';
import { onye } from '../../src/contract/onye.ts';
import { problemAnswer } from '../../src/contract/problem.ts';
import { ugwo } from '../../src/contract/ugwo.ts';
import { pathsOf } from './faults.ts';
import * as fixtures from './fixtures.ts';

const documented: [name: string, schema: z.ZodType, example: Record<string, unknown>][] = [
  ['a customer', onye(), fixtures.customer],
  ['a customer with few fields', onye(), fixtures.customerOfFewWords],
  ['a payment request with a checkout', ugwo(), fixtures.ugwoWithCheckout],
  ['a payment request without a checkout', ugwo(), fixtures.ugwoWithoutCheckout],
  ['a checkout snapshot', checkoutSnapshot(), fixtures.checkoutSnapshot],
  ['a bank_transfer activity', activity(), fixtures.bankTransferActivity],
  ['a ussd activity', activity(), fixtures.ussdActivity],
  ['a mobile_money activity', activity(), fixtures.mobileMoneyActivity],
  ['a failed activity', activity(), fixtures.failedActivity],
  ['a later activity', activity(), fixtures.laterActivity],
  ['a page in the middle', pageShape(ugwo()), fixtures.middlePage],
  ['the last page', pageShape(ugwo()), fixtures.lastPage],
  ['an empty page', pageShape(ugwo()), fixtures.emptyPage],
  ['a page of customers', pageShape(onye()), { data: [fixtures.customer], next_cursor: null }],
  ['a validation problem', problemAnswer(), fixtures.validationProblem],
  ['a problem without violations', problemAnswer(), fixtures.notFoundProblem],
  ['a problem with two fields', problemAnswer(), fixtures.leanProblem],
];

/** The same value with an undocumented field in every object. */
const withUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, member]) => [name, withUnknownFields(member)] as const);
  return { ...Object.fromEntries(known), x_new: { since: [2027, null] } };
};

describe('documented answers', () => {
  it.each(documented)('%s parses to itself', (_name, schema, example) => {
    expect(schema.parse(example)).toEqual(example);
  });

  it.each(documented)('%s keeps its undocumented fields at every depth', (_name, schema, example) => {
    const grown = withUnknownFields(example);
    expect(grown).not.toEqual(example);
    expect(schema.parse(grown)).toEqual(grown);
  });
});

describe('missing documented fields', () => {
  const cannotMiss: Record<string, string[]> = {
    customer: ['uid'],
    'payment request': ['uid'],
    checkout: ['uid'],
    activity: ['uid', 'status'],
    page: ['data', 'next_cursor'],
    problem: ['title', 'status'],
  };
  const rows = [
    ['customer', onye(), fixtures.customer],
    ['payment request', ugwo(), fixtures.ugwoWithCheckout],
    ['checkout', checkoutSnapshot(), fixtures.checkoutSnapshot],
    ['activity', activity(), fixtures.laterActivity],
    ['page', pageShape(ugwo()), fixtures.middlePage],
    ['problem', problemAnswer(), fixtures.validationProblem],
  ] as const;
  const missing = rows.flatMap(([name, schema, example]) =>
    Object.keys(example).map((field) => [name, field, schema, example as Record<string, unknown>] as const),
  );

  it.each(missing)('of a %s: %s is required only if it is indispensable', (name, field, schema, example) => {
    const { [field]: _left, ...rest } = example;
    expect(pathsOf(schema, rest)).toEqual(cannotMiss[name]?.includes(field) ? [field] : []);
  });

  it.each([
    ['customer', onye(), { uid: fixtures.customer.uid }],
    ['payment request', ugwo(), { uid: fixtures.ugwoWithCheckout.uid }],
    ['checkout', checkoutSnapshot(), { uid: fixtures.checkoutSnapshot.uid }],
    ['activity', activity(), { uid: fixtures.ussdActivity.uid, status: 'processing' }],
  ] as const)('are accepted in a minimal %s', (_name, schema, least) => {
    expect(schema.parse(least)).toEqual(least);
  });
});

describe('enums', () => {
  const enums = [
    ['the status of a customer', onye(), fixtures.customer, 'status'],
    ['the status of a payment request', ugwo(), fixtures.ugwoWithCheckout, 'status'],
    ['the currency of a payment request', ugwo(), fixtures.ugwoWithCheckout, 'currency'],
    ['the currency of a checkout', checkoutSnapshot(), fixtures.checkoutSnapshot, 'currency'],
    ['the type of an activity', activity(), fixtures.laterActivity, 'activity_type'],
    ['the status of an activity', activity(), fixtures.laterActivity, 'status'],
  ] as const;

  it.each(enums)('%s accepts unknown values, alone or in a pair with a label', (_name, schema, example, field) => {
    for (const value of ['never_seen', ['never_seen', 'Never seen'], ['never_seen', '']]) {
      expect(schema.parse({ ...example, [field]: value })).toEqual({ ...example, [field]: value });
    }
  });

  it.each(enums)('%s accepts only a text or a pair of texts', (_name, schema, example, field) => {
    for (const value of ['', [], ['a'], ['', 'A'], ['a', 1], ['a', 'A', 'x'], 1, true, {}]) {
      const [path, ...others] = pathsOf(schema, { ...example, [field]: value });
      expect(path?.split('.')[0]).toBe(field);
      expect(others).toEqual([]);
    }
  });

  it('a checkout may offer unknown mediums, in either form', () => {
    const mediums = [{ medium: 'pay_with_bank' }, { medium: ['ussd', 'USSD'], position: 2, is_default: true }];
    const snapshot = { ...fixtures.checkoutSnapshot, mediums };
    expect(checkoutSnapshot().parse(snapshot)).toEqual(snapshot);
    expect(pathsOf(checkoutSnapshot(), { ...snapshot, mediums: [{ position: 1 }] })).toEqual(['mediums.0.medium']);
    expect(pathsOf(checkoutSnapshot(), { ...snapshot, mediums: ['ussd'] })).toEqual(['mediums.0']);
  });
});

describe('documented fields of another type', () => {
  const { ugwoWithCheckout: request, laterActivity: charge, customer } = fixtures;
  it.each([
    [onye(), customer, 'uid', 'ugw.Kw9a.8Zp3'],
    [onye(), customer, 'uid', 5],
    [onye(), customer, 'email', ['ada@example.com']],
    [onye(), customer, 'first_name', {}],
    [onye(), customer, 'last_name', true],
    [onye(), customer, 'ref', []],
    [onye(), customer, 'billing_address', 'Lagos'],
    [onye(), customer, 'meta', 'tier=vip'],
    [onye(), customer, 'created_at', '2026-11-03'],
    [onye(), customer, 'created_at', 1_795_179_900],
    [ugwo(), request, 'uid', 'ony.Kw9a.8Zp3'],
    [ugwo(), request, 'amount', '5,000'],
    [ugwo(), request, 'total_amount_paid', true],
    [ugwo(), request, 'meta', 'x'],
    [ugwo(), request, 'onye_nzube', 7],
    [ugwo(), request, 'latest_ugwo_activity', 'act.Kw9a.1'],
    [ugwo(), request, 'lastest_ugwo_activity', 7],
    [ugwo(), request, 'ref', {}],
    [ugwo(), request, 'description', true],
    [ugwo(), request, 'metadata', 'x'],
    [ugwo(), request, 'onye', 7],
    [ugwo(), request, 'checkout', 'chk.Kw9a.1'],
    [ugwo(), request, 'created_at', 'yesterday'],
    [activity(), charge, 'uid', 'ugw.Kw9a.8Zp3'],
    [activity(), charge, 'checkout', 'chk.Kw9a.8Zp3'],
    [activity(), charge, 'ugwo_medium', 'wallet'],
    [activity(), charge, 'psp', 7],
    [activity(), charge, 'psp_external_id', {}],
    [activity(), charge, 'ugwo_uid', 'act.Kw9a.1'],
    [activity(), charge, 'amount', {}],
    [activity(), charge, 'charged_amount', 'x'],
    [activity(), charge, 'is_double_charge', 'yes'],
    [activity(), charge, 'next_action', 'dial'],
    [activity(), charge, 'next_action', ['dial']],
    [activity(), charge, 'error', 5],
    [activity(), charge, 'created_at', '2026-11-20'],
    [activity(), charge, 'updated_at', 'now'],
    [checkoutSnapshot(), fixtures.checkoutSnapshot, 'uid', 'act.Kw9a.8Zp3'],
    [checkoutSnapshot(), fixtures.checkoutSnapshot, 'mediums', {}],
  ] as const)('%#: the fault names the field: %o %o %s', (schema, example, field, value) => {
    expect(pathsOf(schema, { ...example, [field]: value })).toEqual([field]);
  });

  it.each([[[]], [null], ['x'], [7]])('the answer %j is rejected', (answer) => {
    for (const schema of [onye(), ugwo(), activity(), checkoutSnapshot(), pageShape(ugwo())]) {
      expect(pathsOf(schema, answer)).toEqual(['']);
    }
  });

  it.each([
    ['a text', 'insufficient funds'],
    ['a list', [{ code: 'x' }]],
    ['an object', { anything: 1 }],
    ['null', null],
  ])('the error of a failed activity, whose shape is undocumented, may be %s', (_what, error) => {
    expect(pathsOf(activity(), { ...fixtures.failedActivity, error })).toEqual([]);
  });

  it('a payment request may name its customer by identifier', () => {
    expect(pathsOf(ugwo(), { ...fixtures.ugwoWithCheckout, onye: fixtures.customer.uid })).toEqual([]);
  });

  it('a fault inside the checkout of an activity or a payment request is found', () => {
    const checkout = { ...fixtures.checkoutSnapshot, uid: 'chk' };
    expect(pathsOf(activity(), { ...fixtures.laterActivity, checkout })).toEqual(['checkout.uid']);
    expect(pathsOf(ugwo(), { ...fixtures.ugwoWithCheckout, checkout })).toEqual(['checkout.uid']);
  });
});
