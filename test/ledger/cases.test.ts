import { describe, expect, it } from 'vitest';
import type { PaymentRead } from '../../src/charge/payment.ts';
import type { RefundState } from '../../src/charge/refund.ts';
import { findCases } from '../../src/commands/ledger/cases.ts';
import { statusCommand } from '../../src/commands/ledger/status-spec.ts';
import type { Run } from '../../src/commands/run.ts';
import { formatLocal } from '../../src/core/time.ts';
import { CASES, type Case, judgeCases, requestSeen } from '../../src/ledger/cases.ts';
import type { Charge, Entry, KeptActivity, Money, RequestTerms } from '../../src/ledger/entry.ts';
import type { Job } from '../../src/ledger/job.ts';
import { noteUnshared, type Shared } from '../../src/ledger/share.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { globals } from '../commands/profile-call.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { newFolder } from '../support/program.ts';
import { HOUR } from '../support/units.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, charge, intent, MINUTE, momentAt, NOON, PLACE } from './support/charges.ts';

const NOW = momentAt(NOON);
const ASKED: RequestTerms = { amount: 90_000, currency: 'NGN', ref: 'INV-1' };

/** A charge of NGN 900.00 by its payment. `uid`: its activity. */
const read = (payment: PaymentRead['payment'], received: number, more: Partial<Money> = {}, uid = 1): Charge => {
  const money = { payment, received, receivedAssumed: false, refunded: 0, paidAt: NOON - MINUTE, ...more };
  const activity = account({ uid: uidOf(uid), status: 'successful' });
  return charge({ about: ugwoOf(1), seq: uid, asked: ASKED, activity, money });
};
const openFor = (time: number): Charge => charge({ about: ugwoOf(1), asked: ASKED, activity: account({}, time) });
const codeSentAt = (createdAt: number): Charge =>
  charge({
    about: ugwoOf(1),
    asked: ASKED,
    createdAt,
    begun: momentAt(createdAt).mark,
    activity: account({ nextAction: { type: 'ussd' } }),
  });

/** A refund of the first activity. */
const refund = (amount: number | undefined, state: 'refund_open' | 'refund_failed' | 'refund_disputed'): Entry => ({
  ...charge({ about: uidOf(1), money: undefined, activity: undefined, asked: { amount, currency: 'NGN' } }),
  kind: 'refund',
  id: 'rfd-1',
  refund: { state, uid: undefined, at: NOON - MINUTE },
});

const ofRequest = (all: readonly [Entry, ...Entry[]], refunds: readonly Entry[] = []): Case[] =>
  judgeCases('request', requestSeen(all[0], all, refunds), NOW);

const ofRefund = (one: Entry, later: readonly Entry[] = []): Case[] =>
  judgeCases('refund', { refund: one, charge: read('paid', 90_000), later }, NOW);

const job: Job = {
  id: 'job-1',
  kind: 'charge',
  command: 'ugwo charge',
  name: 'june.csv',
  service: PLACE.service,
  origin: PLACE.origin,
  profile: 'shop',
  rows: 2,
  createdAt: NOON,
  runAt: NOON,
};
const ofApproval = (id: string, askedBy: string, askedAt: number, currencies = ['NGN']): Case[] => {
  const total = { rows: 2, amounts: new Map(currencies.map((name) => [name, 6_150_000n])), unknown: 0 };
  return judgeCases('approval', { approval: { job: id, total, askedBy, askedAt }, job, operator: 'ada' }, NOW);
};

const ofQueue = (attempts: number, age: number, count = 3): Case[] =>
  judgeCases('queue', { count, first: { attempts, receivedAt: NOON - age } }, NOW);

const ofMessage = (charge: Charge, why: string | undefined, shared: Shared['shared'] = 'no'): Case[] =>
  judgeCases('message', { charge, shared, ...(why && { why }) }, NOW);
const ofAccount = (charge: Charge): Case[] => judgeCases('account', { charge, shared: 'no' }, NOW);

const AGO = NOON - 3 * MINUTE;
const lessMoney = { disputed: { payment: 'failed', received: 0, at: NOON } } as const;
const paidTwice = (excess: number, surplus = excess): Partial<Money> => ({
  isPaidTwice: true,
  excess,
  surplus: [{ activity: uidOf(1), amount: surplus }],
});
const TWICE = [read('paid', 90_000, paidTwice(90_000), 2), read('paid', 90_000, {}, 1)] as const;
const BACK = `refund create ${uidOf(1)} --ugwo ${ugwoOf(1)}`;
const SHARE = '--medium bank_transfer --reuse --share';
const AGAIN = 'ugwo charge INV-1';

/** Facts, and the case that they are: its kind, what it says, its amount, and the command; `shown` if it needs nobody. */
type Row = readonly [
  what: string,
  cases: readonly Case[],
  kind?: Case['kind'],
  text?: string,
  amount?: number | undefined,
  command?: string | undefined,
  shown?: 'shown',
];

const ROWS: readonly Row[] = [
  ['paid', ofRequest([read('paid', 90_000)])],
  [
    'a later answer shows less',
    ofRequest([read('paid', 90_000, lessMoney)]),
    'disputed',
    'was paid, then shown as failed',
    90_000,
    'ledger sync chg-000000000000',
  ],
  [
    'a person has settled it',
    ofRequest([read('paid', 90_000, { disputed: { ...lessMoney.disputed, settled: true } })]),
  ],
  [
    'disputed and paid twice',
    ofRequest([read('paid', 90_000, { ...lessMoney, ...paidTwice(90_000) })]),
    'disputed',
    'was paid, then shown as failed',
    90_000,
    'ledger sync chg-000000000000',
  ],
  ['paid twice', ofRequest(TWICE), 'paid_twice', 'NGN 900.00 excess', 90_000, `${BACK} --amount 900.00`],
  [
    'a part of the excess goes back',
    ofRequest(TWICE, [refund(40_000, 'refund_open')]),
    'paid_twice',
    'NGN 500.00 excess',
    50_000,
    `${BACK} --amount 500.00`,
  ],
  [
    'a refund that failed',
    ofRequest(TWICE, [refund(90_000, 'refund_failed')]),
    'paid_twice',
    'NGN 900.00 excess',
    90_000,
    `${BACK} --amount 900.00`,
  ],
  [
    'two parts of the excess go back',
    ofRequest(TWICE, [refund(40_000, 'refund_open'), refund(20_000, 'refund_open')]),
    'paid_twice',
    'NGN 300.00 excess',
    30_000,
    `${BACK} --amount 300.00`,
  ],
  [
    'a part of what the payment brought goes back',
    ofRequest([read('paid', 90_000, paidTwice(120_000, 90_000))], [refund(40_000, 'refund_open')]),
    'paid_twice',
    'NGN 500.00 excess',
    50_000,
    `${BACK} --amount 500.00`,
  ],
  [
    'paid twice, after an earlier charge was, too',
    ofRequest([read('paid', 90_000, paidTwice(90_000), 2), read('paid', 90_000, paidTwice(180_000), 1)]),
    'paid_twice',
    'NGN 900.00 excess',
    90_000,
    `${BACK} --amount 900.00`,
  ],
  ['all of the excess goes back', ofRequest(TWICE, [refund(90_000, 'refund_open')])],
  ['a refund of the whole payment', ofRequest(TWICE, [refund(undefined, 'refund_open')])],
  [
    'an answer shows the refund',
    ofRequest(
      [read('paid', 90_000, paidTwice(50_000), 2), read('paid', 90_000, { refunded: 40_000 })],
      [refund(40_000, 'refund_open')],
    ),
    'paid_twice',
    'NGN 500.00 excess',
    50_000,
    `${BACK} --amount 500.00`,
  ],
  [
    'an excess below the smallest refund',
    ofRequest([read('paid', 90_000, paidTwice(10_000))]),
    'paid_twice',
    "NGN 100.00 excess, can't be refunded",
    10_000,
    undefined,
    'shown',
  ],
  [
    'overpaid',
    ofRequest([read('overpaid', 120_000)]),
    'overpaid',
    'NGN 300.00 too much',
    30_000,
    `${BACK} --amount 300.00`,
  ],
  ['overpaid, and paid back', ofRequest([read('overpaid', 120_000, { refunded: 30_000 })])],
  [
    'overpaid, and a part of the excess was paid back',
    ofRequest([read('partially_refunded', 150_000, { refunded: 30_000 })]),
    'overpaid',
    'NGN 300.00 too much',
    30_000,
    `${BACK} --amount 300.00 --again`,
  ],
  [
    'overpaid by less than the smallest refund',
    ofRequest([read('overpaid', 100_000)]),
    'overpaid',
    "NGN 100.00 too much, can't be refunded",
    10_000,
    undefined,
    'shown',
  ],
  [
    'paid in part',
    ofRequest([read('underpaid', 40_000)]),
    'underpaid',
    'NGN 400.00 of 900.00',
    50_000,
    `${AGAIN} --remaining`,
  ],
  [
    "paid in part, and another client's activity brought a part, too",
    ofRequest([read('underpaid', 40_000, { missing: 20_000 })]),
    'underpaid',
    'NGN 700.00 of 900.00',
    20_000,
    `${AGAIN} --remaining`,
  ],
  [
    "taken back, and another client's activity brought a part",
    ofRequest([read('reversed', 0, { missing: 20_000 })]),
    'reversed',
    'NGN 900.00',
    90_000,
    `${AGAIN} --remaining`,
  ],
  ['paid in part, and the rest is open', ofRequest([read('underpaid', 40_000), openFor(MINUTE)])],
  [
    'paid in part, and the account of the rest has expired',
    ofRequest([read('underpaid', 40_000), openFor(-MINUTE)]),
    'underpaid',
    'NGN 400.00 of 900.00',
    50_000,
    `${AGAIN} --remaining`,
  ],
  [
    'paid in part, and the rest is unknown',
    ofRequest([read('underpaid', 40_000), charge({ state: 'unknown', activity: undefined })]),
  ],
  [
    'paid in part, and the rest is being sent',
    ofRequest([read('underpaid', 40_000), charge({ state: 'sending', activity: undefined })]),
  ],
  ['paid in part, and the rest is open without an end', ofRequest([read('underpaid', 40_000), codeSentAt(NOON)])],
  [
    'paid in part, and another charge shows it as cancelled',
    ofRequest([read('underpaid', 40_000), read('failed', 0, { requestStatus: 'cancelled' }, 2)]),
  ],
  ['paid in part, and cancelled', ofRequest([read('underpaid', 40_000, { requestStatus: 'cancelled' })])],
  ['paid in part, and nothing is missing', ofRequest([read('underpaid', 40_000, { missing: 0 })])],
  ['paid in parts', ofRequest([read('underpaid', 50_000, {}, 2), read('underpaid', 40_000)])],
  ['paid in part, and paid back', ofRequest([read('underpaid', 40_000)], [refund(40_000, 'refund_open')])],
  ['taken back', ofRequest([read('reversed', 0)]), 'reversed', 'NGN 900.00', 90_000, AGAIN],
  ['taken back, and paid again', ofRequest([read('reversed', 0), read('paid', 90_000, {}, 2)])],
  // Only its next command is asked for.
  ['a charge that has failed', ofRequest([read('failed', 0)]), 'reversed', 'NGN 900.00', 90_000, AGAIN],
  [
    'a refund that is disputed',
    ofRefund(refund(30_000, 'refund_disputed')),
    'refund_disputed',
    'NGN 300.00',
    30_000,
    'refund get rfd-1',
  ],
  [
    'a refund that has failed',
    ofRefund(refund(30_000, 'refund_failed')),
    'refund_failed',
    'NGN 300.00',
    30_000,
    `${BACK} --amount 300.00`,
  ],
  [
    "a refund of another client's activity that has failed",
    judgeCases('refund', { refund: refund(30_000, 'refund_failed'), charge: undefined, later: [] }, NOW),
    'refund_failed',
    'NGN 300.00',
    30_000,
    `refund create ${uidOf(1)} --amount 300.00`,
  ],
  [
    'a refund of everything that has failed',
    ofRefund(refund(undefined, 'refund_failed')),
    'refund_failed',
    '',
    undefined,
    BACK,
  ],
  ['a refund that was sent again', ofRefund(refund(30_000, 'refund_failed'), [refund(30_000, 'refund_open')])],
  [
    'a refund that is being sent again',
    ofRefund(refund(30_000, 'refund_failed'), [{ ...refund(30_000, 'refund_open'), state: 'sending' }]),
  ],
  [
    'an unknown charge',
    judgeCases('outcome', charge({ state: 'unknown' }), NOW),
    'unknown',
    `since ${formatLocal(NOON, NOON)}`,
    undefined,
    'ledger sync',
  ],
  [
    'an unknown refund',
    judgeCases('outcome', { ...refund(30_000, 'refund_open'), state: 'unknown' }, NOW),
    'unknown',
    `refund since ${formatLocal(NOON, NOON)}`,
    30_000,
    'ledger show rfd-1',
  ],
  ['a made refund', judgeCases('outcome', refund(30_000, 'refund_open'), NOW)],
  [
    'an approval of another person',
    ofApproval('job-1', 'bob', NOON),
    'approval',
    'NGN 61,500.00, by bob',
    6_150_000,
    'approve job-1',
  ],
  [
    'an approval of my own file',
    ofApproval('job-1', 'ada', NOON),
    'approval',
    'NGN 61,500.00, by ada',
    6_150_000,
    'approve job-1',
    'shown',
  ],
  [
    'an approval in two currencies',
    ofApproval('job-1', 'bob', NOON, ['NGN', 'USD']),
    'approval',
    'NGN 61,500.00 and USD 61,500.00, by bob',
    undefined,
    'approve job-1',
  ],
  [
    'a plan of my own agent',
    ofApproval('plan-1', 'ada', NOON - 10 * MINUTE),
    'approval',
    'NGN 61,500.00, by ada',
    6_150_000,
    'approve plan-1',
  ],
  ['a plan that has ended', ofApproval('plan-1', 'ada', NOON - 10 * MINUTE - 1)],
  [
    'webhooks that failed once',
    ofQueue(1, 0),
    'webhooks',
    `3 wait since ${formatLocal(NOON, NOON)}`,
    undefined,
    'webhook events list --state waiting',
  ],
  [
    'webhooks of a minute ago',
    ofQueue(0, MINUTE),
    'webhooks',
    `3 wait since ${formatLocal(NOON - MINUTE, NOON)}`,
    undefined,
    'webhook events list --state waiting',
  ],
  [
    'one webhook',
    ofQueue(1, 0, 1),
    'webhooks',
    `1 waits since ${formatLocal(NOON, NOON)}`,
    undefined,
    'webhook events list --state waiting',
  ],
  ['webhooks of now', ofQueue(0, MINUTE - 1)],
  ['no webhooks', judgeCases('queue', { count: 0, first: undefined }, NOW)],
  [
    'a message that was not shared',
    ofMessage(openFor(MINUTE), 'exit 1'),
    'not_shared',
    'exit 1',
    90_000,
    `${AGAIN} ${SHARE}-with PROGRAM`,
  ],
  [
    'a message that may be shared, which no program gets again',
    ofMessage(openFor(MINUTE), 'SIGKILL', 'unknown'),
    'not_shared',
    'may be shared: SIGKILL',
    90_000,
    `${AGAIN} ${SHARE}`,
  ],
  ['a shared message', ofMessage(openFor(MINUTE), undefined)],
  ['an account that has expired', ofMessage(openFor(-MINUTE), 'exit 1')],
  [
    'an account of five minutes',
    ofAccount(openFor(5 * MINUTE)),
    'expires_soon',
    'in 5 min',
    90_000,
    `${AGAIN} ${SHARE}`,
    'shown',
  ],
  ['an account of more', ofAccount(openFor(5 * MINUTE + 1))],
  ['an account that expired before', ofAccount(openFor(0))],
  [
    'a code without an end',
    ofMessage(codeSentAt(NOON - 29 * MINUTE), 'exit 1'),
    'not_shared',
    'exit 1',
    90_000,
    `${AGAIN} ${SHARE}-with PROGRAM`,
  ],
  ['a code of half an hour ago', ofMessage(codeSentAt(NOON - 30 * MINUTE), 'exit 1')],
];

describe('a case', () => {
  it.each(ROWS.map((row) => ({ what: row[0], row })))('of $what', ({ row }) => {
    const [, cases, kind, text, amount, command, shown] = row;
    const found = cases.map((one) => [one.kind, one.what, one.amount, one.words?.join(' '), one.isDue]);
    expect(found).toEqual(kind === undefined ? [] : [[kind, text, amount, command, shown !== 'shown']]);
  });

  it.each<[string, readonly Case[], since: number]>([
    ['the later answer', ofRequest([read('paid', 90_000, { disputed: { ...lessMoney.disputed, at: AGO } })]), AGO],
    ['the payment, if it is paid twice', ofRequest([read('paid', 90_000, { ...paidTwice(90_000), paidAt: AGO })]), AGO],
    ['the payment, if it is overpaid', ofRequest([read('overpaid', 120_000, { paidAt: AGO })]), AGO],
    ['the payment, if it is paid in part', ofRequest([read('underpaid', 40_000, { paidAt: AGO })]), AGO],
    [
      'the reversal',
      ofRequest([read('reversed', 0, { readAt: NOON, reversed: { payment: 'paid', received: 90_000, at: AGO } })]),
      AGO,
    ],
    ['its reading, if it never brought money', ofRequest([read('failed', 0, { readAt: AGO })]), AGO],
    ['the end of a refund', ofRefund(refund(30_000, 'refund_failed')), NOON - MINUTE],
  ])('waits since %s, and names the payment request', (_what, [one], since) => {
    expect([one?.since, one?.ugwo, one?.ref]).toEqual([since, ugwoOf(1), 'INV-1']);
  });

  it('are named in the help of status, the gravest first', () => {
    expect(statusCommand.output).toContain(`kind (${CASES.join(', ')})`);
  });

  it('has a row here for each kind', () => {
    expect(new Set(ROWS.flatMap(([, , kind]) => kind ?? []))).toEqual(new Set(CASES));
  });
});

describe.each(BACKENDS)('the cases of a ledger %s', (_where, newPlace) => {
  it('are those of its entries, whichever the database', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    const io = { env: { PAYCLI_HOME: newFolder() } };
    const run = { ledger: async () => ledger, globals, io } as unknown as Run;
    const find = (service: string, since: number) => findCases({ service }, since, false, run);
    const begin = async (number: number, uid: number, more: Partial<KeptActivity> = {}, expiresAfter?: number) => {
      const terms = { about: ugwoOf(number), asked: { ...ASKED, ref: `INV-${number}` } };
      const { id } = begunOf(await ledger.begin(intent(terms), { again: true }));
      await ledger.record(id, {
        state: 'accepted',
        exitCode: 0,
        activity: account({ uid: uidOf(uid), ...more }, expiresAfter),
      });
      return id;
    };
    const show = (received: number, activities: readonly object[]): Promise<unknown> => {
      now += MINUTE;
      return ledger.observe(
        snapshotOf({ amount: 90_000, currency: 'NGN', total_amount_paid: received, activities }, { askedAt: now }),
      );
    };
    const paid = (uid: number, charged: number) => ({ uid: uidOf(uid), status: 'successful', charged_amount: charged });
    const gone = (uid: number, more: object = {}) => ({ uid: uidOf(uid), status: 'failed', ...more });
    const payBack = async (uid: number, shown: readonly RefundState[]): Promise<void> => {
      const asks = { ...PLACE, kind: 'refund', path: '/v1/refunds', digest: '00', bound: MINUTE, about: uidOf(uid) };
      const { id } = begunOf(
        await ledger.begin(
          { ...asks, body: '{"amount":30000}', asked: { amount: 30_000, currency: 'NGN' } },
          { again: true },
        ),
      );
      const evidence = { kind: 'answer', at: '', uid: `rfd.${uid}`, status: 'processing' };
      await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
      for (const state of shown) await ledger.observeRefund(uidOf(uid), `rfd.${uid}`, PLACE.service, state);
    };
    for (const number of [1, 2, 3, 4, 5, 6, 7]) await begin(number, number);
    await begin(2, 20);
    await show(90_000, [paid(1, 90_000)]);
    await show(0, [gone(1)]);
    await show(180_000, [paid(2, 90_000), paid(20, 90_000)]);
    await show(120_000, [paid(3, 120_000)]);
    await show(40_000, [paid(4, 40_000)]);
    await show(90_000, [paid(5, 90_000)]);
    await show(0, [gone(5, { error: { code: 'reversed' } })]);
    for (const uid of [6, 7]) await show(90_000, [paid(uid, 90_000)]);
    await payBack(6, ['paid_back', 'refund_failed']);
    await payBack(7, ['refund_failed']);
    await ledger.record(await beginCharge(ledger, { about: ugwoOf(8) }), { state: 'unknown', exitCode: 8 });
    await noteUnshared(ledger, await begin(9, 9, {}, HOUR), { why: 'exit 1' });
    await begin(10, 10, {}, 4 * MINUTE);
    await begin(11, 11);
    await show(150_000, [paid(11, 150_000)]);
    await payBack(11, ['paid_back']);
    await show(150_000, [{ ...paid(11, 150_000), status: 'partially_refunded' }]);

    const found = await find(PLACE.service, 0);
    expect(found.map(({ kind, ugwo, amount, command }) => [kind, ugwo, amount, command?.split(' ')[1]])).toEqual([
      ['disputed', ugwoOf(1), 90_000, 'ledger'],
      ['paid_twice', ugwoOf(2), 90_000, 'refund'],
      ['overpaid', ugwoOf(11), 30_000, 'refund'],
      ['overpaid', ugwoOf(3), 30_000, 'refund'],
      ['underpaid', ugwoOf(4), 50_000, 'ugwo'],
      ['reversed', ugwoOf(5), 90_000, 'ugwo'],
      ['refund_disputed', ugwoOf(6), 30_000, 'refund'],
      ['refund_failed', ugwoOf(7), 30_000, 'refund'],
      ['unknown', ugwoOf(8), undefined, 'ledger'],

      ['not_shared', ugwoOf(9), 90_000, 'ugwo'],
      ['expires_soon', ugwoOf(10), 90_000, 'ugwo'],
    ]);
    expect((await find(PLACE.service, now + 1)).map(({ kind }) => kind)).toEqual([
      'disputed',
      'paid_twice',
      'refund_disputed',
      'unknown',
      'not_shared',
      'expires_soon',
    ]);
    expect(await find('https://other.example', 0)).toEqual([]);
  });
});
