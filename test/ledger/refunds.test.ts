import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, NOON, PLACE } from './support/charges.ts';

const ASKS = { ...PLACE, kind: 'refund', path: '/v1/refunds', digest: '00', bound: 60_000, about: uidOf(1) };

const beginRefund = (ledger: Ledger, amount: number | undefined, again = false, paid = 'successful') =>
  ledger.begin(
    {
      ...ASKS,
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
    const activities = [{ uid: uidOf(1), status, charged_amount: 900 }];
    await ledger.observe(snapshotOf({ amount: 900, total_amount_paid: 900, activities }, { askedAt: now }));
  };
  const refund = async (
    amount: number | undefined,
    uid: string,
    { status = 'processing', paid, ...shown }: { status?: string; paid?: string; amount?: number } = {},
  ): Promise<string> => {
    const { id } = begunOf(await beginRefund(ledger, amount, true, paid));
    const evidence = { kind: 'answer', at: '', uid, status, ...shown };
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
    await refund(100, 'rfd.2', { status: 'failed' });
    await refund(300, 'rfd.1');
    expect([await states(), await sums('paid_back'), await sums('refund_open')]).toEqual([
      ['refund_failed', 'refund_open'],
      [],
      [300n],
    ]);
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
