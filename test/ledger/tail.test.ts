import { expect, it } from 'vitest';
import type { Payment } from '../../src/charge/payment.ts';
import { DAY_MS } from '../../src/core/time.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openTail } from '../../src/ledger/tail.ts';
import { ugwoOf } from '../support/ids.ts';
import { account } from './support/charges.ts';
import { charge, memoryLedger, SENT } from './support/memory.ts';

const charges = (status: string) =>
  [1, 2, 3].map((seq) =>
    charge({
      id: `chg-${String(seq).padStart(12, '0')}`,
      seq,
      state: 'accepted',
      activity: { uid: `act.AbCd.${seq}`, status, nextAction: undefined, createdAt: undefined },
    }),
  );

/** A tail of a ledger that holds other charges before each read. */
const tailing = (unsettledOnly = false) => {
  let now = memoryLedger();
  const ledger = { list: (filter) => now.list(filter), get: (id) => now.get(id) } as Ledger;
  const tail = openTail(ledger, { filters: [{}], unsettledOnly }, () => SENT);
  const read = async (all: readonly Charge[]) => {
    now = memoryLedger(all);
    return (await tail.changes()).map(({ charge: { seq }, now: stands }) => [seq, stands]);
  };
  return { tail, read };
};

/** An accepted charge with this payment. */
const paying = (payment: Payment, more: Partial<Charge> = {}): Charge => {
  const one = charge({ state: 'accepted', activity: account({ uid: `act.AbCd.${more.seq}` }), ...more });
  return { ...one, money: { payment, received: 0, receivedAssumed: false, refunded: 0, readAt: SENT } };
};

it('changes that one read finds are reported oldest first', async () => {
  const { read } = tailing();
  expect(await read(charges('requires_action'))).toEqual([1, 2, 3].map((seq) => [seq, 'open']));
  expect(await read(charges('successful'))).toEqual([1, 2, 3].map((seq) => [seq, 'paid']));
});

it('an open charge is reported that appears before others which were read already', async () => {
  const { read } = tailing();
  const all = charges('requires_action');
  await read(all.filter(({ seq }) => seq !== 2));
  expect(await read(all)).toEqual([[2, 'open']]);
});

it('a charge whose terms are learned with its payment leaves the sum of the open ones', async () => {
  const { tail, read } = tailing();
  const [open] = charges('requires_action');
  const [paid] = charges('successful');
  await read(open === undefined ? [] : [open]);
  const asked = { amount: 5, currency: 'NGN' };
  await read(paid === undefined ? [] : [{ ...paid, asked }]);
  expect(tail.sums()).toMatchObject([{ payment: 'paid', count: 1, amount: 5n }]);
});

it.each<[string, Partial<Charge>, string]>([
  ['was not made', { state: 'not_created', activity: undefined }, 'not_created'],
  ['made another activity', { activity: account({ uid: 'act.AbCd.2', status: 'failed' }) }, 'failed'],
])('an open charge is reported of which a person says that it %s', async (_what, said, stands) => {
  const { read } = tailing();
  const made = { state: 'accepted', activity: account() } as const;
  await read([charge(made)]);
  expect(await read([charge({ ...made, ...said })])).toEqual([[1, stands]]);
});

it('of charges that brought nothing the last of each payment request counts, however many failed before', async () => {
  const { tail, read } = tailing();
  const tried = (payment: Payment, attempt: number): Charge[] =>
    Array.from({ length: 201 }, (_, at) => {
      const seq = 201 * attempt + at + 1;
      return paying(payment, { id: `chg-${seq}`, seq, about: ugwoOf(at + 1) });
    });
  const counted = async (...attempts: readonly Payment[]) => {
    await read(attempts.flatMap(tried));
    return tail.sums().map(({ payment, count }) => [payment, count]);
  };
  expect(await counted('failed', 'expired')).toEqual([['expired', 201]]);
  expect(await counted('failed', 'expired', 'open')).toEqual([['open', 201]]);
  for (const _read of ['this', 'next']) expect(await counted('failed', 'expired', 'paid')).toEqual([['paid', 201]]);
});

it('of two charges of a payment request both count if the first is open, or was paid late', async () => {
  const { tail, read } = tailing();
  const counted = async (...payments: readonly Payment[]) => {
    await read(payments.map((payment, at) => paying(payment, { id: `chg-${at}`, seq: at + 1 })));
    return tail.sums().map(({ payment, count }) => [payment, count]);
  };
  expect(await counted('expired', 'open')).toEqual([['open', 1]]);
  expect(await counted('open', 'paid')).toEqual([
    ['paid', 1],
    ['open', 1],
  ]);
  expect(await counted('paid', 'paid')).toEqual([['paid', 2]]);
});

it.each<[string, Charge, number]>([
  ['was not made, however many began since', charge({ state: 'not_created' }), 201],
  ['failed', paying('failed'), 0],
])('a charge counts once of which a person says that it %s, and then that it was made', async (_what, said, since) => {
  const { tail, read } = tailing();
  const others = Array.from({ length: since }, (_, at) => paying('paid', { id: `chg-${at}`, seq: at + 2 }));
  const reported = [];
  for (const one of [said, paying('open'), paying('paid')]) reported.push((await read([one, ...others]))[0]);
  expect(reported).toEqual([
    [1, said.state === 'accepted' ? 'failed' : said.state],
    [1, 'open'],
    [1, 'paid'],
  ]);
  expect(tail.sums()).toMatchObject([{ payment: 'paid', count: since + 1 }]);
  expect(tail.ended()).toHaveLength(since + 1);
});

const STANDING = [
  charge({ id: 'chg-1', seq: 1, state: 'unknown' }),
  charge({ id: 'chg-2', seq: 2, state: 'sending' }),
  paying('open', { id: 'chg-3', seq: 3 }),
  paying('expired', { id: 'chg-4', seq: 4 }),
  paying('paid', { id: 'chg-5', seq: 5 }),
];

it('of those that stand at first, a tail of unsettled ones reports only these, and each that comes later', async () => {
  const { tail, read } = tailing(true);
  const unsettled = [
    [1, 'unknown'],
    [2, 'sending'],
    [3, 'open'],
  ];
  expect(await read(STANDING)).toEqual(unsettled);
  expect(tail.open().map(({ seq }) => seq)).toEqual([3]);
  expect(await read(STANDING)).toEqual([]);
  expect(await read([...STANDING, paying('failed', { id: 'chg-6', seq: 6 })])).toEqual([[6, 'failed']]);
});

it('a tail of all that begins where all are settled reports none of them as new', async () => {
  const { read } = tailing(true);
  const paid = [paying('paid')];
  expect([await read(paid), await read(paid)]).toEqual([[], []]);
});

it.each<[string, Charge, Charge, unknown[]]>([
  ['is paid after it expired', paying('expired'), paying('paid'), ['paid']],
  ['was paid, and the money went back', paying('paid'), paying('reversed'), ['reversed']],
  ['was paid in part, and the rest came', paying('underpaid'), paying('paid'), ['paid']],
  ['is processed now', paying('open'), paying('open', { activity: account({ status: 'processing' }) }), ['open']],
  ['has another activity of the same status', paying('open'), paying('open', { activity: account() }), ['open']],
  ['was not sent after all', charge({ state: 'sending' }), charge({ state: 'not_sent' }), ['not_sent']],
  ['is as before', paying('open'), paying('open', { told: undefined }), []],
])('a charge is reported again or not: one that %s', async (_what, first, then, stands) => {
  const { read } = tailing();
  await read([first]);
  expect(await read([then])).toEqual(stands.map((now) => [1, now]));
});

it('a later tail reports what changed since the state it resumes, except of charges that ended over a week ago', async () => {
  const { tail, read } = tailing();
  const old = (days: number, seq: number) => ({ id: `chg-${seq}`, seq, createdAt: SENT - days * DAY_MS });
  const unmade = (days: number, seq: number): Charge => charge({ ...old(days, seq), state: 'not_created' });
  const ended = [paying('expired', old(7, 2)), paying('expired', old(9, 3)), unmade(7, 4), unmade(9, 5)];
  const [before, after] = [
    [paying('open', old(9, 1)), ...ended],
    [9, 7, 9, 7, 9].map((days, index) => paying('paid', old(days, index + 1))),
  ];
  await read(before);
  const resumed = openTail(memoryLedger(after), { filters: [{}], unsettledOnly: true }, () => SENT);
  await resumed.resume(tail.state());
  expect((await resumed.changes()).map(({ charge: { seq }, before, now }) => [seq, before, now])).toEqual([
    [1, 'open', 'paid'],
    [2, 'expired', 'paid'],
    [4, 'not_created', 'paid'],
  ]);
});

const at = (seq: number, more: Partial<Charge> = {}) => ({ id: `chg-${seq}`, seq, createdAt: SENT + seq, ...more });
const OLD = [1, 2].map((seq) => paying('paid', at(seq)));

it.each<[string, Charge[], Charge[], unknown[]]>([
  [
    'one that took the place of a lost one in a restored ledger',
    [...OLD, ...Array.from({ length: 300 }, (_, index) => paying('paid', at(index + 3)))],
    [
      ...OLD,
      paying('paid', at(3, { id: 'chg-new', createdAt: SENT + 1000 })),
      paying('open', at(4, { id: 'chg-next', createdAt: SENT + 1001 })),
      paying('open', at(5, { id: 'chg-late' })),
    ],
    ['chg-new', 'chg-next', 'chg-late'],
  ],
  ['one of a clock that was set back', OLD, [...OLD, paying('paid', at(3, { createdAt: 0 }))], ['chg-3']],
  ['the first one', [], [paying('paid', at(1))], ['chg-1']],
])('a later tail of unsettled charges reports once what began meanwhile: %s', async (_what, before, after, ids) => {
  const { tail, read } = tailing(true);
  await read(before);
  const resumed = openTail(memoryLedger(after), { filters: [{}], unsettledOnly: true }, () => SENT);
  await resumed.resume(tail.state());
  const reported = async () => (await resumed.changes()).map(({ charge: { id } }) => id);
  expect([await reported(), await reported()]).toEqual([ids, []]);
});

it('a tail of unsettled charges keeps the last two hundred that ended, the newest first', async () => {
  const { tail, read } = tailing(true);
  const some = (payment: Payment, ...seqs: readonly number[]) =>
    seqs.map((seq) => paying(payment, { id: `chg-${seq}`, seq }));
  const later = Array.from({ length: 200 }, (_, at) => at + 2);
  await read(some('open', 1, ...later));
  await read([...some('open', 1), ...some('paid', ...later)]);
  expect(await read(some('paid', 1, ...later))).toEqual([[1, 'paid']]);
  expect(await read([])).toEqual([]);
  const seqs = tail.ended().map(({ charge: { seq } }) => seq);
  expect([seqs.length, seqs[0], seqs.at(-1)]).toEqual([200, 1, 3]);
  expect(tail.sums()).toMatchObject([{ payment: 'paid', count: 201 }]);
});
