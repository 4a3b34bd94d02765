import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, NOON, PLACE } from './support/charges.ts';

const ASKS = { ...PLACE, kind: 'refund', path: '/v1/refunds', digest: '00', bound: 60_000, about: uidOf(1) };

const beginRefund = (ledger: Ledger, amount: number, again = false) =>
  ledger.begin(
    { ...ASKS, body: JSON.stringify({ amount }), asked: { amount, currency: 'NGN' } },
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
    const activities = [{ uid: uidOf(1), status, charged_amount: 900 }];
    await ledger.observe(snapshotOf({ amount: 900, total_amount_paid: 900, activities }, { askedAt: now }));
  };
  const refund = async (amount: number, uid: string, status = 'processing'): Promise<string> => {
    const { id } = begunOf(await beginRefund(ledger, amount, true));
    const evidence = { kind: 'answer', at: '', uid, status };
    await ledger.record(id, { state: 'accepted', exitCode: status === 'failed' ? 11 : 0, evidence });
    return id;
  };
  const told = (uid: string, shown: 'paid_back' | 'refund_failed') =>
    ledger.observeRefund(uidOf(1), uid, PLACE.service, shown);
  const states = async (): Promise<unknown[]> =>
    (await ledger.list({ kind: 'refund', oldestFirst: true, limit: -1 })).map((one) => one.refund?.state);
  const sums = async (time: 'paid_back' | 'refund_open'): Promise<(bigint | undefined)[]> =>
    ledger.sum({ service: PLACE.service, time, period: {}, by: [], unit: 0 }, () => {
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
    await refund(300, 'rfd.1');
    await refund(100, 'rfd.2', 'failed');
    expect([await states(), await sums('paid_back'), await sums('refund_open')]).toEqual([
      ['refund_open', 'refund_failed'],
      [],
      [300n],
    ]);
    await read('partially_refunded');
    expect([await states(), await sums('paid_back'), await sums('refund_open')]).toEqual([
      ['paid_back', 'refund_failed'],
      [300n],
      [],
    ]);
  });
});

describe.each(BACKENDS)('a refund of a ledger %s', (_where, newPlace) => {
  it('blocks another one until its failure is proven', async () => {
    const { ledger, refund, told, read, states } = await opened(newPlace);
    const id = await refund(300, 'rfd.1');
    await read('successful');
    expect(await beginRefund(ledger, 300)).toMatchObject({ kind: 'refused', why: 'made', by: { id } });
    await told('rfd.other', 'refund_failed');
    expect(await states()).toEqual(['refund_open']);
    await told('rfd.1', 'refund_failed');
    expect(await states()).toEqual(['refund_failed']);
    expect(await beginRefund(ledger, 300)).toMatchObject({ kind: 'begun' });
  });

  it('is found by its state, and keeps it when it is pruned', async () => {
    const { ledger, refund, told } = await opened(newPlace);
    const [first, second] = [await refund(300, 'rfd.1'), await refund(200, 'rfd.2')];
    await told('rfd.2', 'refund_failed');
    const found = async (state: 'refund_open' | 'refund_failed') =>
      (await ledger.list({ payments: [state], limit: -1 })).map(({ id }) => id);
    expect([await found('refund_open'), await found('refund_failed')]).toEqual([[first], [second]]);
    const later = ledger.moment().at + 1000;
    expect(await ledger.prunable(later, {})).toMatchObject({ open: 1 });
    await ledger.prune(later);
    expect([await found('refund_open'), await found('refund_failed')]).toEqual([[first], [second]]);
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
    await refund(300, 'rfd.1');
    await refund(200, 'rfd.2');
    await read('partially_refunded');
    expect((await ledger.get(id))?.money?.refunded).toBeUndefined();
    await told('rfd.2', 'paid_back');
    await read('partially_refunded');
    expect((await ledger.get(id))?.money?.refunded).toBe(200);
  });
});
