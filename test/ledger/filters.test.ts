import { describe, expect, it } from 'vitest';
import { type Intent, type KeptActivity, keptAccount } from '../../src/ledger/entry.ts';
import type { Ledger, ListFilter } from '../../src/ledger/ledger.ts';
import { operator } from '../../src/ledger/sender.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { accepting, sendOnce } from '../support/outcome.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, intent, NOON, PLACE } from './support/charges.ts';

const accepted = async (ledger: Ledger, activity: KeptActivity = account(), more: Partial<Intent> = {}) => {
  const id = await beginCharge(ledger, more);
  await ledger.record(id, { state: 'accepted', exitCode: 0, activity });
  return id;
};

const found = async (ledger: Ledger, filter: Omit<ListFilter, 'limit'>) =>
  (await ledger.list({ ...filter, limit: -1 })).map(({ id }) => id);

describe.each(BACKENDS)('a ledger %s', (_where, newPlace) => {
  it('finds a charge by its whole account number, in any notation', async () => {
    const ledger = await open(newPlace());
    const id = await accepted(ledger);
    await accepted(ledger, account({ uid: uidOf(2), nextAction: null }), { about: ugwoOf(2) });
    const by = (number: string) => found(ledger, keptAccount(number, ledger.digest));
    expect(await by('0123 456-789')).toEqual([id]);
    expect(await by('6789')).toEqual([]);
    expect((await ledger.get(id))?.money?.accountLast4).toBe('6789');
  });

  it('still finds the account when a later reading no longer shows it', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    const id = await accepted(ledger);
    now += 60_000;
    const paid = { uid: account().uid, status: 'successful', next_action: null };
    await ledger.observe(snapshotOf({ activities: [paid] }, { askedAt: now }));
    expect((await ledger.get(id))?.money).toMatchObject({ payment: 'paid', accountLast4: '6789' });
    expect(await found(ledger, keptAccount('0123456789', ledger.digest))).toEqual([id]);
  });

  it('finds the account of a charge that was recorded without its digest', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    const { nextAction } = account();
    const id = await accepted(ledger, account({ nextAction: null }));
    now += 60_000;
    const shown = { uid: account().uid, status: 'requires_action', next_action: nextAction };
    await ledger.observe(snapshotOf({ activities: [shown] }, { askedAt: now }));
    expect(await found(ledger, keptAccount('0123456789', ledger.digest))).toEqual([id]);
  });

  it('finds charges by who sent them, by the reference of the provider and by the e-mail address', async () => {
    const ledger = await open(newPlace());
    const ada = await accepted(ledger, account({ pspReference: 'R-1' }), {
      operator: 'ada',
      asked: { email: 'bola@example.com' },
    });
    await accepted(ledger, account({ uid: uidOf(2), pspReference: 'R-2' }), { operator: 'obi', about: ugwoOf(2) });
    expect(await found(ledger, { operator: 'ada' })).toEqual([ada]);
    expect(await found(ledger, { pspReference: 'R-1' })).toEqual([ada]);
    expect(await found(ledger, { email: 'bola@example.com' })).toEqual([ada]);
  });

  it('finds both charges of a payment request that was paid twice, until the excess is refunded', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    const uids = [uidOf(1), uidOf(2)];
    const ids: string[] = [];
    for (const uid of uids) {
      const { id } = begunOf(await ledger.begin(intent(), { again: true }));
      await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid }) });
      ids.unshift(id);
    }
    const read = async (...statuses: readonly string[]) => {
      now += 60_000;
      const activities = statuses.map((status, at) => ({ uid: uids[at], status, amount: 900 }));
      const total = 900 * statuses.length;
      await ledger.observe(snapshotOf({ amount: 900, total_amount_paid: total, activities }, { askedAt: now }));
    };
    await read('successful');
    expect(await found(ledger, { paidTwice: true })).toEqual([]);
    await read('successful', 'successful');
    expect(await found(ledger, { paidTwice: true })).toEqual(ids);
    const surplus = [{ activity: uids[0], amount: 900 }];
    expect((await ledger.get(ids[0] ?? ''))?.money).toMatchObject({ isPaidTwice: true, excess: 900, surplus });
    await read('successful', 'refunded');
    expect(await found(ledger, { paidTwice: true })).toEqual([]);
  });

  it('takes off the refunds of a part from every charge of the payment request, except failed ones', async () => {
    let now = NOON;
    const ledger = await open(newPlace(), { now: () => now });
    const uids = [uidOf(1), uidOf(2)];
    const ids: string[] = [];
    for (const uid of uids) {
      const { id } = begunOf(await ledger.begin(intent(), { again: true }));
      await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid }) });
      ids.unshift(id);
    }
    const read = async (status: string) => {
      now += 60_000;
      const activities = [
        { uid: uids[0], status: 'successful', charged_amount: 400 },
        { uid: uids[1], status, charged_amount: 900 },
      ];
      await ledger.observe(snapshotOf({ amount: 900, total_amount_paid: 1300, activities }, { askedAt: now }));
    };
    const refund = async (amount: number, status: string, paid: string) => {
      const asks = {
        evidence: [{ kind: 'paid', at: '', status: paid }],
        kind: 'refund',
        path: '/v1/refunds',
        body: JSON.stringify({ amount }),
        digest: '00',
        bound: 60_000,
      };
      const { id } = begunOf(await ledger.begin({ ...PLACE, ...asks, about: uids[1] ?? '' }, { again: true }));
      const evidence = { kind: 'answer', at: '', uid: `rfd.${amount}`, status };
      await ledger.record(id, { state: 'accepted', exitCode: 0, evidence });
    };
    await read('successful');
    expect(await found(ledger, { paidTwice: true })).toEqual(ids);
    await refund(400, 'failed', 'successful');
    await refund(300, 'processing', 'successful');
    await read('partially_refunded');
    const excesses = await Promise.all(ids.map(async (id) => (await ledger.get(id))?.money?.excess));
    expect(excesses).toEqual([100, 100]);
    await refund(100, 'processing', 'partially_refunded');
    await read('partially_refunded');
    expect(await found(ledger, { paidTwice: true })).toEqual(ids);
    await ledger.observeRefund(uids[1] ?? '', 'rfd.100', PLACE.service, 'paid_back');
    await read('partially_refunded');
    expect(await found(ledger, { paidTwice: true })).toEqual([]);
  });

  it('stores who sends a charge', async () => {
    const ledger = await open(newPlace());
    const client = { longestWrite: 60_000, longestAttempt: 1000 };
    const sent = await sendOnce(
      { client, ledger, place: PLACE },
      { ugwo: ugwoOf(1), data: { medium: 'ussd' }, again: false },
      {
        now: () => NOON,
        send: accepting(async () => ({ value: { uid: uidOf(1), status: 'requires_action' }, text: '' })),
      },
    );
    if (sent.kind === 'refused') throw new Error(sent.why);
    expect((await ledger.get(sent.id))?.operator).toBe(ledger.account ?? operator());
  });
});
