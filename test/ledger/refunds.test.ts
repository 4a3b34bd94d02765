import { describe, expect, it } from 'vitest';
import type { Ledger, Period } from '../../src/ledger/ledger.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, NOON, PLACE } from './support/charges.ts';

const ASKS = { ...PLACE, kind: 'refund', path: '/v1/refunds', digest: '00', bound: 60_000, about: uidOf(1) };

const beginRefund = (
  ledger: Ledger,
  amount: number | undefined,
  again = false,
  paid = 'successful',
  service: string = PLACE.service,
) =>
  ledger.begin(
    {
      ...{ ...ASKS, service },
      body: JSON.stringify({ amount }),
      asked: { amount: amount ?? 900, currency: 'NGN' },
      evidence: [{ kind: 'paid', at: '', status: paid }],
    },
    { again, once: true },
  );

/** A ledger with a paid charge of 900, whose clock moves by a second with each use. */
const opened = async (newPlace: () => Parameters<typeof open>[0]) => {
  let now = NOON;
  const ledger = await open(newPlace(), {
    now: () => {
      now += 1000;
      return now;
    },
  });
  const id = await beginCharge(ledger);
  await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid: uidOf(1) }) });
  const read = async (status: string): Promise<void> => {
    now += 60_000;
    const activities = [{ uid: uidOf(1), status, amount: 800, charged_amount: 900 }];
    await ledger.observe(snapshotOf({ amount: 900, total_amount_paid: 900, activities }, { askedAt: now }));
  };
  const refund = async (
    amount: number | undefined,
    uid: string,
    {
      status = 'processing',
      paid,
      service,
      ...shown
    }: { status?: string; paid?: string; service?: string; amount?: number } = {},
  ): Promise<string> => {
    const { id } = begunOf(await beginRefund(ledger, amount, true, paid, service));
    const evidence = { kind: 'answer', at: '', uid, status, ...shown };
    await ledger.record(id, { state: 'accepted', exitCode: status === 'failed' ? 11 : 0, evidence });
    return id;
  };
  const told = (uid: string, shown: 'paid_back' | 'refund_failed', service: string = PLACE.service) =>
    ledger.observeRefund(uidOf(1), uid, service, shown);
  const states = async (): Promise<unknown[]> =>
    (await ledger.list({ kind: 'refund', oldestFirst: true, limit: -1 })).map((one) => one.refund?.state);
  const sums = async (
    time: 'paid_back' | 'refund_open' | 'refund',
    period: Period = {},
  ): Promise<(bigint | undefined)[]> =>
    ledger.sum({ service: PLACE.service, time, period, by: [], unit: 0 }, () => {
      const all: (bigint | undefined)[] = [];
      return { take: (some) => void all.push(...some.map(({ amount }) => amount)), end: () => all };
    });
  await read('successful');
  return { ledger, id, read, refund, told, states, sums };
};

/** The ledger in memory sums no refunds. */
const DATABASES = BACKENDS.filter(([where]) => where !== 'in memory');

describe.each(DATABASES)('a refund of a ledger %s', (_where, newPlace) => {
  it('is summed apart while it is open, and as money out once it is paid back', async () => {
    const { read, refund, states, sums } = await opened(newPlace);
    await refund(100, 'rfd.2', { status: 'failed' });
    await refund(300, 'rfd.1');
    expect([await states(), await sums('paid_back'), await sums('refund_open'), await sums('refund')]).toEqual([
      ['refund_failed', 'refund_open'],
      [],
      [300n],
      [300n],
    ]);
    const before = { until: NOON };
    expect([await sums('refund_open', before), await sums('refund', before)]).toEqual([[], []]);
    await read('partially_refunded');
    expect([await states(), await sums('paid_back'), await sums('refund_open')]).toEqual([
      ['refund_failed', 'paid_back'],
      [300n],
      [],
    ]);
  });
});

describe.each(BACKENDS)('a refund of a ledger %s', (_where, newPlace) => {
  it('blocks another one, whatever the option, until its end is known', async () => {
    const { ledger, refund, told, read, states } = await opened(newPlace);
    const id = await refund(300, 'rfd.1');
    await read('successful');
    for (const again of [false, true])
      expect(await beginRefund(ledger, 300, again)).toMatchObject({ kind: 'refused', why: 'refund_open', by: { id } });
    await told('rfd.other', 'refund_failed');
    expect(await states()).toEqual(['refund_open']);
    await told('rfd.1', 'refund_failed');
    expect(await states()).toEqual(['refund_failed']);
    expect(await beginRefund(ledger, 300)).toMatchObject({ kind: 'begun' });
  });

  it('whose answer had no id does not end with the record of another one', async () => {
    const { refund, told, states } = await opened(newPlace);
    await refund(300, '');
    await told('rfd.1', 'refund_failed');
    expect(await states()).toEqual(['refund_open']);
  });

  it('ends by its own record and its own charge, not by those at another service', async () => {
    const { ledger, refund, told, states } = await opened(newPlace);
    const service = 'https://other.example';
    const other = await beginCharge(ledger, { service });
    const paid = account({
      uid: uidOf(1),
      status: 'successful',
      facts: { uid: uidOf(1), status: 'successful', charged: 200 },
    });
    await ledger.record(other, { state: 'accepted', exitCode: 0, activity: paid });
    await refund(300, 'rfd.1');
    await refund(300, 'rfd.1', { service });
    await told('rfd.1', 'paid_back', service);
    expect(await states()).toEqual(['refund_open', 'refund_disputed']);
    await told('rfd.1', 'paid_back');
    expect(await states()).toEqual(['paid_back', 'refund_disputed']);
  });

  it('pays back what the answer says, whatever was asked', async () => {
    const { ledger, id, refund, read } = await opened(newPlace);
    const less = await refund(300, 'rfd.1', { amount: 250 });
    await read('partially_refunded');
    expect(await ledger.get(less)).toMatchObject({ asked: { amount: 250 }, refund: { state: 'paid_back' } });
    expect((await ledger.get(id))?.money?.refunded).toBe(250);
  });

  it('is disputed if it is the last of several that failed, and money went back', async () => {
    const { refund, read, states } = await opened(newPlace);
    for (const uid of ['rfd.1', 'rfd.2']) await refund(300, uid, { status: 'failed' });
    await read('partially_refunded');
    expect(await states()).toEqual(['refund_failed', 'refund_disputed']);
  });

  it('keeps its currency if nobody knows its amount', async () => {
    const { ledger } = await opened(newPlace);
    const about = uidOf(2);
    const { id } = begunOf(await ledger.begin({ ...ASKS, about, asked: { currency: 'NGN' } }, { again: false }));
    expect((await ledger.get(id))?.asked).toMatchObject({ currency: 'NGN' });
  });

  it('is proven by the payment that is paid back in part, although an equal one was refused', async () => {
    const { ledger, refund, read, states } = await opened(newPlace);
    await ledger.record(begunOf(await beginRefund(ledger, 300)).id, { state: 'rejected', exitCode: 3 });
    await refund(300, 'rfd.1');
    await read('partially_refunded');
    expect(await states()).toEqual([undefined, 'paid_back']);
  });

  it('that a person found made, and then not, blocks no other one, and is not open', async () => {
    const { ledger, states } = await opened(newPlace);
    const { id } = begunOf(await beginRefund(ledger, 300));
    await ledger.record(id, { state: 'unknown', exitCode: 6 });
    const evidence = { kind: 'resolved', at: '' };
    for (const state of ['accepted', 'not_created'] as const) await ledger.resolve(id, { state, evidence });
    expect(await states()).toEqual([undefined]);
    expect(await beginRefund(ledger, 300)).toMatchObject({ kind: 'begun' });
  });

  it('that a person found made is named by the answer that comes late', async () => {
    const { ledger, told, states } = await opened(newPlace);
    const { id } = begunOf(await beginRefund(ledger, undefined));
    await ledger.record(id, { state: 'unknown', exitCode: 6 });
    await ledger.resolve(id, { state: 'accepted', evidence: { kind: 'resolved', at: '' } });
    const evidence = { kind: 'answer', at: '', uid: 'rfd.1', status: 'processing', amount: 600 };
    await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
    expect(await ledger.get(id)).toMatchObject({ asked: { amount: 600 }, refund: { uid: 'rfd.1' } });
    await told('rfd.1', 'paid_back');
    expect(await states()).toEqual(['paid_back']);
  });

  it('that a person found made stays paid back if a person says so once more', async () => {
    const { ledger, read, states } = await opened(newPlace);
    const { id } = begunOf(await beginRefund(ledger, 300));
    await ledger.record(id, { state: 'unknown', exitCode: 6 });
    const resolve = () => ledger.resolve(id, { state: 'accepted', evidence: { kind: 'resolved', at: '' } });
    await resolve();
    await read('partially_refunded');
    expect(await resolve()).toBe(true);
    expect(await states()).toEqual(['paid_back']);
  });

  it('that has failed by the word of a person stays so, also after an answer that comes late', async () => {
    const { ledger, read, states } = await opened(newPlace);
    const { id } = begunOf(await beginRefund(ledger, 300));
    await ledger.record(id, { state: 'unknown', exitCode: 6 });
    await ledger.resolve(id, { state: 'accepted', evidence: { kind: 'resolved', at: '' } });
    expect(await ledger.settleRefund(id, 'refund_failed', { kind: 'settled', at: '' })).toBe(true);
    await read('partially_refunded');
    expect(await states()).toEqual(['refund_failed']);
    const evidence = { kind: 'answer', at: '', uid: 'rfd.1', status: 'processing' };
    await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
    await read('successful');
    await read('partially_refunded');
    expect(await states()).toEqual(['refund_failed']);
  });

  it('that the answer shows as paid back went out when the answer came', async () => {
    const { ledger, refund } = await opened(newPlace);
    const {
      refund: made,
      createdAt,
      recordedAt,
    } = (await ledger.get(await refund(300, 'rfd.1', { status: 'successful' }))) ?? {};
    expect(made).toEqual({ state: 'paid_back', uid: 'rfd.1', at: recordedAt });
    expect(recordedAt).not.toBe(createdAt);
  });

  it('that was paid back lets another one pass with --again', async () => {
    const { ledger, refund, told } = await opened(newPlace);
    const id = await refund(300, 'rfd.1');
    await told('rfd.1', 'paid_back');
    expect(await beginRefund(ledger, 300)).toMatchObject({ kind: 'refused', why: 'made', by: { id } });
    expect(await beginRefund(ledger, 300, true)).toMatchObject({ kind: 'begun' });
  });

  it('that is sent after another part went back is proven by its own record only', async () => {
    const { refund, told, read, states } = await opened(newPlace);
    await read('partially_refunded');
    await refund(300, 'rfd.1', { paid: 'partially_refunded' });
    await read('partially_refunded');
    expect(await states()).toEqual(['refund_open']);
    await told('rfd.1', 'paid_back');
    expect(await states()).toEqual(['paid_back']);
  });

  it('without an amount pays back what the answer says', async () => {
    const { ledger, refund, told, read, states } = await opened(newPlace);
    const first = await refund(300, 'rfd.1');
    await read('partially_refunded');
    const rest = await refund(undefined, 'rfd.2', { paid: 'partially_refunded', amount: 600 });
    await read('refunded');
    expect(await states()).toEqual(['paid_back', 'paid_back']);
    const asked = await Promise.all([first, rest].map(async (id) => (await ledger.get(id))?.asked));
    expect(asked).toMatchObject([
      { amount: 300, currency: 'NGN' },
      { amount: 600, currency: 'NGN' },
    ]);
    await told('rfd.2', 'paid_back');
    expect(await states()).toEqual(['paid_back', 'paid_back']);
  });

  it('without an amount is disputed if it is paid back beside another one', async () => {
    const { refund, told, read, states } = await opened(newPlace);
    await refund(300, 'rfd.1');
    await read('partially_refunded');
    await refund(undefined, 'rfd.2', { paid: 'partially_refunded' });
    await read('refunded');
    expect(await states()).toEqual(['paid_back', 'refund_open']);
    await told('rfd.2', 'paid_back');
    expect(await states()).toEqual(['paid_back', 'refund_disputed']);
  });

  it('is found by its state, and keeps it when it is pruned', async () => {
    const { ledger, refund, told } = await opened(newPlace);
    const failed = await refund(200, 'rfd.2');
    await told('rfd.2', 'refund_failed');
    const open = await refund(300, 'rfd.1');
    const found = async (state: 'refund_open' | 'refund_failed') =>
      (await ledger.list({ payments: [state], limit: -1 })).map(({ id }) => id);
    expect([await found('refund_open'), await found('refund_failed')]).toEqual([[open], [failed]]);
    const later = ledger.moment().at + 1000;
    expect(await ledger.prunable(later, {})).toMatchObject({ open: 1 });
    await ledger.prune(later);
    expect([await found('refund_open'), await found('refund_failed')]).toEqual([[open], [failed]]);
  });

  it('is disputed once it is shown as failed and as paid back', async () => {
    const { refund, told, read, states } = await opened(newPlace);
    await refund(300, 'rfd.1');
    await read('partially_refunded');
    await told('rfd.1', 'refund_failed');
    expect(await states()).toEqual(['refund_disputed']);
    await read('partially_refunded');
    expect(await states()).toEqual(['refund_disputed']);
  });

  it('takes off only what went back from the payment', async () => {
    const { ledger, id, refund, read, told } = await opened(newPlace);
    await read('partially_refunded');
    await refund(200, 'rfd.2', { paid: 'partially_refunded' });
    await read('partially_refunded');
    expect((await ledger.get(id))?.money?.refunded).toBeUndefined();
    await told('rfd.2', 'paid_back');
    await read('partially_refunded');
    expect((await ledger.get(id))?.money?.refunded).toBe(200);
  });
});
