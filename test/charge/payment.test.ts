import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActivityFacts,
  activityFacts,
  balanceOf,
  isStepUnreadable,
  type Payment,
  paymentOf,
  type ReadingVerdict,
  type RequestFacts,
  requestFacts,
  verdictOn,
} from '../../src/charge/payment.ts';

const A: ActivityFacts = { uid: 'act.a', status: 'successful' };
const B: ActivityFacts = { uid: 'act.b', status: 'successful' };
const request = (total: number | undefined, ...activities: ActivityFacts[]): RequestFacts => ({
  ...{ status: 'requires_ugwo', amount: 900, total, activities },
});

type Row = readonly [
  what: string,
  activity: ActivityFacts,
  context: Parameters<typeof paymentOf>[1],
  payment: Payment,
  received: number | undefined,
];

const failed = (more: Partial<ActivityFacts>): ActivityFacts => ({ uid: 'act.a', status: 'failed', ...more });
const open = (status: string): ActivityFacts => ({ uid: 'act.a', status });

/** The rule for each word. */
const RULES: Row[] = [
  ['all of it came', A, { request: request(900, A) }, 'paid', 900],
  ['too much came', A, { request: request(1000, A) }, 'overpaid', 1000],
  ['a part came', A, { request: request(400, A) }, 'underpaid', 400],
  ['the request decides for the only payment', { ...A, charged: 900 }, { request: request(400, A) }, 'underpaid', 400],
  ['0 is no amount', { ...A, charged: 0 }, { request: request(0, A) }, 'paid', 900],
  ['the activity alone shows a part', { ...A, charged: 400 }, { asked: 900 }, 'underpaid', 400],
  ['its amount stands in', { ...A, amount: 900 }, { asked: 900 }, 'paid', 900],
  ["its amount stands in before the request's", { ...A, amount: 400 }, { asked: 900 }, 'underpaid', 400],
  ['its amount of 0 does not stand in', { ...A, amount: 0 }, { asked: 900 }, 'paid', 900],
  ['it charged less than its amount', { ...A, charged: 400, amount: 900 }, { asked: 900 }, 'underpaid', 400],
  ['its amount is all that was asked', { ...A, charged: 400, amount: 900 }, {}, 'underpaid', 400],
  ['its amount is less than was asked', { ...A, charged: 400, amount: 400 }, { asked: 900 }, 'underpaid', 400],
  ['the read says what was asked', { ...A, charged: 900 }, { request: request(900, A), asked: 1000 }, 'paid', 900],
  [
    'the request decides beside a failed one',
    { ...A, charged: 900 },
    { request: request(400, A, { ...B, status: 'failed' }) },
    'underpaid',
    400,
  ],
  ['the only payment is another one', { ...A, charged: 300 }, { request: request(400, B) }, 'underpaid', 300],
  ['two show no amount', A, { request: request(1500, A, B) }, 'paid', 900],
  ['it brought more than the total', { ...A, charged: 900 }, { request: request(400, A, B) }, 'paid', 900],
  ['nothing shows an amount', A, { asked: 900 }, 'paid', 900],
  ['nothing shows what was asked', A, {}, 'paid', undefined],
  [
    'a list is missing, and the total says it',
    A,
    { request: { ...request(400), activities: undefined } },
    'underpaid',
    400,
  ],
  [
    'a list is missing, and the activity says 0',
    { ...A, charged: 0 },
    { request: { ...request(400), activities: undefined } },
    'underpaid',
    400,
  ],
  [
    'a list is missing, and the activity says its part',
    { ...A, charged: 300 },
    { request: { ...request(900), activities: undefined } },
    'paid',
    300,
  ],
  ['refunded', { ...A, status: 'refunded' }, { request: request(900) }, 'refunded', 900],
  ['part refunded', { ...A, status: 'partially_refunded' }, { asked: 900 }, 'partially_refunded', 900],
  ['not paid yet', open('requires_action'), {}, 'open', 0],
  ['a status of the future', open('reviewed'), {}, 'open', 0],
  ['an unreadable status', open(''), { earlier: 'paid' }, 'open', 0],
  ['the time is over', open('requires_action'), { isLapsed: true }, 'expired', 0],
  ['expired by its code', failed({ failureCode: 'psp.error.expired' }), {}, 'expired', 0],
  ['expired by its status', open('expired'), {}, 'expired', 0],
  ['its account had ended', failed({ updatedAt: 20, accountUntil: 20 }), {}, 'expired', 0],
  ['its account had ended, as known', failed({ updatedAt: 20 }), { accountUntil: 19 }, 'expired', 0],
  [
    'its account had not ended, unlike the known one',
    failed({ updatedAt: 20, accountUntil: 21 }),
    { accountUntil: 19 },
    'failed',
    0,
  ],
  ['its account had not ended', failed({ updatedAt: 20, accountUntil: 21 }), {}, 'failed', 0],
  ['declined', failed({ failureCode: 'psp.error.declined' }), {}, 'failed', 0],
  ['reversed by its code', failed({ failureCode: 'psp.error.reversed' }), {}, 'reversed', 0],
  ['reversed after it had charged', failed({ charged: 900 }), {}, 'reversed', 0],
  ['failed, and was paid', failed({}), { earlier: 'paid' }, 'reversed', 0],
  ['failed, and was paid in part', failed({}), { earlier: 'underpaid' }, 'reversed', 0],
  ['failed, and a part had gone back', failed({}), { earlier: 'partially_refunded' }, 'reversed', 0],
  ['failed, and was reversed', failed({ failureCode: 'psp.error.expired' }), { earlier: 'reversed' }, 'reversed', 0],
  ['under way, and was paid', open('processing'), { earlier: 'overpaid' }, 'open', 0],
  ['under way, and was reversed', open('processing'), { earlier: 'reversed' }, 'reversed', 0],
  ['asked for anew, and was reversed', open('requires_action'), { earlier: 'reversed' }, 'reversed', 0],
  ['a status of the future, and was reversed', open('reviewed'), { earlier: 'reversed' }, 'open', 0],
  ['failed, and was open', failed({}), { earlier: 'open' }, 'failed', 0],
  ['paid again after a reversal', A, { earlier: 'reversed', asked: 900 }, 'paid', 900],
];

describe('the payment of an activity', () => {
  it.each(RULES)('%s', (_what, activity, context, payment, received) => {
    expect(paymentOf(activity, context)).toMatchObject({ payment, received });
  });

  it('marks an amount that nothing shows', () => {
    expect(paymentOf(A, { asked: 900 }).receivedAssumed).toBe(true);
    expect(paymentOf({ ...A, amount: 900 }, { asked: 900 }).receivedAssumed).toBe(true);
    expect(paymentOf({ ...A, charged: 900 }, { asked: 900 }).receivedAssumed).toBe(false);
    expect(paymentOf(A, { request: request(900, A) }).receivedAssumed).toBe(false);
  });

  it('keeps what was received when a part goes back', () => {
    const read = paymentOf({ ...A, status: 'partially_refunded' }, { request: request(900, A), paidBack: 300 });
    expect(read).toMatchObject({ received: 900, refunded: 300 });
  });

  it('has all of its own money back, whatever was asked and is known of parts', () => {
    const read = paymentOf({ ...A, status: 'refunded', charged: 400 }, { asked: 900, paidBack: 300 });
    expect(read).toMatchObject({ received: 400, refunded: 400 });
  });
});

/** Payments of two activities of one request for 900, and the balance. */
const TWO: readonly (readonly [
  string,
  number,
  number,
  number,
  readonly Payment[],
  Partial<ReturnType<typeof balanceOf>>,
])[] = [
  ['400 and then 500', 400, 500, 900, ['paid', 'paid'], { missing: 0, excess: 0, isPaidTwice: false }],
  ['400 and then 400', 400, 400, 800, ['underpaid', 'underpaid'], { missing: 100, excess: 0, isPaidTwice: false }],
  [
    'two full payments',
    900,
    900,
    1800,
    ['paid', 'paid'],
    { missing: 0, excess: 900, isPaidTwice: true, surplus: [{ activity: 'act.b', amount: 900 }] },
  ],
  [
    'one too large, one too small to pay the excess back',
    1000,
    100,
    1100,
    ['overpaid', 'paid'],
    { excess: 200, isPaidTwice: true, surplus: [{ activity: 'act.a', amount: 200 }] },
  ],
  [
    'one too large, one full',
    1000,
    900,
    1900,
    ['overpaid', 'paid'],
    { excess: 1000, surplus: [{ activity: 'act.a', amount: 1000 }] },
  ],
  [
    'one too small, one full',
    400,
    900,
    1300,
    ['paid', 'paid'],
    { excess: 400, surplus: [{ activity: 'act.b', amount: 400 }] },
  ],
];

describe('two payments of one request', () => {
  it.each(TWO)('%s', (_what, first, second, total, payments, balance) => {
    const both = [
      { ...A, charged: first, createdAt: 1 },
      { ...B, charged: second, createdAt: 2 },
    ];
    const of = request(total, ...both);
    expect(both.map((one) => paymentOf(one, { request: of }).payment)).toEqual(payments);
    expect(balanceOf(of)).toMatchObject(balance);
  });

  it('and a third one pay back what each brought, the latest first', () => {
    const all = ['act.a', 'act.b', 'act.c'].map((uid, at) => ({ ...A, uid, charged: 900, createdAt: at }));
    const { excess, surplus } = balanceOf(request(2700, ...all));
    expect({ excess, surplus }).toEqual({
      excess: 1800,
      surplus: ['act.c', 'act.b'].map((activity) => ({ activity, amount: 900 })),
    });
    const [marked] = balanceOf(request(2700, { ...A, charged: 900, isDoubleCharge: true }, ...all.slice(1))).surplus;
    expect(marked?.activity).toBe('act.a');
  });

  it('are paid twice until refunds cover the excess', () => {
    const back: ActivityFacts = { ...B, status: 'refunded', charged: 900 };
    expect(balanceOf(request(1800, { ...A, charged: 900 }, back))).toMatchObject({ refunded: 900, isPaidTwice: false });
    const part: ActivityFacts = { ...back, status: 'partially_refunded' };
    const paidBack = new Map([['act.b', 500]]);
    const left = balanceOf(request(1800, { ...A, charged: 900 }, part), { paidBack });
    expect(left).toMatchObject({ excess: 400, isPaidTwice: true });
  });
});

describe('a request', () => {
  const back: ActivityFacts = { ...A, status: 'partially_refunded', charged: 900 };
  const unread = { ...request(900), activities: undefined };
  it.each<[string, RequestFacts, Parameters<typeof balanceOf>[1], Partial<ReturnType<typeof balanceOf>>]>([
    ['says itself what was asked', request(900, A), { asked: 1000 }, { asked: 900, missing: 0 }],
    ['does not say what was asked', { ...request(400, A), amount: undefined }, { asked: 900 }, { missing: 500 }],
    ['with a total of 0', request(0, { ...A, charged: 400 }), {}, { received: 400, missing: 500 }],
    ['without any amount', request(undefined, A), {}, { received: 900, missing: 0 }],
    ['refunded, without a list', { ...unread, status: 'refunded' }, {}, { received: 900, refunded: 900 }],
    ['of which a part went back', request(900, back), { paidBack: new Map([['act.a', 300]]) }, { missing: 0 }],
    [
      'whose latest payment has less left than came too much',
      request(1900, { ...A, charged: 1000, createdAt: 1 }, { ...back, uid: 'act.b', createdAt: 2 }),
      { paidBack: new Map([['act.b', 700]]) },
      { excess: 300, surplus: [{ activity: 'act.a', amount: 300 }] },
    ],
  ])('%s', (_what, of, known, balance) => expect(balanceOf(of, known)).toMatchObject(balance));
});

describe('a request that was overpaid once', () => {
  it('is not paid twice', () => {
    expect(balanceOf(request(1000, { ...B, status: 'failed' }, A))).toMatchObject({ excess: 100, isPaidTwice: false });
  });
  it('is paid twice if the service marks it, or at twice the amount', () => {
    expect(balanceOf(request(1000, { ...A, isDoubleCharge: true })).isPaidTwice).toBe(true);
    expect(balanceOf(request(1800, A)).isPaidTwice).toBe(true);
  });
});

describe('facts of an answer', () => {
  it('takes numbers, texts, pairs and missing fields', () => {
    const answer = {
      uid: 'act.a',
      status: ['failed', 'enum.failed'],
      amount: '90000',
      charged_amount: '400.00',
      is_double_charge: true,
      error: { code: 'psp.error.declined' },
      updated_at: '2026-11-25 10:00:00',
      created_at: '2026-11-25T10:00:00+01:00',
      next_action: { headers: { account_number: 12, expires_at: '2026-11-25T09:15:00.000000+00:00' } },
    };
    expect(activityFacts(answer)).toEqual({
      ...{ uid: 'act.a', status: 'failed', amount: 90_000, charged: 400, isDoubleCharge: true },
      ...{ failureCode: 'psp.error.declined', updatedAt: undefined },
      ...{ createdAt: Date.parse('2026-11-25T09:00:00Z'), accountUntil: Date.parse('2026-11-25T09:15:00Z') },
    });
    expect(activityFacts({ is_double_charge: 'false' }).isDoubleCharge).toBe(false);
    const headers = { ussd: '*737#', expires_at: '2026-11-25T09:15:00+00:00' };
    expect(activityFacts({ next_action: { headers } }).accountUntil).toBeUndefined();
    expect(requestFacts({ activities: [] })).toMatchObject({ amount: undefined, total: undefined, activities: [] });
  });
});

const PAID = { payment: 'paid', received: 900, receivedAssumed: false, refunded: 0 } as const;
const NOTHING = { received: 0, receivedAssumed: false, refunded: 0 } as const;
const PART = { ...PAID, payment: 'underpaid', received: 400 } as const;
const SHARE = { ...PAID, received: 400 } as const;
const BACK = { ...PAID, payment: 'refunded', refunded: 900 } as const;
const SOME_BACK = { ...PAID, payment: 'partially_refunded', refunded: 300 } as const;

type Reading = Parameters<typeof verdictOn>[0];

/** A later read of an activity, and what it does to the stored reading. */
const READINGS: readonly (readonly [string, Reading, Reading, Partial<ActivityFacts>, ReadingVerdict])[] = [
  ['all came', { ...NOTHING, payment: 'open' }, PAID, {}, 'replaces'],
  ['it failed', { ...NOTHING, payment: 'open' }, { ...NOTHING, payment: 'failed' }, { status: 'failed' }, 'replaces'],
  ['the same', PAID, PAID, {}, 'replaces'],
  ['a part came', { ...NOTHING, payment: 'open' }, PART, {}, 'replaces'],
  ['the same part', PART, PART, {}, 'replaces'],
  ['more, of another second', { ...PART, servedAt: 5 }, { ...PAID, servedAt: 6 }, {}, 'replaces'],
  ['more, dated earlier', { ...PART, updatedAt: 5 }, { ...PAID, updatedAt: 4 }, {}, 'older'],
  ['more, served earlier', { ...PART, servedAt: 5 }, { ...PAID, servedAt: 4 }, {}, 'older'],
  ['all went back', PAID, BACK, {}, 'replaces'],
  ['a part, undated', PAID, PART, {}, 'disputes'],
  ['a part, served later', { ...PAID, servedAt: 5 }, { ...PART, servedAt: 50 }, {}, 'disputes'],
  ['a part, undated, with its amount', PAID, PART, { charged: 400 }, 'disputes'],
  ['a part, of which only the answer is dated', { ...PAID, updatedAt: 5 }, { ...PART, servedAt: 50 }, {}, 'disputes'],
  ['a part, dated the same', { ...PAID, updatedAt: 5 }, { ...PART, updatedAt: 5 }, {}, 'disputes'],
  ['a part, dated later', { ...PAID, updatedAt: 5 }, { ...PART, updatedAt: 6 }, {}, 'replaces'],
  ['a part, dated earlier', { ...PAID, updatedAt: 5 }, { ...PART, updatedAt: 4 }, {}, 'older'],
  ['a part where an assumed amount was', { ...PAID, receivedAssumed: true }, PART, {}, 'replaces'],
  [
    'a part, undated, where its payment request let assume an amount',
    { ...PAID, receivedAssumed: true, requestStatus: 'ugwo_successful' },
    PART,
    {},
    'disputes',
  ],
  [
    'a part, dated later, where its payment request let assume an amount',
    { ...PAID, receivedAssumed: true, requestStatus: 'ugwo_successful', updatedAt: 5 },
    { ...PART, updatedAt: 6 },
    {},
    'replaces',
  ],
  ['no amount', { ...PAID, received: 1000 }, { ...PAID, receivedAssumed: true }, {}, 'replaces'],
  ['the refund is gone, undated', BACK, PAID, {}, 'disputes'],
  ['the refund of a part is gone, undated', SOME_BACK, PAID, {}, 'disputes'],
  ['only a part of the refund is left, undated', BACK, SOME_BACK, {}, 'disputes'],
  ['the refund is gone, dated later', { ...BACK, updatedAt: 5 }, { ...PAID, updatedAt: 6 }, {}, 'replaces'],
  ['the rest of the request is gone', SHARE, { ...SHARE, payment: 'underpaid' }, {}, 'disputes'],
  [
    'the rest of the request is gone, and another activity is dated later',
    { ...SHARE, requestUpdatedAt: 5 },
    { ...SHARE, payment: 'underpaid', requestUpdatedAt: 6 },
    {},
    'replaces',
  ],
  [
    'the rest of the request is gone, and only the activity is dated later',
    { ...SHARE, updatedAt: 5 },
    { ...SHARE, payment: 'underpaid', updatedAt: 6 },
    {},
    'disputes',
  ],
  [
    'less of itself, and another activity is dated later',
    { ...PAID, requestUpdatedAt: 5 },
    { ...PART, requestUpdatedAt: 6 },
    {},
    'disputes',
  ],
  ['under way', PAID, { ...NOTHING, payment: 'open' }, { status: 'processing' }, 'disputes'],
  [
    'under way, dated later',
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'open', updatedAt: 6 },
    { status: 'requires_action' },
    'disputes',
  ],
  [
    'a status of the future, dated later',
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'open', updatedAt: 6 },
    { status: 'reviewed' },
    'disputes',
  ],
  [
    'out of time, dated later',
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'expired', updatedAt: 6 },
    { status: 'requires_action' },
    'disputes',
  ],
  ['failed', PAID, { ...NOTHING, payment: 'reversed' }, { status: 'failed' }, 'disputes'],
  [
    'failed, and only now dated',
    PAID,
    { ...NOTHING, payment: 'reversed', updatedAt: 6 },
    { status: 'failed' },
    'disputes',
  ],
  [
    'failed, dated the same',
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'reversed', updatedAt: 5 },
    { status: 'failed' },
    'disputes',
  ],
  [
    'failed, dated later',
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'reversed', updatedAt: 6 },
    { status: 'failed' },
    'replaces',
  ],
  [
    'failed, after it had charged',
    PAID,
    { ...NOTHING, payment: 'reversed' },
    { status: 'failed', charged: 900 },
    'replaces',
  ],
  [
    "failed with a reversal's code, of the same second",
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'reversed', updatedAt: 5 },
    { status: 'failed', failureCode: 'psp.error.reversed' },
    'replaces',
  ],
  [
    "failed with a reversal's code, dated earlier",
    { ...PAID, updatedAt: 5 },
    { ...NOTHING, payment: 'reversed', updatedAt: 4 },
    { status: 'failed', failureCode: 'psp.error.reversed' },
    'older',
  ],
  ['paid after a reversal', { ...NOTHING, payment: 'reversed' }, PAID, {}, 'replaces'],
];

describe('a later reading', () => {
  it.each(READINGS)('%s', (_what, stored, read, facts, verdict) => {
    expect(verdictOn(stored, read, { ...A, ...facts }, true)).toBe(verdict);
  });

  it.each(READINGS)('%s, from a read that began earlier, never disputes', (_what, stored, read, facts, verdict) => {
    expect(verdictOn(stored, read, { ...A, ...facts }, false)).toBe(verdict === 'disputes' ? 'older' : verdict);
  });
});

const status = fc.constantFrom('successful', 'failed', 'requires_action', 'refunded');
const anActivity = fc.record({ status, charged: fc.integer({ min: 1, max: 2000 }) });

describe('any request', () => {
  it('receives what its activities bring, and never misses and exceeds at once', () => {
    fc.assert(
      fc.property(fc.array(anActivity, { maxLength: 4 }), fc.integer({ min: 1, max: 2000 }), (found, amount) => {
        const activities = found.map((one, at) => ({ ...one, uid: `act.${at}`, createdAt: at }));
        const of = { status: 'requires_ugwo', amount, activities };
        const { received, missing = 0, excess = 0 } = balanceOf(of);
        const sum = activities.reduce((all, one) => all + (paymentOf(one, { request: of }).received ?? 0), 0);
        expect(received).toBe(sum);
        expect(Math.min(missing, excess)).toBe(0);
        for (const { activity, amount } of balanceOf(of).surplus)
          expect(amount).toBeLessThanOrEqual(activities.find(({ uid }) => uid === activity)?.charged ?? 0);
      }),
    );
  });
});

describe('isStepUnreadable', () => {
  const open = (next_action: unknown, status: unknown = 'requires_action'): unknown => ({ status, next_action });

  it.each([
    ['half an account without its number', { type: 'user_action', headers: { bank_name: 'Wema Bank' } }],
    ['only a type', { type: 'redirect' }],
    ['unknown headers', { headers: { url: 'https://pay.example' } }],
    ['an unusable instruction', { type: 'user_action', instruction: {} }],
    ['a list of objects', [{ type: 'user_action' }]],
  ])('is true for %s', (_what, action) => {
    expect(isStepUnreadable(open(action))).toBe(true);
    expect(isStepUnreadable(open(action, null))).toBe(true);
  });

  it.each([
    ['an instruction', { type: 'user_action', instruction: 'Pay' }],
    ['an account number', { type: 'user_action', headers: { account_number: 7364512890 } }],
    ['a dial string', { headers: { ussd: '*737#' } }],
    ['no action', null],
    ['an empty action', {}],
    ['an empty list', []],
  ])('is false for %s', (_what, action) => {
    expect(isStepUnreadable(open(action))).toBe(false);
  });

  it.each(['successful', 'failed', 'refunded'])('is false for an activity that is %s', (status) => {
    expect(isStepUnreadable(open({ type: 'redirect' }, status))).toBe(false);
  });
});
