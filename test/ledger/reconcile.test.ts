import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activityFacts } from '../../src/charge/payment.ts';
import { type Charge, type Evidence, withEvidence } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { RequestRead, SnapshotAt } from '../../src/ledger/match.ts';
import { entriesBehind, judgeRead, reconcile, walkCharges } from '../../src/ledger/reconcile.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { MINUTE, SECOND } from '../support/units.ts';
import { ACCOUNT, activity, atom, DIAL, END, empty, look, NOBODY, OLD_BOOT, uidOf } from './support/looks.ts';
import { charge, markAt, memoryLedger, momentAt, SENT } from './support/memory.ts';

const madeAt = (ms: number, number = 1): Record<string, unknown> => activity(number, { created_at: atom(ms) });

/** An inconclusive read at which the service's clock differed by `skew`. */
const proveless = (at: number, skew: number): Evidence => empty(at, { found: 'doubtful', served_at: at + skew });
const stateAfter = (conclusion: ReturnType<typeof judgeRead>): string =>
  conclusion.state === 'unknown' ? `unknown: ${conclusion.why}` : conclusion.state;
const judged = (of: Charge, seen: SnapshotAt, owned: ReadonlySet<string> = NOBODY): string =>
  stateAfter(judgeRead(of, seen, owned));

/** A read of an answer that was cached for ten minutes. */
const cached = (at: number): SnapshotAt => look([], at, { age: 10 * MINUTE, servedAt: at - 10 * MINUTE });

describe('an empty read of a cached answer', () => {
  it('counts from the time of the answer', () => {
    const early = END + 16 * MINUTE;
    const first = judgeRead(charge(), cached(early), NOBODY);
    expect(first).toMatchObject({ why: 'not_yet', evidence: { mark: markAt(early - 10 * MINUTE) } });
    const seen = charge({ evidence: [empty(early - 10 * MINUTE)] });
    expect(judged(seen, cached(early + 2 * MINUTE))).toBe('unknown: not_yet');
    expect(judged(seen, cached(END + 24 * MINUTE))).toBe('unknown: not_yet');
    expect(judged(seen, cached(END + 26 * MINUTE))).toBe('not_created');
  });
});

describe('a single matching activity', () => {
  it('makes the charge accepted, with evidence', () => {
    const other = activity(2);
    const seen = look([other, activity(1)], END + MINUTE, {
      askedAt: END + MINUTE - 200,
      servedAt: END + MINUTE + 5000,
    });
    expect(judgeRead(charge(), seen, new Set([uidOf(2)]))).toEqual({
      state: 'accepted',
      activity: {
        uid: uidOf(1),
        status: 'requires_action',
        nextAction: DIAL,
        createdAt: atom(SENT),
        servedAt: END + MINUTE + 5000,
        askedAt: END + MINUTE - 200,
        facts: activityFacts(activity(1)),
      },
      evidence: {
        kind: 'look',
        at: '2026-11-20T12:01:10+00:00',
        found: 'one',
        mark: markAt(END + MINUTE),
        served_at: END + MINUTE + 5000,
        skew_ms: 5000,
        round_trip_ms: 200,
        ugwo_status: null,
        candidates: [{ uid: uidOf(1), status: 'requires_action', medium: 'ussd', created_at: atom(SENT) }],
        candidates_count: 1,
        excluded: [
          {
            uid: uidOf(2),
            status: 'requires_action',
            medium: 'ussd',
            created_at: atom(SENT),
            why: 'owned by another charge',
          },
        ],
        excluded_count: 1,
      },
    });
  });

  it('is never dated later than the service sent it, even if a cache served it', () => {
    const at = END + 10 * MINUTE;
    const age = 30 * SECOND;
    expect(judgeRead(charge(), look([activity(1)], at, { age, servedAt: at - age }), NOBODY)).toMatchObject({
      activity: { servedAt: at - 2 * age, askedAt: at - age },
    });
  });

  it('may have enums as pairs', () => {
    const conclusion = judgeRead(charge(), look([activity(1, { status: ['processing', 'Busy'] })]), NOBODY);
    expect(conclusion).toMatchObject({ state: 'accepted', activity: { status: 'processing' } });
  });

  it.each([
    ['two minutes after the end', END + 2 * MINUTE, 'accepted'],
    ['more than two minutes after the end', END + 2 * MINUTE + 1, 'unknown: doubtful'],
    ['eleven seconds before', SENT - 11 * SECOND, 'accepted'],
    ['more than eleven seconds before', SENT - 11 * SECOND - 1, 'unknown: doubtful'],
    ['two minutes before', SENT - 2 * MINUTE, 'unknown: doubtful'],
    ['more than two minutes before', SENT - 2 * MINUTE - 1, 'unknown: not_yet'],
  ])('created %s', (_when, at, state) => {
    expect(judged(charge(), look([madeAt(at)], END + 5 * MINUTE))).toBe(state);
    for (const skew of [-3_600_000, -1500, 700, 86_400_000]) {
      const seen = look([madeAt(at + skew)], END + 5 * MINUTE, { servedAt: END + 5 * MINUTE + skew });
      // A difference above the window proves no mismatch.
      const unsure = Math.abs(skew) > 2 * MINUTE && state === 'unknown: not_yet';
      const evidence = Math.abs(skew) > 2 * MINUTE ? [proveless(END + 4 * MINUTE, skew)] : [];
      expect(judged(charge({ evidence }), seen), `service ${skew} ms ahead`).toBe(unsure ? 'unknown: doubtful' : state);
    }
  });

  it.each([
    [2 * MINUTE, 'not_yet'],
    [2 * MINUTE + 1, 'doubtful'],
    [-2 * MINUTE, 'not_yet'],
    [-2 * MINUTE - 1, 'doubtful'],
  ])('is excluded by its time only if the clocks agree: %d ms ahead', (skew, why) => {
    const seen = look([madeAt(SENT - 3_600_000 + skew)], END + MINUTE, { servedAt: END + MINUTE + skew });
    expect(judged(charge(), seen)).toBe(`unknown: ${why}`);
  });

  it.each([
    [SENT - 11 * SECOND - 400, 'accepted'],
    [SENT - 11 * SECOND - 401, 'unknown: doubtful'],
  ])('may be earlier by the round trip, created at %d', (at, state) => {
    const seen = look([madeAt(at)], END + MINUTE, { askedAt: END + MINUTE - 400 });
    expect(judged(charge(), seen)).toBe(state);
  });

  const LONG = 3_600_000;
  it.each([
    ['when it was recorded', 10 * SECOND, 10 * SECOND, 10 * SECOND],
    ['at once, if the clock says less', -5, 0, 0],
    ['when it was recorded, with no proof after the time limit', LONG, 30 * SECOND, LONG],
    ['at its deadline if the process died: later ones are possible, but unproven', undefined, 30 * SECOND, undefined],
  ])('uses the end of the sending: %s', (_when, took, until, certain) => {
    const at = SENT + 7_200_000;
    const made = (after: number): string => judged(charge({ took }), look([madeAt(SENT + after)], at));
    expect(made(until + 2 * MINUTE)).toBe('accepted');
    // After that nothing is proven and nothing counts as absent.
    for (const late of [until, certain ?? until, 7_200_000 - 2 * MINUTE - 1]) {
      expect(made(late + 2 * MINUTE + 1)).toBe('unknown: doubtful');
    }
  });

  it('created late is not proven, with a reason', () => {
    const seen = look([madeAt(SENT + 30 * SECOND + 2 * MINUTE + 1)], SENT + 5 * MINUTE);
    expect(judgeRead(charge({ took: undefined }), seen, NOBODY)).toMatchObject({
      reason: `${uidOf(1)} may be it, but that is not proven: made after its sending must have ended`,
    });
  });

  it.each([
    ['without a creation time', { created_at: null }, 'no time'],
    ['with an unreadable creation time', { created_at: '20 November' }, 'no time'],
    ['without an id', { uid: undefined }, 'no identifier'],
    ['with the id of another record', { uid: 'ugw.AbCd.1' }, 'no identifier'],
  ])('%s is not proven', (_what, some, doubt) => {
    const conclusion = judgeRead(charge(), look([activity(1, some)]), NOBODY);
    expect(conclusion).toMatchObject({
      state: 'unknown',
      why: 'doubtful',
      reason: expect.stringMatching(
        `^(?:${uidOf(1)}|one without an identifier) may be it, but that is not proven: ${doubt}$`,
      ),
      evidence: { found: 'doubtful', candidates: [{ doubt }] },
    });
  });

  it('without an id stays unproven, and no further read is suggested', () => {
    const doubtful = judgeRead(charge(), look([activity(1, { uid: null })]), NOBODY);
    expect(doubtful).toMatchObject({ state: 'unknown', why: 'doubtful' });
    expect(doubtful).not.toHaveProperty('again');
  });
});

describe('the medium', () => {
  const transfer = { type: 'user_action', instruction: 'Pay', headers: ACCOUNT };
  const custom = { type: 'redirect', headers: { url: 'x' } };
  it.each([
    ['bank_transfer', { next_action: transfer }, 'accepted'],
    ['bank_transfer', { next_action: DIAL }, 'unknown: not_yet'],
    ['ussd', { next_action: DIAL }, 'accepted'],
    ['ussd', { next_action: transfer }, 'unknown: not_yet'],
    ['ussd', { next_action: null }, 'accepted'],
    ['ussd', { next_action: custom }, 'unknown: not_yet'],
    ['mobile_money', { next_action: custom }, 'accepted'],
    ['ussd', { next_action: null, medium: 'bank_transfer' }, 'unknown: not_yet'],
    ['ussd', { next_action: null, medium: ['ussd', 'USSD'] }, 'accepted'],
    ['ussd', { next_action: transfer, medium: 'ussd' }, 'unknown: doubtful'],
    ['mobile_money', { next_action: null }, 'accepted'],
    ['mobile_money', { next_action: DIAL }, 'unknown: doubtful'],
    ['mobile_money', { next_action: null, medium: 'ussd' }, 'unknown: not_yet'],
    ['mobile_money', { next_action: DIAL, medium: 'mobile_money' }, 'accepted'],
    ['pay_with_bank', { next_action: transfer }, 'unknown: doubtful'],
  ])('%s with %j', (medium, some, state) => {
    expect(judged(charge({ medium }), look([activity(1, some)]))).toBe(state);
  });
});

describe("an activity that can't be the charge", () => {
  const transfer = { type: 'user_action', instruction: 'Pay', headers: ACCOUNT };
  const later = { updated_at: atom(SENT + 15 * MINUTE), status: 'failed', next_action: null };
  it.each<[string, Partial<Charge>, Readonly<Record<string, unknown>>, string]>([
    ['a card payment', {}, { next_action: null, ugwo_medium: { last4: '4242' } }, 'unknown: not_yet'],
    ["an empty stored medium in PHP's notation", {}, { ugwo_medium: [] }, 'accepted'],
    ['a browser payment', {}, { next_action: { type: 'redirect_to_url' } }, 'unknown: not_yet'],
    ['of another payment request', {}, { ugwo_uid: 'ugw.AbCd.1' }, 'unknown: not_yet'],
    ['of this payment request', {}, { ugwo_uid: charge().about }, 'accepted'],
    ['a refund', {}, { activity_type: 'refund' }, 'unknown: not_yet'],
    ['a refund, as a pair', {}, { activity_type: ['refund', 'Refund'] }, 'unknown: not_yet'],
    ['declined at once', { medium: 'bank_transfer' }, { status: 'failed', next_action: null }, 'unknown: doubtful'],
    ['an expired account', { medium: 'bank_transfer' }, later, 'accepted'],
    ['mobile money, declined at once', { medium: 'mobile_money' }, { status: 'failed', next_action: [] }, 'accepted'],
    [
      'an account with another expiry',
      { medium: 'bank_transfer', expiresAt: SENT + 10 * MINUTE },
      { next_action: transfer },
      'unknown: doubtful',
    ],
    [
      'an account with the requested expiry',
      { medium: 'bank_transfer', expiresAt: SENT + 15 * MINUTE - 30 * SECOND },
      { next_action: transfer },
      'accepted',
    ],
    ['another bank', {}, { provider: 'zenith' }, 'unknown: doubtful'],
    ['the same bank', {}, { provider: 'gtb' }, 'accepted'],
    [
      'another phone',
      { medium: 'mobile_money', phone: '…4567' },
      { next_action: null, phone: '+2348031234568' },
      'unknown: doubtful',
    ],
    [
      'the same phone',
      { medium: 'mobile_money', phone: '…4567' },
      { next_action: null, phone: '+2348031234567' },
      'accepted',
    ],
  ])('is ignored or counted: %s', (_what, of, some, state) => {
    expect(judged(charge(of), look([activity(1, some)]))).toBe(state);
  });

  it('never counts as absent if it may be related', () => {
    const AT = END + 20 * MINUTE;
    const before = charge({ evidence: [empty(END + MINUTE)] });
    const by = (some: Readonly<Record<string, unknown>>): string => judged(before, look([activity(1, some)], AT));
    expect(by({ created_at: atom(SENT + 150 * SECOND) })).toBe('unknown: doubtful');
    expect(by({ provider: 'zenith' })).toBe('unknown: doubtful');
    expect(by({ activity_type: 'refund' })).toBe('not_created');
    expect(
      judged(before, look([activity(1, { created_at: atom(SENT + 150 * SECOND) })], AT), new Set([uidOf(1)])),
    ).toBe('not_created');
  });
});

describe('a read of a cached answer', () => {
  const AT = END + 20 * MINUTE;
  it('older than the charge is ignored', () => {
    const of = charge({ evidence: [empty(END + MINUTE)] });
    expect(judged(of, look([], AT, { age: 21 * MINUTE } as Partial<SnapshotAt>))).toBe('unknown: unreadable');
    expect(judged(of, look([], AT, { age: 4 * MINUTE, servedAt: AT - 4 * MINUTE } as Partial<SnapshotAt>))).toBe(
      'not_created',
    );
    expect(judged(charge(), look([activity(1)], AT, { age: 21 * MINUTE } as Partial<SnapshotAt>))).toBe(
      'unknown: unreadable',
    );
  });

  it('whose age only its Date reveals is no second read', () => {
    const old = SENT - 5 * MINUTE;
    const first = empty(END + MINUTE, { served_at: old });
    expect(judged(charge({ evidence: [first] }), look([], AT, { servedAt: old }))).toBe('unknown: not_yet');
    expect(judged(charge({ evidence: [first] }), look([], AT))).toBe('unknown: not_yet');
    expect(judged(charge({ evidence: [first, empty(AT - MINUTE)] }), look([], AT))).toBe('not_created');
  });
});

describe('several matching activities', () => {
  it('leave the charge unknown and are all listed', () => {
    const conclusion = judgeRead(
      charge(),
      look([activity(1), madeAt(SENT - 90_000, 2), activity(3, { uid: null })]),
      NOBODY,
    );
    expect(conclusion).toMatchObject({
      state: 'unknown',
      why: 'several',
      reason: `several activities fit: ${uidOf(1)}, ${uidOf(2)}, one without an identifier`,
      evidence: {
        found: 'several',
        candidates: [{ uid: uidOf(1) }, { uid: uidOf(2) }, { uid: null }],
        candidates_count: 3,
      },
    });
  });

  it('are stored in a limited number', () => {
    const many = Array.from({ length: 500 }, (_, index) => activity(index));
    const owned = new Set(many.slice(0, 250).map(({ uid }) => String(uid)));
    const conclusion = judgeRead(charge(), look(many), owned);
    expect(conclusion).toMatchObject({
      reason: expect.stringMatching(/ and 247 more$/),
      evidence: { candidates_count: 250, excluded_count: 250 },
    });
    expect(JSON.stringify(conclusion.evidence).length).toBeLessThan(4000);
  });

  it('are not recorded again while unchanged', () => {
    const first = judgeRead(charge(), look([activity(1), activity(2)]), NOBODY).evidence as Evidence;
    const noted = charge({ evidence: [first] });
    const again = (activities: unknown[]) => judgeRead(noted, look(activities, END + 3_600_000), NOBODY);
    expect(again([activity(1), activity(2)]).evidence).toBeUndefined();
    expect(again([activity(1), activity(3)]).evidence).toBeDefined();
    expect(again([activity(1, { uid: null })]).evidence).toBeDefined();
  });

  it('are not recorded again after a read of an older paycli without a monotonic time', () => {
    const { mark, ...older } = judgeRead(charge(), look([activity(1), activity(2)]), NOBODY).evidence as Evidence;
    expect(mark).toBeDefined();
    const noted = charge({ evidence: [older as Evidence] });
    expect(judgeRead(noted, look([activity(1), activity(2)], END + 3_600_000), NOBODY).evidence).toBeUndefined();
  });
});

describe('a read without activities', () => {
  const LATE = END + 15 * MINUTE;
  it.each([
    ['first read', [], LATE, 'unknown: not_yet'],
    ['two empty reads a minute apart, the second after 15 minutes', [empty(LATE - MINUTE)], LATE, 'not_created'],
    ['less than a minute apart', [empty(LATE - MINUTE)], LATE - 1, 'unknown: not_yet'],
    ['less than a minute apart, later', [empty(LATE + MINUTE)], LATE + 2 * MINUTE - 1, 'unknown: not_yet'],
    ['a minute apart, later', [empty(LATE + MINUTE)], LATE + 2 * MINUTE, 'not_created'],
    ['before 15 minutes have passed', [empty(END)], LATE - 1, 'unknown: not_yet'],
    ['the first long ago', [empty(END)], LATE, 'not_created'],
    [
      'not empty in between',
      [empty(END), { kind: 'look', at: atom(END + MINUTE), found: 'several' }],
      LATE,
      'unknown: not_yet',
    ],
    [
      'an empty one since then',
      [{ kind: 'look', at: atom(END), found: 'doubtful' }, empty(LATE - MINUTE)],
      LATE,
      'not_created',
    ],
    ['other evidence is ignored', [{ kind: 'answer', at: atom(END), found: 'none' }], LATE, 'unknown: not_yet'],
  ] as const)('is judged: %s', (_what, evidence, at, state) => {
    expect(judged(charge({ evidence }), look([], at))).toBe(state);
  });

  it.each([
    ['from the recording', 10 * SECOND, 10 * SECOND],
    ['from the deadline if the process died', undefined, 30 * SECOND],
    ['from the recording, however long the machine slept', 3_600_000, 3_600_000],
    ['from the intent at the earliest', -5, 0],
  ])('counts the 15 minutes %s', (_what, took, over) => {
    const of = charge({ took, recordedAt: SENT + 7_200_000, evidence: [empty(SENT)] });
    expect(judged(of, look([], SENT + over + 15 * MINUTE - 1))).toBe('unknown: not_yet');
    expect(judged(of, look([], SENT + over + 15 * MINUTE))).toBe('not_created');
  });

  it.each([
    ['after 15 minutes', [], END + MINUTE, END + 15 * MINUTE],
    ['a minute after a late first read', [], LATE + 5000, LATE + 5000 + MINUTE],
    ['a minute after the first read', [empty(LATE - 30_000)], LATE, LATE + 30_000],
  ] as const)('suggests the next read: %s', (_when, evidence, at, again) => {
    const conclusion = judgeRead(charge({ evidence }), look([], at), NOBODY);
    expect(conclusion).toMatchObject({ state: 'unknown', again });
    expect(judged(charge({ evidence: [...evidence, empty(at)] }), look([], again))).toBe('not_created');
  });

  it.each([MINUTE, 60 * MINUTE])(
    'is not misled by a clock change between two reads, %i ms after the charge',
    (after) => {
      const first = judgeRead(charge(), look([], SENT + after), NOBODY).evidence as Evidence;
      const of = charge({ evidence: [first] });
      for (const jump of [17 * MINUTE, -17 * MINUTE, 48 * 60 * MINUTE]) {
        const soon = SENT + after + SECOND;
        const seen = look([], soon, momentAt(soon, jump));
        for (const servedAt of [soon, soon + jump, undefined]) {
          expect(judged(of, { ...seen, servedAt } as SnapshotAt)).toBe('unknown: not_yet');
        }
        const due = Math.max(SENT + after + MINUTE, LATE);
        expect(judged(of, look([], due - 1, momentAt(due - 1, jump)))).toBe('unknown: not_yet');
        expect(judged(of, look([], due, momentAt(due, jump)))).toBe('not_created');
      }
    },
  );

  it('is recorded ever more rarely, and the first one is kept', () => {
    let of = charge({ took: undefined, deadline: SENT + 365 * 24 * 60 * MINUTE });
    for (let at = SENT; at < SENT + 24 * 60 * MINUTE; at += 30 * SECOND) {
      const { evidence } = judgeRead(of, look([], at), NOBODY);
      if (evidence !== undefined) of = { ...of, evidence: [...of.evidence, evidence] };
    }
    expect(of.evidence.length).toBeGreaterThan(5);
    expect(of.evidence.length).toBeLessThan(15);
    expect(of.evidence[0]?.at).toBe('2026-11-20T12:00:00+00:00');
  });
});

describe('a read without activities after a restart', () => {
  const sent = charge({ begun: markAt(SENT, OLD_BOOT) });
  const FIRST = SENT + 3_600_000;
  const judgedAfter = (evidence: readonly Evidence[], at: number, some: Partial<SnapshotAt> = {}): string =>
    judged({ ...sent, evidence }, look([], at, some));
  const noDate = { servedAt: undefined } as unknown as Partial<SnapshotAt>;
  const emptyBefore = (some: Readonly<Record<string, unknown>> = {}): Evidence =>
    empty(FIRST, { mark: markAt(FIRST, OLD_BOOT), ...some });

  it.each([
    ['of this boot', empty(FIRST)],
    ["of the previous boot, by the service's clock", emptyBefore()],
    ['of a machine without a boot id', emptyBefore({ mark: { boot: '', uptime: 0 } })],
  ])('counts the 15 minutes from the first empty read %s', (_what, first) => {
    expect(judgedAfter([first], FIRST + 15 * MINUTE - 1)).toBe('unknown: not_yet');
    expect(judgedAfter([first], FIRST + 15 * MINUTE)).toBe('not_created');
  });

  it.each([-17 * MINUTE, 17 * MINUTE])('uses no clock that may have been changed, here by %i ms', (jump) => {
    for (const passed of [SECOND, 15 * MINUTE - SECOND, 15 * MINUTE, 3 * 60 * MINUTE]) {
      const at = FIRST + passed;
      // Clocks that diverge may mean an old answer: counting restarts.
      expect(judgedAfter([emptyBefore()], at, momentAt(at, jump))).toBe('unknown: not_yet');
      expect(judgedAfter([empty(FIRST)], at, { ...momentAt(at, jump), servedAt: at + jump })).toBe('unknown: not_yet');
      const anew = [emptyBefore(), empty(at, { at: atom(at + jump) })];
      const later = at + 15 * MINUTE;
      expect(judgedAfter(anew, later - SECOND, momentAt(later - SECOND, jump))).toBe('unknown: not_yet');
      expect(judgedAfter(anew, later, momentAt(later, jump))).toBe('not_created');
    }
  });

  it.each([
    ['both reads', null, noDate],
    ['the first read', null, {}],
    ['the second read', FIRST, noDate],
  ])("is never compared across the restart without the service's time in %s", (_what, served, some) => {
    for (const days of [0, 1, 365]) {
      const at = FIRST + 15 * MINUTE + days * 24 * 60 * MINUTE;
      expect(judgedAfter([emptyBefore({ served_at: served })], at, some)).toBe('unknown: not_yet');
    }
  });

  it("is never compared without the service's time if the machine has no boot id", () => {
    const mark = { boot: '', uptime: 1000 };
    const of = charge({ begun: mark, evidence: [emptyBefore({ mark, served_at: null })] });
    const at = FIRST + 3_600_000;
    expect(judged(of, look([], at, { ...noDate, mark: { boot: '', uptime: 1e9 } }))).toBe('unknown: not_yet');
  });

  it('restarts with the first comparable read and keeps it', () => {
    const looks = Array.from({ length: 12 }, () => emptyBefore({ served_at: null }));
    let of: Charge = { ...sent, evidence: looks };
    const states = Array.from({ length: 16 * 60 + 1 }, (_, second) => {
      const conclusion = judgeRead(of, look([], FIRST + second * SECOND, noDate), NOBODY);
      of = { ...of, evidence: withEvidence(of.evidence, conclusion.evidence) };
      return conclusion.state;
    });
    expect(states.indexOf('not_created')).toBe(15 * 60);
  });

  it('suggests the next read', () => {
    expect(judgeRead(sent, look([], FIRST), NOBODY)).toMatchObject({ again: FIRST + 15 * MINUTE });
    const of = { ...sent, evidence: [empty(FIRST)] };
    expect(judgeRead(of, look([], FIRST + MINUTE), NOBODY)).toMatchObject({ again: FIRST + 15 * MINUTE });
  });
});

describe("clocks that can't be compared", () => {
  const AT = END + 16 * MINUTE;
  const hour = 60 * MINUTE;
  const restarted = { begun: markAt(SENT, OLD_BOOT) };
  const noDate = { servedAt: undefined } as unknown as Partial<SnapshotAt>;
  const [unsaid, unsure] = ['clocks not compared', 'clock may have been set'] as const;

  it.each([
    ['accept an activity in the window', [activity(1)], 'accepted'],
    ["don't make an activity absent that only its time excludes", [madeAt(SENT - hour)], 'unknown: doubtful'],
    ["don't make a later activity absent", [madeAt(SENT + hour)], 'unknown: doubtful'],
    ["don't make several activities absent", [madeAt(SENT + hour), madeAt(SENT - hour, 2)], 'unknown: several'],
    ["don't decide between one in the window and others", [madeAt(SENT - hour), activity(2)], 'unknown: several'],
    ['change nothing if no clock is needed', [activity(1, { medium: 'bank_transfer' })], 'not_created'],
  ])('%s', (_what, activities, state) => {
    // Already the second read of this boot, so only the activities prevent "not created".
    const evidence = [empty(END)];
    expect(judged(charge({ evidence }), look(activities, AT, noDate))).toBe(state);
    expect(judged(charge({ ...restarted, evidence }), look(activities, AT))).toBe(state);
    expect(judged(charge({ ...restarted, evidence }), look(activities, AT, noDate))).toBe(state);
  });

  it.each([
    ["without the service's clock", charge(), noDate, unsaid],
    ['after a restart', charge(restarted), {}, unsure],
    ['after both', charge(restarted), noDate, unsaid],
    ['without a boot id', charge({ begun: { boot: '', uptime: 0 } }), { mark: { boot: '', uptime: 0 } }, unsure],
  ])('give the reason: %s', (_what, of, some, doubt) => {
    expect(judgeRead(of, look([madeAt(SENT - hour)], AT, some as Partial<SnapshotAt>), NOBODY)).toMatchObject({
      reason: `${uidOf(1)} may be it, but that is not proven: ${doubt}`,
      evidence: { candidates: [{ uid: uidOf(1), doubt }], excluded: [] },
    });
  });

  it.each([
    ["without the service's clock", charge(), noDate, 'accepted'],
    ['with it, after a restart', charge(restarted), {}, 'unknown: doubtful'],
  ])("detect an earlier activity only by the service's clock: %s", (_what, of, some, state) => {
    expect(judged(of, look([madeAt(SENT - 90 * SECOND)], AT, some))).toBe(state);
  });

  it.each([
    ['two minutes before', SENT - 2 * MINUTE, 'accepted'],
    ['more than two minutes before', SENT - 2 * MINUTE - 1, 'unknown: doubtful'],
    ['two minutes after the end', END + 2 * MINUTE, 'accepted'],
    ['more than two minutes after the end', END + 2 * MINUTE + 1, 'unknown: doubtful'],
  ])('have the same window: %s', (_what, made, state) => {
    expect(judged(charge(), look([madeAt(made)], AT, noDate))).toBe(state);
    // A fast local clock at the charge and at the read changes nothing.
    const evidence = [proveless(AT - MINUTE, 0)];
    const fast = charge({ ...restarted, createdAt: SENT + hour, deadline: SENT + hour + 30 * SECOND, evidence });
    const seen = look([madeAt(made)], AT, { ...momentAt(AT, hour), askedAt: AT + hour });
    expect(judged(fast, seen)).toBe(state === 'accepted' && made < SENT ? 'unknown: doubtful' : state);
  });
});

describe('an answer that may be outdated', () => {
  const [AT, SKEW] = [END + 20 * MINUTE, -20 * MINUTE];
  /** Another's activity, created before the charge, in an answer of a cache that hides its age. */
  const seen = look([madeAt(SENT + SKEW)], AT, { servedAt: AT + SKEW });
  const stateWith = (...evidence: readonly Evidence[]): string => judged(charge({ evidence }), seen);

  it('proves nothing alone, and the next read is suggested', () => {
    expect(judgeRead(charge(), seen, NOBODY)).toMatchObject({
      state: 'unknown',
      reason: `${uidOf(1)} may be it, but that is not proven: the answer may be an old one`,
      again: AT + MINUTE,
      evidence: { found: 'doubtful', candidates: [{ uid: uidOf(1), doubt: 'the answer may be an old one' }] },
    });
  });

  it("is trusted once an earlier read, a minute before, shows that the service's clock advances", () => {
    expect(stateWith(proveless(AT - MINUTE, SKEW))).toBe('accepted');
    expect(stateWith(proveless(AT - 5 * MINUTE, SKEW + 30 * SECOND))).toBe('accepted');
  });

  it.each([
    ['a read too soon before', proveless(AT - MINUTE + 1, SKEW)],
    ['a read with the same service time', proveless(AT - 5 * MINUTE, SKEW + 5 * MINUTE)],
    ["a read with half a minute's difference", proveless(AT - 5 * MINUTE, SKEW + 30 * SECOND + 1)],
    [
      'a read before a restart, with the same time',
      empty(AT - 5 * MINUTE, { served_at: AT + SKEW, mark: markAt(AT, OLD_BOOT) }),
    ],
    ["a read without the service's clock", empty(AT - MINUTE, { served_at: null })],
  ])('is not trusted after %s', (_what, earlier) => {
    expect(stateWith(earlier)).toBe('unknown: doubtful');
  });

  it.each([60, -31])("is recorded if the service's clock moved by %i s, so that a later read can decide", (seconds) => {
    const again = (at: number, skew: number, evidence: readonly Evidence[]) =>
      judgeRead(charge({ evidence }), look([madeAt(SENT + SKEW)], at, { servedAt: at + skew }), NOBODY);
    const stale = again(AT, SKEW + seconds * SECOND, []).evidence as Evidence;
    const second = again(AT + 2 * MINUTE, SKEW, [stale]);
    expect(second).toMatchObject({ state: 'unknown', evidence: { served_at: AT + 2 * MINUTE + SKEW } });
    const kept = [stale, second.evidence as Evidence];
    expect(again(AT + 2 * MINUTE + SECOND, SKEW, kept).evidence).toBeUndefined();
    expect(again(AT + 3 * MINUTE, SKEW, kept).state).toBe('accepted');
  });

  it('is compared by the local clock if no monotonic one is available', () => {
    const earlier = { ...proveless(AT - MINUTE, SKEW), mark: markAt(AT, OLD_BOOT) };
    expect(stateWith(earlier)).toBe('accepted');
    expect(stateWith({ ...earlier, at: 'never' })).toBe('unknown: doubtful');
  });

  it('is not trusted even if only somewhat old', () => {
    const slow = (ms: number) => look([madeAt(SENT - ms)], SENT + 40 * SECOND, { servedAt: SENT + 40 * SECOND - ms });
    expect(judged(charge(), slow(45 * SECOND))).toBe('unknown: doubtful');
    expect(judged(charge(), slow(11 * SECOND + 1))).toBe('unknown: doubtful');
    expect(judged(charge(), slow(11 * SECOND))).toBe('accepted');
    // The answer may have taken long.
    const long = { ...slow(45 * SECOND), askedAt: SENT + 5 * SECOND };
    expect(judged(charge(), long)).toBe('accepted');
  });

  it.each([
    ['no boot id', { boot: '', uptime: -1 }, { boot: '', uptime: -1 }],
    ['two machines', markAt(SENT, 'one'), markAt(SENT, 'two')],
  ])('proves nothing together with an earlier empty read, with %s', (_what, before, now) => {
    const old = empty(SENT + 2 * SECOND, { mark: before, served_at: SENT - 20 * MINUTE });
    const at = SENT + 5 * SECOND;
    expect(judged(charge({ evidence: [old] }), look([], at, { mark: now }))).toBe('unknown: not_yet');
  });

  it('is not trusted after a restart', () => {
    const restarted = charge({ begun: markAt(SENT, OLD_BOOT) });
    expect(judged(restarted, seen)).toBe('unknown: doubtful');
    expect(judged(restarted, look([activity(1)], AT))).toBe('accepted');
  });
});

describe('a local clock that was wrong at the charge', () => {
  const AT = END + 16 * MINUTE;
  const wrong = (ahead: number, boot: string | undefined, took: number | undefined): Charge => {
    const { at, mark } = momentAt(SENT, ahead, boot);
    return charge({ createdAt: at, begun: mark, took, deadline: at + 30 * SECOND, evidence: [empty(END)] });
  };
  it.each([
    [-5 * MINUTE, undefined],
    [5 * MINUTE, undefined],
    [-5 * MINUTE, OLD_BOOT],
    [5 * MINUTE, OLD_BOOT],
  ])('by %i ms, in the boot %s, and is right now never makes an existing activity absent', (ahead, boot) => {
    for (const took of [10 * SECOND, undefined]) {
      const of = wrong(ahead, boot, took);
      const told = judged(of, look([activity(1)], AT));
      expect(told).toBe(boot === undefined ? 'accepted' : 'unknown: doubtful');
      const untold = judged(of, look([activity(1)], AT, { servedAt: undefined } as unknown as Partial<SnapshotAt>));
      expect(untold).toBe(boot === undefined ? 'accepted' : 'unknown: doubtful');
      // Only the activity prevents "not created".
      expect(judged(of, look([], AT))).toBe('not_created');
    }
  });

  it.each([
    ['longer than the window', 3_600_000, 'unknown: doubtful'],
    ['exactly as long as the window', 2 * MINUTE, 'unknown: doubtful'],
    ['for a short time', 10 * SECOND, 'accepted'],
  ])('did not count a pause of the machine, %s', (_what, paused, state) => {
    // Its wall clock advanced after the pause; the uptime did not.
    const seen = look([activity(1)], AT + paused, { mark: markAt(AT) });
    expect(judged(wrong(0, undefined, 10 * SECOND), seen)).toBe(state);
  });

  it.each([
    ['by half a minute: an activity created too early does not match', MINUTE / 2, 'not_created'],
    ['by more: the activity may match', 2 * MINUTE + 1, 'unknown: doubtful'],
  ])('counted more than the uptime, %s', (_what, paused, state) => {
    const seen = look([madeAt(SENT - 10 * MINUTE)], AT + paused, { mark: markAt(AT) });
    expect(judged(wrong(0, undefined, 10 * SECOND), seen)).toBe(state);
  });

  it('by any amount, then and now, never makes an existing activity absent', () => {
    const wander = fc.integer({ min: -2 * 24 * 60 * MINUTE, max: 2 * 24 * 60 * MINUTE });
    const some = fc.record({
      ahead: wander,
      later: wander,
      service: wander,
      made: fc.nat(),
      took: fc.option(fc.nat(3_600_000), { nil: undefined }),
      boot: fc.constantFrom(undefined, OLD_BOOT, ''),
      hasDate: fc.boolean(),
      roundTrip: fc.nat(30_000),
      passed: fc.integer({ min: 16 * MINUTE, max: 40 * 24 * 60 * MINUTE }),
    });
    fc.assert(
      fc.property(some, ({ ahead, later, service, made, took, boot, hasDate, roundTrip, passed }) => {
        const of = wrong(ahead, boot, took);
        const at = SENT + 3_600_000 + passed;
        // Created during the sending, by the service's clock; at any time if the process died.
        const sent = made % ((took ?? passed) + 1);
        const seen = look([madeAt(SENT + service + sent)], at, {
          ...momentAt(at, later),
          askedAt: at + later - roundTrip,
          servedAt: hasDate ? Math.floor((at + service) / SECOND) * SECOND : undefined,
        } as Partial<SnapshotAt>);
        expect(judged(of, seen)).toMatch(/accepted|doubtful/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an unusable read', () => {
  const at = END + 3_600_000;
  it.each([
    ['activities are not listed', { activities: undefined }, 'unlisted', "the service doesn't list activities"],
    ['no such read', { unavailable: 'the answer was 405', status: 405 }, 'unlisted', 'the answer was 405'],
    [
      '404 for this key',
      { unavailable: 'the service answered 404', status: 404 },
      'unlisted',
      'the service answered 404',
    ],
    ['an invalid answer', { unavailable: 'broken', status: 200 }, 'unlisted', 'broken'],
    ['overloaded', { unavailable: 'slow', status: 429 }, 'unreadable', 'slow'],
    ['timeout', { unavailable: 'late', status: 408 }, 'unreadable', 'late'],
    ['service down', { unavailable: 'down', status: 503 }, 'unreadable', 'down'],
    ['no answer', { unavailable: 'reset' }, 'unreadable', 'reset'],
  ] as const)('changes and records nothing: %s', (_what, sight, why, reason) => {
    const of = charge({ evidence: [empty(END)] });
    expect(judgeRead(of, { ...sight, askedAt: at, ...momentAt(at), servedAt: at } as SnapshotAt, NOBODY)).toEqual({
      state: 'unknown',
      why,
      reason,
    });
  });
});

const KEY = 'sk.AbCd.canarycanarycanarycanary';
const PHONE = '08031234567';
const nasty = fc.oneof(
  fc.constantFrom(KEY, PHONE, `+234 803 123 4567 ${KEY}`, null, 5, [], {}, ['x', KEY], DIAL, {
    headers: { ussd: PHONE },
  }),
  fc.jsonValue(),
);
const anyActivity = fc.oneof(
  nasty,
  fc.record(
    { uid: nasty, status: nasty, medium: nasty, created_at: nasty, next_action: nasty, phone: nasty },
    { requiredKeys: [] },
  ),
  fc
    .record({ at: fc.integer({ min: -4 * MINUTE, max: 4 * MINUTE }), number: fc.nat(3), psp: nasty })
    .map(({ at, number, psp }) => ({
      ...madeAt(SENT + at, number),
      psp,
    })),
);

describe('any answer of the service', () => {
  it('is judged without a key or phone number in the evidence', () => {
    fc.assert(
      fc.property(
        fc.array(anyActivity, { maxLength: 6 }),
        fc.option(fc.integer(), { nil: undefined }),
        (activities, skew) => {
          const at = END + 16 * MINUTE;
          const seen = {
            askedAt: at - 5,
            ...momentAt(at),
            activities,
            ...(skew === undefined ? {} : { servedAt: at + skew }),
          };
          const { evidence } = judgeRead(charge({ evidence: [empty(END)] }), seen, NOBODY);
          expect(JSON.stringify(evidence ?? {})).not.toMatch(/canary|8031234567|803 123/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is accepted only for a single free activity in the window, and "not created" only without any', () => {
    const one = fc.record({
      offset: fc.integer({ min: -300, max: 300 }),
      owned: fc.boolean(),
      medium: fc.constantFrom('ussd', 'bank_transfer', undefined),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.integer({ min: -9e6, max: 9e6 }), (ones, skew) => {
        const sure = Math.abs(skew) <= 2 * MINUTE;
        const at = END + 16 * MINUTE;
        const activities = ones.map(({ offset, medium }, index) =>
          activity(index, { created_at: atom(SENT + offset * SECOND + skew), next_action: null, medium }),
        );
        const owned = new Set(ones.flatMap((made, index) => (made.owned ? [uidOf(index)] : [])));
        const seen = look(activities, at, { servedAt: at + skew });
        const fitting = ones.flatMap(({ offset, medium, owned: other }, index) =>
          !other && medium !== 'bank_transfer' ? [{ index, offset }] : [],
        );
        const isInside = ({ offset }: { readonly offset: number }): boolean => offset >= -120 && offset <= 130;
        const possible = sure ? fitting.filter(isInside) : fitting;
        const before = empty(END, { served_at: END + skew });
        const conclusion = judgeRead(charge({ evidence: [before] }), seen, owned);
        const [first] = possible;
        if (possible.length === 0) {
          const late = sure && fitting.some(({ offset }) => offset > 130);
          expect(conclusion.state).toBe(late ? 'unknown' : 'not_created');
        } else if (possible.length === 1 && possible.every(isInside) && (first?.offset ?? 0) >= -11)
          expect(conclusion).toMatchObject({ state: 'accepted', activity: { uid: uidOf(first?.index ?? -1) } });
        else expect(conclusion.state).toBe('unknown');
      }),
      { numRuns: 300 },
    );
  });
});

describe('reconcile', () => {
  const at = END + MINUTE;
  /** A ledger whose clock returns these times in turn, then the last one. */
  const ledgerAt = (rows: readonly Charge[], ...times: readonly number[]): Ledger => {
    const left = [...times];
    return memoryLedger(rows, () => (left.length > 1 ? left.shift() : left[0]) ?? at);
  };
  const showing =
    (activities: readonly unknown[], servedAt = at) =>
    async (): Promise<RequestRead> =>
      snapshotOf({ activities }, { servedAt });

  it('writes the result and returns the new entry', async () => {
    const ledger = ledgerAt([charge()], at - 50, at);
    const done = await reconcile(ledger, charge(), showing([activity(1)]));
    expect(done).toMatchObject({ charge: { state: 'accepted', activity: { uid: uidOf(1) } }, left: undefined });
    expect(done.charge.evidence).toMatchObject([{ found: 'one', round_trip_ms: 50, skew_ms: 0 }]);
    expect(await ledger.get(done.charge.id)).toEqual(done.charge);
  });

  it('stores what the payment request of the activity received', async () => {
    const paid = activity(1, { status: 'successful', amount: 900 });
    const request = snapshotOf({ amount: 900, total_amount_paid: 400, activities: [paid] }, { servedAt: at });
    const done = await reconcile(ledgerAt([charge()], at - 50, at), charge(), async () => request);
    expect(done.charge.money).toMatchObject({ payment: 'underpaid', received: 400, missing: 500 });
  });

  it('stores the payment that the read shows of another charge', async () => {
    const open = { uid: uidOf(2), status: 'requires_action', nextAction: null, createdAt: undefined };
    const other = charge({ id: 'chg-2', seq: 2, state: 'accepted', activity: open });
    const ledger = ledgerAt([charge(), other]);
    const paid = activity(2, { status: 'successful', amount: 900, charged_amount: 900 });
    const done = await reconcile(ledger, charge(), showing([paid, activity(1)]));
    expect(done.charge).toMatchObject({ state: 'accepted', activity: { uid: uidOf(1) } });
    expect(await ledger.get('chg-2')).toMatchObject({ money: { payment: 'paid', received: 900 } });
  });

  it('records why the charge stays unknown', async () => {
    const ledger = ledgerAt([charge()]);
    const done = await reconcile(ledger, charge(), showing([]));
    expect(done).toMatchObject({
      charge: { state: 'unknown', evidence: [{ found: 'none' }] },
      left: { why: 'not_yet' },
    });
  });

  it("asks the ledger for the activities' owners", async () => {
    const other = charge({
      id: 'chg-2',
      seq: 2,
      state: 'accepted',
      activity: { uid: uidOf(2), status: 'x', nextAction: null, createdAt: undefined },
    });
    const ledger = ledgerAt([charge(), other]);
    const done = await reconcile(ledger, charge(), showing([activity(2), activity(1), null]));
    expect(done.charge.evidence).toMatchObject([{ excluded: [{ uid: uidOf(2), why: 'owned by another charge' }] }]);
  });

  it('returns the entry as another process changed it during the read', async () => {
    const ledger = ledgerAt([charge()]);
    const resolved: Evidence = { kind: 'resolved', at: atom(at) };
    const done = await reconcile(ledger, charge(), async () => {
      await ledger.resolve(charge().id, { state: 'not_created', evidence: resolved });
      return snapshotOf({ activities: [] }, { servedAt: at });
    });
    expect(done).toMatchObject({ charge: { state: 'not_created', evidence: [resolved] }, left: undefined });
  });

  it('returns the entry as another process changed it during the write', async () => {
    const inner = ledgerAt([charge()]);
    const ledger: Ledger = {
      ...inner,
      resolve: async (id, resolution) => {
        await inner.resolve(id, { ...resolution, state: 'not_created', evidence: { kind: 'resolved', at: atom(at) } });
        return inner.resolve(id, resolution);
      },
    };
    const done = await reconcile(ledger, charge(), showing([activity(1)]));
    expect(done).toMatchObject({ charge: { state: 'not_created' }, left: undefined });
  });

  it('stays unknown if the activity meanwhile belongs to another charge', async () => {
    const ledger: Ledger = { ...ledgerAt([charge()]), resolve: async () => false };
    const done = await reconcile(ledger, charge(), showing([activity(1)]));
    expect(done).toMatchObject({ charge: { state: 'unknown' }, left: { why: 'unreadable' } });
  });

  it('uses reads that others recorded meanwhile', async () => {
    const LATE = END + 16 * MINUTE;
    const stale = charge({ evidence: [empty(END)] });
    const several: Evidence = { kind: 'look', at: atom(END + MINUTE), found: 'several' };
    const ledger = ledgerAt([charge({ evidence: [empty(END), several] })], LATE);
    const done = await reconcile(ledger, stale, showing([], LATE));
    expect(done).toMatchObject({ charge: { state: 'unknown' }, left: { why: 'not_yet' } });
  });

  it("stores no key from the service's answer", async () => {
    const action = { type: 'user_action', instruction: `Approve with ${KEY}`, headers: { [KEY]: KEY } };
    const ledger = { ...ledgerAt([charge()]), clean: (text: string) => text.replaceAll(KEY, '[secret]') };
    const done = await reconcile(ledger, charge(), showing([activity(1, { next_action: action })]));
    expect(done.charge.activity?.nextAction).toEqual({
      type: 'user_action',
      instruction: 'Approve with [secret]',
      headers: { '[secret]': '[secret]' },
    });
  });

  it('records the monotonic time of the answer', async () => {
    const ledger = ledgerAt([charge()], at - 50, at);
    const done = await reconcile(ledger, charge(), showing([]));
    expect(done.charge.evidence).toMatchObject([{ mark: markAt(at), served_at: at, round_trip_ms: 50 }]);
  });

  it('rethrows an error of the read', async () => {
    const failing = () => Promise.reject(new Error('no key'));
    await expect(reconcile(ledgerAt([charge()]), charge(), failing)).rejects.toThrow('no key');
  });
});

it('charges are walked oldest first, from a place on', async () => {
  const all = [1, 2, 3].map((seq) => charge({ id: `chg-${String(seq).padStart(12, '0')}`, seq }));
  const walked = async (after: number) => {
    const seqs: number[] = [];
    for await (const { seq } of walkCharges(memoryLedger(all), { after })) seqs.push(seq);
    return seqs;
  };
  expect([await walked(0), await walked(1)]).toEqual([
    [1, 2, 3],
    [2, 3],
  ]);
});

it('entries that the database cannot compare are read page by page, each once', async () => {
  const seqs = Array.from({ length: 450 }, (_, index) => index + 1);
  const all = seqs.map((seq) => charge({ id: `chg-${String(seq).padStart(12, '0')}`, seq }));
  const found = await entriesBehind(memoryLedger(all), { test: () => true }, undefined, 450);
  expect(found.map(({ seq }) => seq)).toEqual(seqs.reverse());
});
