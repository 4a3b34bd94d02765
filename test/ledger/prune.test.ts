import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/ledger/backend.ts';
import type { Charge, Entry, KeptActivity, Money } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { isPrunedEntry } from '../../src/ledger/pruned.ts';
import { pruneEntries } from '../../src/ledger/upkeep.ts';
import { uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, charge, intent, MINUTE, momentAt, NOON } from './support/charges.ts';
import { shown } from './support/shown.ts';

const LATER = NOON + 3 * 24 * 60 * MINUTE;

const asked = { amount: 500_000, currency: 'NGN', ref: 'INV-1', customer: 'ony.AbCd.1' };
const evidence = { kind: 'answer', at: '2026-11-20T12:00:00+00:00', message: 'Ada, 0123456789' };

const begin = (ledger: Ledger, number: number, more: Partial<ReturnType<typeof intent>> = {}): Promise<string> =>
  beginCharge(ledger, { about: `ugw.AbCd.${number}`, asked, ...more });

const made = async (ledger: Ledger, number: number, activity: Partial<KeptActivity>): Promise<string> => {
  const id = await begin(ledger, number);
  await ledger.record(id, {
    state: 'accepted',
    exitCode: 0,
    activity: account({ uid: uidOf(number), ...activity }),
    evidence,
  });
  return id;
};

describe.each(BACKENDS)('pruning a ledger %s', (_where, newPlace) => {
  it('keeps only what prevents a second charge', async () => {
    const place = newPlace();
    const id = await made(await open(place), 1, { status: 'successful' });
    const ledger = await open(place, { now: () => LATER });
    const before = await ledger.get(id);
    expect(await ledger.prunable(LATER)).toEqual({ count: 1, open: 0 });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 1 });
    const after = await ledger.get(id);
    const { accountLast4, accountDigest, ...money } = before?.money ?? {};
    expect([accountLast4, accountDigest]).toEqual(['6789', expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(after).toEqual({
      ...before,
      asked: { amount: 500_000, currency: 'NGN', ref: undefined, customer: undefined },
      activity: {
        ...before?.activity,
        nextAction: { type: 'pruned', headers: { expires_at: '2026-11-20T12:15:00.000Z' } },
      },
      money,
      evidence: [
        { kind: 'answer', at: '2026-11-20T12:00:00+00:00' },
        { kind: 'pruned', at: '2026-11-23T12:00:00+00:00' },
      ],
    });
    expect(JSON.stringify(after)).not.toMatch(/Ada|0123456789|INV-1|ony\./);
    expect(await ledger.begin(intent({ about: 'ugw.AbCd.1' }), { again: false })).toMatchObject({
      why: 'paid',
      by: { id },
    });
    expect(await ledger.verify()).toMatchObject({ entries: 1, faults: [] });
  });

  it('leaves open, unknown and sending entries unchanged', async () => {
    const place = newPlace();
    const first = await open(place);
    await made(first, 1, {});
    await made(first, 2, { status: 'processing' });
    await first.record(await begin(first, 3), { state: 'unknown', exitCode: 6, evidence });
    await begin(first, 4);
    const ledger = await open(place, { now: () => LATER });
    const before = await ledger.list({ limit: -1 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 4 });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 0 });
    expect(await ledger.list({ limit: -1 })).toEqual(before);
  });

  it('covers entries before the given time, each once', async () => {
    const place = newPlace();
    await made(await open(place), 1, { status: 'failed' });
    await made(await open(place, { now: () => NOON + MINUTE }), 2, { status: 'failed' });
    const ledger = await open(place, { now: () => LATER });
    expect(await ledger.prune(NOON + MINUTE)).toMatchObject({ count: 1 });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 1 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 0 });
  });

  it('covers entries of the given scope alone', async () => {
    const place = newPlace();
    const first = await open(place);
    for (const [number, profile] of ['shop', 'store', 'store'].entries()) {
      const id = await begin(first, number, { profile });
      if (number < 2) await first.record(id, { state: 'rejected', exitCode: 3, evidence });
    }
    const ledger = await open(place, { now: () => LATER });
    const scope = { service: intent().service, profile: 'store' };
    expect(await ledger.prunable(LATER, scope)).toEqual({ count: 1, open: 1 });
    expect(await ledger.prune(LATER, scope)).toMatchObject({ count: 1 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 1, open: 1 });
  });

  it('covers what has ended, was read again, or was written under a clock that went back, since the last pruning', async () => {
    const place = newPlace();
    const first = await open(place);
    await made(first, 1, {});
    await made(first, 2, { status: 'successful' });
    await made(first, 3, { status: 'successful' });
    const ledger = await open(place, { now: () => LATER });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 2 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 1 });
    const code = { type: 'user_action', instruction: 'Dial *737#' };
    const read = (number: number, status: string, nextAction: unknown = null) =>
      account({ uid: uidOf(number), status, nextAction });
    await ledger.observe(shown([read(1, 'failed')]), true);
    expect(await ledger.prunable(LATER)).toEqual({ count: 1, open: 0 });
    await ledger.observe(shown([read(2, 'successful')], { ref: 'INV-1' }), true);
    expect(await ledger.prunable(LATER)).toEqual({ count: 2, open: 0 });
    await ledger.observe(shown([read(3, 'successful', code)]), true);
    expect(await ledger.prunable(LATER)).toEqual({ count: 3, open: 0 });
    await made(await open(place, { now: () => NOON - MINUTE }), 4, { status: 'successful' });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 4 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 0 });
  });

  it('removes the body of other entries, but never the fact that they exist', async () => {
    const place = newPlace();
    const refund = {
      kind: 'refund',
      medium: undefined,
      asked: undefined,
      path: '/v1/refunds',
      body: '{"account":"0123456789"}',
    };
    const first = await open(place);
    const id = await begin(first, 1, refund as never);
    const answer = { kind: 'answer', at: '', uid: 'rfd.1', status: 'processing' };
    await first.record(id, { state: 'accepted', exitCode: 0, evidence: answer });
    const ledger = await open(place, { now: () => LATER });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 1 });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 0 });
    await ledger.observeRefund('ugw.AbCd.1', 'rfd.1', 'https://api.example', 'paid_back');
    expect(await ledger.prune(LATER)).toMatchObject({ count: 1 });
    const kept = { kind: 'refund', state: 'accepted', path: undefined, body: undefined };
    expect(await ledger.get(id)).toMatchObject({ ...kept, refund: { state: 'paid_back', uid: 'rfd.1' } });
    const again = intent({ about: 'ugw.AbCd.1', ...refund } as never);
    expect(await ledger.begin(again, { again: false, once: true })).toMatchObject({ why: 'made', by: { id } });
  });

  it('handles more entries than one batch, and stops between two of them', async () => {
    const place = newPlace();
    const first = await open(place);
    const ids = await Promise.all(Array.from({ length: 1003 }, (_none, number) => begin(first, number)));
    await Promise.all(ids.map((id) => first.record(id, { state: 'rejected', exitCode: 3, evidence })));
    const ledger = await open(place, { now: () => LATER });
    // The signal comes during the first batch.
    await expect(ledger.prune(LATER, {}, AbortSignal.abort('SIGTERM'))).rejects.toMatchObject({ kind: 'interrupted' });
    expect(await ledger.prune(LATER)).toMatchObject({ count: 503 });
    expect(await ledger.prunable(LATER)).toEqual({ count: 0, open: 0 });
  });
});

/** An entry that has ended, pruned at `LATER`. */
const pruned = async (entry: Entry): Promise<Entry | undefined> => {
  let written: readonly Entry[] = [];
  const backend = {
    moment: () => momentAt(LATER),
    change: async (
      _what: string,
      _queries: unknown,
      rule: (found: Entry[][]) => { write: Entry[]; result: object },
    ) => {
      const { write, result } = rule([[entry]]);
      written = write;
      return result;
    },
  };
  await pruneEntries(backend as unknown as Backend, LATER, {}, undefined);
  return written[0];
};
const ended = (more: Partial<Charge>): Charge => charge({ activity: account({ status: 'failed' }), ...more });

describe('a pruned entry', () => {
  it('keeps the expiry of a charge, in case a read shows it open without its account', async () => {
    const left = { type: 'pruned', headers: { expires_at: '2026-11-20T12:15:00.000Z' } };
    expect((await pruned(ended({})))?.activity?.nextAction).toEqual(left);
    // Earlier versions wrote this text in place of the number.
    const earlier = { headers: { account_number: 'pruned', expires_at: '2026-11-20T12:15:00.000Z' } };
    const activity = account({ status: 'failed', nextAction: earlier });
    expect((await pruned(ended({ activity })))?.activity?.nextAction).toEqual(left);
  });

  it('removes what identifies the account, and keeps the money', async () => {
    const money = { payment: 'paid', received: 900, receivedAssumed: false, refunded: 0 } as const;
    const account = { accountLast4: '6789', accountDigest: 'cd' };
    expect((await pruned(ended({ money: { ...money, ...account } })))?.money).toStrictEqual(money);
  });

  it('keeps the moment at which it was first pruned', async () => {
    const first = { kind: 'pruned', at: '2026-11-21T12:00:00+00:00' };
    expect((await pruned(ended({ evidence: [first] })))?.evidence).toEqual([first]);
  });

  it.each<[string, Partial<Entry>]>([
    ['path', { path: '/v1/refunds' }],
    ['body', { body: '{}' }],
    ['reference', { asked: { ref: 'INV-1' } }],
    ['customer', { asked: { customer: 'ony.AbCd.1' } }],
    ['e-mail address', { asked: { email: 'ada@example.com' } }],
    ['account', { money: { payment: 'paid', accountDigest: 'cd' } as Money }],
    ['next action', { activity: account({ status: 'failed' }) }],
    [
      'observation',
      {
        evidence: [
          { kind: 'pruned', at: '' },
          { kind: 'look', at: '' },
        ],
      },
    ],
  ])('is none any more once its %s is back', async (_what, back) => {
    const entry = (await pruned(ended({}))) ?? expect.fail();
    expect([entry, { ...entry, ...back }].map(isPrunedEntry)).toEqual([true, false]);
  });

  it('keeps the latest source of the status and the applied emergency lines', async () => {
    const seen = [
      { kind: 'look', at: 'a', candidates: [] },
      { kind: 'emergency_line', at: 'b', line: { recorded_at: 7, ugwo: 'ugw.AbCd.1' }, message: 'Ada' },
      { kind: 'resolved', at: 'c', as: 'created', by: 'ada', reason: 'phoned them' },
    ];
    expect((await pruned(ended({ evidence: seen })))?.evidence).toEqual([
      { kind: 'emergency_line', at: 'b', line: { recorded_at: 7 } },
      { kind: 'resolved', at: 'c', as: 'created', by: 'ada' },
      { kind: 'pruned', at: '2026-11-23T12:00:00+00:00' },
    ]);
  });
});
