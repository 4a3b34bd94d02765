import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDateAtom } from '../../src/core/time.ts';
import type { Charge, Evidence, Ledger } from '../../src/ledger/ledger.ts';
import type { Look, Sight } from '../../src/ledger/look.ts';
import type { Conclusion } from '../../src/ledger/reconcile.ts';
import { judgeLook, reconcile } from '../../src/ledger/reconcile.ts';
import { charge, markAt, memoryLedger, SENT } from './support/memory.ts';

const SECOND = 1000;
const MINUTE = 60_000;
const END = SENT + 10 * SECOND;
const NOBODY: ReadonlySet<string> = new Set();

const atom = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}+00:00`;
const uidOf = (number: number): string => `act.AbCd.${String(number).padStart(24, '0')}`;
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737*1#' } };
const ACCOUNT = {
  bank_name: 'A Bank',
  account_name: 'ADA',
  account_number: '0123456789',
  expires_at: '2026-11-20T12:15:00+00:00',
};

/** An activity of the charge's own medium, made as it was sent. */
const activity = (number = 1, some: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  uid: uidOf(number),
  status: 'requires_action',
  next_action: DIAL,
  created_at: atom(SENT),
  ...some,
});
const madeAt = (ms: number, number = 1): Record<string, unknown> => activity(number, { created_at: atom(ms) });

/** A look whose clocks agree and whose answer takes no time. */
const look = (activities: readonly unknown[], at = END + MINUTE, some: Partial<Look> = {}): Look =>
  ({ askedAt: at, at, mark: markAt(at), servedAt: at, activities, ...some }) as Look;

const empty = (at: number, some: Readonly<Record<string, unknown>> = {}): Evidence => ({
  kind: 'look',
  at: formatDateAtom({ ms: at, offset: 0 }),
  found: 'none',
  mark: markAt(at),
  served_at: at,
  ...some,
});
const stateAfter = (conclusion: Conclusion): string =>
  conclusion.state === 'unknown' ? `unknown: ${conclusion.why}` : conclusion.state;
const judged = (of: Charge, seen: Look, owned: ReadonlySet<string> = NOBODY): string =>
  stateAfter(judgeLook(of, seen, owned));

describe('the one activity that can be the charge', () => {
  it('makes it accepted, with the evidence', () => {
    const other = activity(2);
    const seen = look([other, activity(1)], END + MINUTE, {
      askedAt: END + MINUTE - 200,
      servedAt: END + MINUTE + 5000,
    });
    expect(judgeLook(charge(), seen, new Set([uidOf(2)]))).toEqual({
      state: 'accepted',
      activity: {
        uid: uidOf(1),
        status: 'requires_action',
        nextAction: DIAL,
        createdAt: atom(SENT),
        servedAt: END + MINUTE + 5000,
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

  it('may write its enums as pairs', () => {
    const conclusion = judgeLook(charge(), look([activity(1, { status: ['processing', 'Busy'] })]), NOBODY);
    expect(conclusion).toMatchObject({ state: 'accepted', activity: { status: 'processing' } });
  });

  it.each([
    ['two minutes after the end', END + 2 * MINUTE, 'accepted'],
    ['later than that', END + 2 * MINUTE + 1, 'unknown: not_yet'],
    ['ten seconds and the resolution of Date before', SENT - 11 * SECOND, 'accepted'],
    ['earlier than that', SENT - 11 * SECOND - 1, 'unknown: doubtful'],
    ['two minutes before', SENT - 2 * MINUTE, 'unknown: doubtful'],
    ['earlier still', SENT - 2 * MINUTE - 1, 'unknown: not_yet'],
  ])('made %s', (_when, at, state) => {
    expect(judged(charge(), look([madeAt(at)], END + 5 * MINUTE))).toBe(state);
    for (const skew of [-3_600_000, -1500, 700, 86_400_000]) {
      const seen = look([madeAt(at + skew)], END + 5 * MINUTE, { servedAt: END + 5 * MINUTE + skew });
      expect(judged(charge(), seen), `service ${skew} ms ahead`).toBe(state);
    }
  });

  it.each([
    [SENT - 11 * SECOND - 400, 'accepted'],
    [SENT - 11 * SECOND - 401, 'unknown: doubtful'],
  ])('is given the round trip, made at %d', (at, state) => {
    const seen = look([madeAt(at)], END + MINUTE, { askedAt: END + MINUTE - 400 });
    expect(judged(charge(), seen)).toBe(state);
  });

  const FOUND = SENT + 3_600_000;
  it.each([
    ['when it was settled', charge(), END, END],
    ['at the deadline, where a dead process was found later', charge({ settledAt: FOUND }), SENT + 30 * SECOND, FOUND],
    [
      'at the deadline, where it was not settled',
      charge({ settledAt: undefined }),
      SENT + 30 * SECOND,
      SENT + 7_200_000,
    ],
  ])('takes the sending to have ended %s', (_when, of, end, certain) => {
    const at = SENT + 7_200_000;
    expect(judged(of, look([madeAt(end + 2 * MINUTE)], at))).toBe('accepted');
    // Behind that nothing is proof any more; and only when the death was noticed must nothing be there.
    const behind = end === certain ? 'unknown: not_yet' : 'unknown: doubtful';
    expect(judged(of, look([madeAt(end + 2 * MINUTE + 1)], at))).toBe(behind);
    expect(judged(of, look([madeAt(certain + 2 * MINUTE + 1)], at))).toMatch(/not_yet|not_created/);
  });

  it('ends its window now while the sending may go on', () => {
    const of = charge({ settledAt: undefined, deadline: SENT + 3_600_000 });
    const at = SENT + 5 * MINUTE;
    expect(judged(of, look([madeAt(at + 2 * MINUTE)], at))).toBe('accepted');
    expect(judged(of, look([madeAt(at + 2 * MINUTE + 1)], at))).toBe('unknown: not_yet');
  });

  it.each([
    ['without a time', { created_at: null }, 'no time'],
    ['with a time that can not be read', { created_at: '20 November' }, 'no time'],
    ['without an identifier', { uid: undefined }, 'no identifier'],
    ['with the identifier of something else', { uid: 'ugw.AbCd.1' }, 'no identifier'],
  ])('proves nothing %s', (_what, some, doubt) => {
    const conclusion = judgeLook(charge(), look([activity(1, some)]), NOBODY);
    expect(conclusion).toMatchObject({
      state: 'unknown',
      why: 'doubtful',
      reason: expect.stringMatching(`^(?:${uidOf(1)}|one without an identifier) can be it, but is no proof: ${doubt}$`),
      evidence: { found: 'doubtful', candidates: [{ doubt }] },
    });
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
    ['ussd', { next_action: custom }, 'accepted'],
    ['ussd', { next_action: null, medium: 'bank_transfer' }, 'unknown: not_yet'],
    ['ussd', { next_action: null, medium: ['ussd', 'USSD'] }, 'accepted'],
    ['ussd', { next_action: transfer, medium: 'ussd' }, 'accepted'],
    ['mobile_money', { next_action: null }, 'accepted'],
    ['mobile_money', { next_action: DIAL }, 'unknown: doubtful'],
    ['mobile_money', { next_action: null, medium: 'ussd' }, 'unknown: not_yet'],
    ['mobile_money', { next_action: DIAL, medium: 'mobile_money' }, 'accepted'],
    ['pay_with_bank', { next_action: transfer }, 'unknown: doubtful'],
  ])('%s beside %j', (medium, some, state) => {
    expect(judged(charge({ medium }), look([activity(1, some)]))).toBe(state);
  });
});

describe('several activities', () => {
  it('leave it unknown, and are all listed', () => {
    const conclusion = judgeLook(
      charge(),
      look([activity(1), madeAt(SENT - 90_000, 2), activity(3, { uid: null })]),
      NOBODY,
    );
    expect(conclusion).toMatchObject({
      state: 'unknown',
      why: 'several',
      reason: `several can be it: ${uidOf(1)}, ${uidOf(2)}, one without an identifier`,
      evidence: {
        found: 'several',
        candidates: [{ uid: uidOf(1) }, { uid: uidOf(2) }, { uid: null }],
        candidates_count: 3,
      },
    });
  });

  it('are kept in a bounded number', () => {
    const many = Array.from({ length: 500 }, (_, index) => activity(index));
    const owned = new Set(many.slice(0, 250).map(({ uid }) => String(uid)));
    const conclusion = judgeLook(charge(), look(many), owned);
    expect(conclusion).toMatchObject({
      reason: expect.stringMatching(/ and 247 more$/),
      evidence: { candidates_count: 250, excluded_count: 250 },
    });
    expect(JSON.stringify(conclusion.evidence).length).toBeLessThan(4000);
  });

  it('are not noted again while they are the same', () => {
    const first = judgeLook(charge(), look([activity(1), activity(2)]), NOBODY).evidence as Evidence;
    const noted = charge({ evidence: [first] });
    const again = (activities: unknown[]) => judgeLook(noted, look(activities, END + 3_600_000), NOBODY);
    expect(again([activity(1), activity(2)]).evidence).toBeUndefined();
    expect(again([activity(1), activity(3)]).evidence).toBeDefined();
    expect(again([activity(1, { uid: null })]).evidence).toBeDefined();
  });
});

describe('no activity', () => {
  const LATE = END + 15 * MINUTE;
  it.each([
    ['never looked before', [], LATE, 'unknown: not_yet'],
    [
      'two empty looks a minute apart, the second after a quarter of an hour',
      [empty(LATE - MINUTE)],
      LATE,
      'not_created',
    ],
    ['less than a minute apart', [empty(LATE - MINUTE)], LATE - 1, 'unknown: not_yet'],
    ['less than a minute apart, later on', [empty(LATE + MINUTE)], LATE + 2 * MINUTE - 1, 'unknown: not_yet'],
    ['a minute apart, later on', [empty(LATE + MINUTE)], LATE + 2 * MINUTE, 'not_created'],
    ['before a quarter of an hour is over', [empty(END)], LATE - 1, 'unknown: not_yet'],
    ['the first one long ago', [empty(END)], LATE, 'not_created'],
    [
      'one that was not empty in between',
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
    [
      'what is no look counts for nothing',
      [{ kind: 'answer', at: atom(END), found: 'none' }],
      LATE,
      'unknown: not_yet',
    ],
  ] as const)('%s', (_what, evidence, at, state) => {
    expect(judged(charge({ evidence }), look([], at))).toBe(state);
  });

  it('counts from the deadline where a dead process was found later', () => {
    const of = charge({ settledAt: SENT + 3_600_000, evidence: [empty(SENT)] });
    expect(judged(of, look([], SENT + 30 * SECOND + 15 * MINUTE - 1))).toBe('unknown: not_yet');
    expect(judged(of, look([], SENT + 30 * SECOND + 15 * MINUTE))).toBe('not_created');
  });

  it.each([
    ['after the quarter of an hour', [], END + MINUTE, END + 15 * MINUTE],
    ['a minute after a first look that came late', [], LATE + 5000, LATE + 5000 + MINUTE],
    ['a minute after the first look', [empty(LATE - 30_000)], LATE, LATE + 30_000],
  ] as const)('says when to look again: %s', (_when, evidence, at, again) => {
    const conclusion = judgeLook(charge({ evidence }), look([], at), NOBODY);
    expect(conclusion).toMatchObject({ state: 'unknown', again });
    expect(judged(charge({ evidence: [...evidence, empty(at)] }), look([], again))).toBe('not_created');
  });

  it('takes a part of a second for a whole one, so that a minute is a minute', () => {
    const first = judgeLook(charge(), look([], LATE + 1), NOBODY).evidence as Evidence;
    expect(judged(charge({ evidence: [first] }), look([], LATE + 1 + MINUTE))).toBe('unknown: not_yet');
    expect(judged(charge({ evidence: [first] }), look([], LATE + SECOND + MINUTE))).toBe('not_created');
  });

  it('is noted ever more rarely, and its first look is never lost', () => {
    let of = charge({ settledAt: undefined, deadline: SENT + 365 * 24 * 60 * MINUTE });
    for (let at = SENT; at < SENT + 24 * 60 * MINUTE; at += 30 * SECOND) {
      const { evidence } = judgeLook(of, look([], at), NOBODY);
      if (evidence !== undefined) of = { ...of, evidence: [...of.evidence, evidence] };
    }
    expect(of.evidence.length).toBeGreaterThan(5);
    expect(of.evidence.length).toBeLessThan(15);
    expect(of.evidence[0]?.at).toBe('2026-11-20T12:00:00+00:00');
  });
});

describe('without the clock of the service', () => {
  const blind = (activities: readonly unknown[], at = END + 16 * MINUTE): Look => ({ askedAt: at, at, activities });
  it.each([
    ['takes the one in the window', [activity(1)], 'accepted'],
    ['cannot tell that one was made before', [madeAt(SENT - 90_000)], 'accepted'],
    ['does not take one that only the clock excludes for none', [madeAt(SENT - 3_600_000)], 'unknown: doubtful'],
    ['nor a later one', [madeAt(SENT + 3_600_000)], 'unknown: doubtful'],
    ['prefers one in the window', [madeAt(SENT - 3_600_000), activity(2)], 'accepted'],
    ['trusts what needs no clock', [activity(1, { medium: 'bank_transfer' })], 'not_created'],
  ])('%s', (_what, activities, state) => {
    expect(judged(charge({ evidence: [empty(END)] }), blind(activities))).toBe(state);
  });
});

describe('a look that shows nothing', () => {
  const at = END + 3_600_000;
  it.each([
    ['activities are not listed', { activities: undefined }, 'unlisted', 'the service does not list the activities'],
    ['no such read', { unavailable: 'the answer was 405', status: 405 }, 'unlisted', 'the answer was 405'],
    [
      'not there for this key',
      { unavailable: 'the service answered 404', status: 404 },
      'unlisted',
      'the service answered 404',
    ],
    ['off the contract', { unavailable: 'broken', status: 200 }, 'unlisted', 'broken'],
    ['overloaded', { unavailable: 'slow', status: 429 }, 'unreadable', 'slow'],
    ['late', { unavailable: 'late', status: 408 }, 'unreadable', 'late'],
    ['down', { unavailable: 'down', status: 503 }, 'unreadable', 'down'],
    ['no answer', { unavailable: 'reset' }, 'unreadable', 'reset'],
  ] as const)('%s: concludes and notes nothing', (_what, sight, why, reason) => {
    const of = charge({ evidence: [empty(END)] });
    expect(judgeLook(of, { ...sight, askedAt: at, at, servedAt: at } as Look, NOBODY)).toEqual({
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

describe('whatever the service shows', () => {
  it('is judged, and no key or phone number gets into the evidence', () => {
    fc.assert(
      fc.property(
        fc.array(anyActivity, { maxLength: 6 }),
        fc.option(fc.integer(), { nil: undefined }),
        (activities, skew) => {
          const at = END + 16 * MINUTE;
          const seen = { askedAt: at - 5, at, activities, ...(skew === undefined ? {} : { servedAt: at + skew }) };
          const { evidence } = judgeLook(charge({ evidence: [empty(END)] }), seen, NOBODY);
          expect(JSON.stringify(evidence ?? {})).not.toMatch(/canary|8031234567|803 123/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is accepted only as the one unowned activity of the window, and taken for nothing only when none is there', () => {
    const one = fc.record({
      offset: fc.integer({ min: -300, max: 300 }),
      owned: fc.boolean(),
      medium: fc.constantFrom('ussd', 'bank_transfer', undefined),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.integer({ min: -9e6, max: 9e6 }), (ones, skew) => {
        const at = END + 16 * MINUTE;
        const activities = ones.map(({ offset, medium }, index) =>
          activity(index, { created_at: atom(SENT + offset * SECOND + skew), next_action: null, medium }),
        );
        const owned = new Set(ones.flatMap((made, index) => (made.owned ? [uidOf(index)] : [])));
        const seen = look(activities, at, { servedAt: at + skew });
        const possible = ones.flatMap(({ offset, medium, owned: other }, index) =>
          !other && medium !== 'bank_transfer' && offset >= -120 && offset <= 130 ? [{ index, offset }] : [],
        );
        const conclusion = judgeLook(charge({ evidence: [empty(END)] }), seen, owned);
        const [first] = possible;
        if (possible.length === 0) expect(conclusion.state).toBe('not_created');
        else if (possible.length === 1 && (first?.offset ?? 0) >= -11)
          expect(conclusion).toMatchObject({ state: 'accepted', activity: { uid: uidOf(first?.index ?? -1) } });
        else expect(conclusion.state).toBe('unknown');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('reconcile', () => {
  const world = (times: readonly number[]) => {
    const left = [...times];
    return { now: () => left.shift() ?? SENT + 3_600_000, clean: (text: string) => text.replaceAll(KEY, '[secret]') };
  };
  const at = END + MINUTE;
  const showing =
    (activities: readonly unknown[], servedAt = at) =>
    async (): Promise<Sight> => ({ activities, servedAt });

  it('writes what it concludes and gives the row as it then stands', async () => {
    const ledger = memoryLedger([charge()]);
    const done = await reconcile(ledger, charge(), showing([activity(1)]), world([at - 50, at]));
    expect(done).toMatchObject({ charge: { state: 'accepted', activity: { uid: uidOf(1) } }, left: undefined });
    expect(done.charge.evidence).toMatchObject([{ found: 'one', round_trip_ms: 50, skew_ms: 0 }]);
    expect(await ledger.get(done.charge.id)).toEqual(done.charge);
  });

  it('notes what leaves it unknown', async () => {
    const ledger = memoryLedger([charge()]);
    const done = await reconcile(ledger, charge(), showing([]), world([at, at]));
    expect(done).toMatchObject({
      charge: { state: 'unknown', evidence: [{ found: 'none' }] },
      left: { why: 'not_yet' },
    });
  });

  it('asks the ledger whose the activities are', async () => {
    const other = charge({
      id: 'chg-2',
      seq: 2,
      state: 'accepted',
      activity: { uid: uidOf(2), status: 'x', nextAction: null, createdAt: undefined },
    });
    const ledger = memoryLedger([charge(), other]);
    const done = await reconcile(ledger, charge(), showing([activity(2), activity(1), null]), world([at, at]));
    expect(done.charge.evidence).toMatchObject([{ excluded: [{ uid: uidOf(2), why: 'owned by another charge' }] }]);
  });

  it("does not take its own activity for another charge's", async () => {
    const own = charge({ activity: { uid: uidOf(1), status: 'x', nextAction: null, createdAt: undefined } });
    const ledger = memoryLedger([own]);
    await reconcile(ledger, own, showing([activity(1)]), world([at, at]));
    expect((await ledger.get(own.id))?.evidence).not.toMatchObject([{ found: 'none' }]);
  });

  it('gives the row as somebody else left it while the service was being read', async () => {
    const ledger = memoryLedger([charge()]);
    const resolved: Evidence = { kind: 'resolved', at: atom(at) };
    const done = await reconcile(
      ledger,
      charge(),
      async () => {
        await ledger.resolve(charge().id, { state: 'not_created', evidence: resolved });
        return { activities: [], servedAt: at };
      },
      world([at, at]),
    );
    expect(done).toMatchObject({ charge: { state: 'not_created', evidence: [resolved] }, left: undefined });
  });

  it('gives the row as somebody else left it while it was being written', async () => {
    const inner = memoryLedger([charge()]);
    const ledger: Ledger = {
      ...inner,
      resolve: async (id, resolution) => {
        await inner.resolve(id, { ...resolution, state: 'not_created', evidence: { kind: 'resolved', at: atom(at) } });
        return inner.resolve(id, resolution);
      },
    };
    const done = await reconcile(ledger, charge(), showing([activity(1)]), world([at, at]));
    expect(done).toMatchObject({ charge: { state: 'not_created' }, left: undefined });
  });

  it('stays unknown when the activity has found another owner meanwhile', async () => {
    const ledger: Ledger = { ...memoryLedger([charge()]), resolve: async () => false };
    const done = await reconcile(ledger, charge(), showing([activity(1)]), world([at, at]));
    expect(done).toMatchObject({ charge: { state: 'unknown' }, left: { why: 'unreadable' } });
  });

  it('judges by the looks that others have noted meanwhile', async () => {
    const LATE = END + 16 * MINUTE;
    const stale = charge({ evidence: [empty(END)] });
    const several: Evidence = { kind: 'look', at: atom(END + MINUTE), found: 'several' };
    const ledger = memoryLedger([charge({ evidence: [empty(END), several] })]);
    const done = await reconcile(ledger, stale, showing([], LATE), world([LATE, LATE]));
    expect(done).toMatchObject({ charge: { state: 'unknown' }, left: { why: 'not_yet' } });
  });

  it('keeps no key and no phone number of what the service says', async () => {
    const of = charge({ medium: 'mobile_money', phone: '…4567' });
    const action = {
      type: 'other',
      instruction: `Approve on +234 803 123 4567 or 0803-123-4567 with ${KEY}`,
      headers: { order: '1234567' },
    };
    const done = await reconcile(
      memoryLedger([of]),
      of,
      showing([activity(1, { next_action: action })]),
      world([at, at]),
    );
    expect(done.charge.activity?.nextAction).toEqual({
      type: 'other',
      instruction: 'Approve on …4567 or …4567 with [secret]',
      headers: { order: '…4567' },
    });
  });

  it('throws what the look throws', async () => {
    const failing = () => Promise.reject(new Error('no key'));
    await expect(reconcile(memoryLedger([charge()]), charge(), failing, world([at]))).rejects.toThrow('no key');
  });
});
