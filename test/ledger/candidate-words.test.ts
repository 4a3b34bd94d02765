import { describe, expect, it } from 'vitest';
import type { Charge, Evidence } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { RequestRead, SnapshotAt } from '../../src/ledger/match.ts';
import { judgeRead, reconcile } from '../../src/ledger/reconcile.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { MINUTE, SECOND } from '../support/units.ts';
import { activity, atom, END, empty, look, NOBODY, OLD_BOOT, uidOf } from './support/looks.ts';
import { charge, markAt, memoryLedger, momentAt, SENT } from './support/memory.ts';

const LATE = END + 15 * MINUTE;
type Some = Readonly<Record<string, unknown>>;

const judged = (seen: SnapshotAt, some: Partial<Charge> = {}) => judgeRead(charge(some), seen, NOBODY);

describe('a reason why an activity does not match', () => {
  it.each([
    ['no charge', { activity_type: 'refund' }],
    ['of another payment request', { ugwo_uid: 'ugw.AbCd.1' }],
    ['another medium', { medium: 'mobile_money' }],
    ['made too early', { created_at: atom(SENT - 10 * MINUTE) }],
  ])('is recorded: %s', (why, some) => {
    expect(judged(look([activity(1, some)])).evidence).toMatchObject({ found: 'none', excluded: [{ why }] });
  });

  const declined = { status: 'failed', next_action: null };
  it.each<[string, Partial<Charge>, Some]>([
    ['declined at once', { medium: 'ussd' }, declined],
    ['declined at once', { medium: 'bank_transfer' }, declined],
    ['another provider', {}, { provider: 'zenith' }],
    ['made too late', {}, { created_at: atom(SENT + 5 * MINUTE) }],
  ])('is in the sentence if the activity is similar: %s', (why, of, some) => {
    expect(judged(look([activity(1, some), activity(2, some)], LATE), of)).toMatchObject({
      why: 'doubtful',
      reason: `${uidOf(1)}, ${uidOf(2)} may be it, but doesn't fit: ${why}`,
      evidence: { excluded: [{ why }, { why }] },
    });
  });

  it.each<[string, Partial<Charge>, Some]>([
    ['medium unclear', { medium: 'mobile_money' }, {}],
    ['made before the charge was sent', {}, { created_at: atom(SENT - MINUTE) }],
  ])('is in the sentence if a match is not proven: %s', (doubt, of, some) => {
    expect(judged(look([activity(1, some)]), of)).toMatchObject({
      reason: `${uidOf(1)} may be it, but that is not proven: ${doubt}`,
      evidence: { candidates: [{ doubt }] },
    });
  });

  it('names three activities and the number of others', () => {
    const four = [1, 2, 3, 4].map((number) => activity(number));
    expect(judged(look(four.slice(0, 3)))).toMatchObject({
      reason: `several activities fit: ${uidOf(1)}, ${uidOf(2)}, ${uidOf(3)}`,
    });
    expect(judged(look(four))).toMatchObject({
      reason: `several activities fit: ${uidOf(1)}, ${uidOf(2)}, ${uidOf(3)} and 1 more`,
    });
  });
});

describe('the evidence of a read', () => {
  it('has the status of the payment request, and no doubt for a match', () => {
    const { evidence } = judged(look([activity(1)], END + MINUTE, { status: 'requires_ugwo' }));
    expect(evidence).toMatchObject({ ugwo_status: 'requires_ugwo', served_at: END + MINUTE, skew_ms: 0 });
    expect(JSON.stringify(evidence)).not.toContain('doubt');
    expect(evidence?.['candidates']).toStrictEqual([
      { uid: uidOf(1), status: 'requires_action', medium: 'ussd', created_at: atom(SENT) },
    ]);
  });

  it('has no time if the service sends none', () => {
    const conclusion = judged(look([activity(1, { status: null })], END + MINUTE, { servedAt: undefined }));
    expect(conclusion).toMatchObject({ state: 'accepted', evidence: { served_at: null, skew_ms: null } });
    expect(conclusion).toMatchObject({ activity: { uid: uidOf(1), status: '' } });
    expect('activity' in conclusion && conclusion.activity).not.toHaveProperty('servedAt');
  });

  it('has the original time of a cached answer', () => {
    const age = 4 * MINUTE;
    const seen = look([], LATE, { age, askedAt: LATE - 50, servedAt: LATE - age });
    expect(judged(seen).evidence).toMatchObject({
      at: '2026-11-20T12:11:10+00:00',
      round_trip_ms: 50,
      skew_ms: 0,
      mark: markAt(LATE - age),
    });
  });
});

describe('a cached answer', () => {
  const AT = SENT + 10 * MINUTE;
  it.each<[string, Partial<Charge>, object, boolean]>([
    ['as old as the charge shows nothing', {}, { age: 10 * MINUTE }, true],
    ['younger than the charge is used', {}, { age: 10 * MINUTE - 1 }, false],
    [
      'as old as the charge at the time of the request shows nothing',
      {},
      { age: 10 * MINUTE - 5000, askedAt: AT - 5000 },
      true,
    ],
    ['younger than that is used', {}, { age: 10 * MINUTE - 5001, askedAt: AT - 5000 }, false],
    [
      'as old as the charge shows nothing, after a restart',
      { begun: markAt(SENT, OLD_BOOT) },
      { age: 10 * MINUTE },
      true,
    ],
    ['younger is used, after a restart', { begun: markAt(SENT, OLD_BOOT) }, { age: 10 * MINUTE - 1 }, false],
    [
      'as old as the charge by the monotonic clock shows nothing',
      {},
      { age: 10 * MINUTE, ...momentAt(AT, 60 * MINUTE), askedAt: AT + 60 * MINUTE },
      true,
    ],
  ])('%s: %#', (_what, of, some, older) => {
    const conclusion = judged(look([], AT, { servedAt: AT, ...some }), of);
    expect(conclusion).toMatchObject(
      older
        ? { why: 'unreadable', reason: 'the answer came from a cache and is older than the charge' }
        : { why: 'not_yet', reason: 'no activity found yet' },
    );
  });

  it('with status 500 may be different later', () => {
    for (const [status, why] of [
      [499, 'unlisted'],
      [500, 'unreadable'],
    ] as const) {
      expect(judged({ unavailable: 'no', status, askedAt: AT, ...momentAt(AT) })).toMatchObject({ why });
    }
  });
});

describe('empty reads', () => {
  it.each<[string, readonly Evidence[], object, string]>([
    [
      'are counted, whatever other evidence is between them',
      [empty(END), { kind: 'answer', at: '' }],
      {},
      'not_created',
    ],
    [
      'of an older paycli without a monotonic time are ignored',
      [{ kind: 'look', at: '', found: 'none' }],
      {},
      'unknown',
    ],
    ['are counted if the first has no time of the service', [empty(END, { served_at: null })], {}, 'not_created'],
    ['are counted if the second has no time of the service', [empty(END)], { servedAt: undefined }, 'not_created'],
    [
      'are a minute apart by the monotonic clock, whatever the service says',
      [empty(LATE - 59 * SECOND)],
      { servedAt: LATE + 29 * SECOND },
      'unknown',
    ],
  ])('%s', (_what, evidence, some, state) => {
    expect(judged(look([], LATE, some), { evidence }).state).toBe(state);
  });

  it.each([
    ['the first', null, {}],
    ['the second', SENT + MINUTE, { servedAt: undefined }],
  ])(
    "are counted anew if they can't be compared: after a restart, without the service's time at %s",
    (_which, served, some) => {
      const before = empty(SENT + MINUTE, { mark: markAt(SENT + MINUTE, OLD_BOOT), served_at: served });
      const of = { begun: markAt(SENT, OLD_BOOT), evidence: [before] };
      const conclusion = judged(look([], LATE, some), of);
      expect(conclusion).toMatchObject({ why: 'not_yet', again: LATE + 15 * MINUTE, evidence: { found: 'none' } });
    },
  );

  it.each([
    [MINUTE - 1, false],
    [MINUTE, true],
  ])('are recorded at most once a minute: after %i ms', (after, isNoted) => {
    const { evidence } = judged(look([], END + after), { evidence: [empty(END)] });
    expect(evidence !== undefined).toBe(isNoted);
  });
});

describe('reconcile', () => {
  const at = END + MINUTE;
  const showing = (activities: readonly unknown[]) => async (): Promise<RequestRead> =>
    snapshotOf({ activities }, { servedAt: at });
  const ledgerOf = (row: Charge, some: Partial<Ledger> = {}): Ledger => ({ ...memoryLedger([row], () => at), ...some });

  it('asks for the owners of activities with an id', async () => {
    let asked: readonly string[] = [];
    const owned: Ledger['owned'] = async (uids) => {
      asked = uids;
      return new Set();
    };
    const activities = [activity(2), null, activity(1, { uid: 7 }), {}];
    await reconcile(ledgerOf(charge(), { owned }), charge(), showing(activities));
    expect(asked).toEqual([uidOf(2)]);
    await reconcile(ledgerOf(charge(), { owned }), charge(), async () => ({ unavailable: 'no' }));
    expect(asked).toEqual([]);
  });

  it('also judges a charge that is still sending', async () => {
    const sending = charge({ state: 'sending' });
    const { left } = await reconcile(ledgerOf(sending), sending, showing([]));
    expect(left).toMatchObject({ why: 'not_yet' });
  });

  it('reports that another process changed the charge', async () => {
    const ledger = ledgerOf(charge(), { resolve: async () => false });
    expect((await reconcile(ledger, charge(), showing([activity(1)]))).left).toEqual({
      state: 'unknown',
      why: 'unreadable',
      reason: 'another process changed it meanwhile',
    });
  });

  it('records nothing if the service showed nothing', async () => {
    const note = async (): Promise<never> => {
      throw new Error('nothing was to be noted');
    };
    const unreadable = async (): Promise<RequestRead> => ({ unavailable: 'no' });
    const { left } = await reconcile(ledgerOf(charge(), { note }), charge(), unreadable);
    expect(left).toMatchObject({ why: 'unreadable' });
  });
});
