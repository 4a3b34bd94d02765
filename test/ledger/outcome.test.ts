import { describe, expect, it } from 'vitest';
import type { Payment } from '../../src/charge/payment.ts';
import type { RefundState } from '../../src/charge/refund.ts';
import type { EmergencyLine, Query } from '../../src/ledger/backend.ts';
import type { Charge, Entry, Evidence, Resolution, StoredOutcome } from '../../src/ledger/entry.ts';
import { expireStale, isStale, readResolved } from '../../src/ledger/guard.ts';
import { noteEvidence, observe, record, resolveCharge, takeIn } from '../../src/ledger/outcome.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { addsTo, changesState } from '../../src/ledger/transitions.ts';
import { uidOf } from '../support/ids.ts';
import { account, charge, NOON, SELF } from './support/charges.ts';
import { shown } from './support/shown.ts';
import { NOW, watched } from './support/watched.ts';

/*
 * Checks which changes the rules request. Results are tested over every backend in record.test.ts, rules.test.ts and
 * sqlite/recover.test.ts.
 */

const AT = '2026-11-20T12:01:00+00:00';
const THING = charge().about;
const UID = account().uid;
const NOTHING_KNOWN = { took: undefined, told: undefined, recordedAt: undefined, exitCode: undefined } as const;
const sending = (id = 'chg-mine', more: Partial<Charge> = {}): Entry =>
  charge({ id, state: 'sending', ...NOTHING_KNOWN, activity: undefined, ...more });

describe('record', () => {
  it.each<[string, StoredOutcome, readonly object[]]>([
    ['accepted', { state: 'accepted', exitCode: 0, activity: account() }, [{ activities: [UID] }]],
    ['rejected', { state: 'rejected', exitCode: 3 }, [{ activities: [] }]],
    ['unknown', { state: 'unknown', exitCode: 6 }, [{ activities: [] }, { earlier: THING }]],
  ])('of an outcome that is %s loads its charge, and others only as needed', async (_state, outcome, others) => {
    const { backend, changes } = watched([
      sending(),
      charge({ id: 'chg-other', state: 'unknown', activity: undefined }),
    ]);
    expect(await record(backend, 'chg-mine', THING, outcome)).toBeUndefined();
    expect(changes[0]).toMatchObject({ purpose: 'outcome', write: [{ id: 'chg-mine', state: outcome.state }] });
    expect(changes[0]?.about).toEqual([{ id: 'chg-mine' }, ...others]);
  });

  it('does not reopen a charge as unknown beside another open one, but accepts a late success', async () => {
    const denied = charge({ id: 'chg-mine', state: 'not_created' });
    const { backend, get } = watched([denied, sending('chg-other')]);
    await record(backend, 'chg-mine', THING, { state: 'unknown', exitCode: 6 });
    expect(get('chg-mine')).toMatchObject({ state: 'not_created' });
    await record(backend, 'chg-mine', THING, { state: 'accepted', exitCode: 0 });
    expect(get('chg-mine')).toMatchObject({ state: 'accepted' });
  });
});

describe('changesState', () => {
  const STATES = ['sending', 'unknown', 'accepted', 'rejected', 'not_sent', 'not_created'] as const;
  const SAID = ['accepted', 'rejected', 'not_sent', 'unknown'] as const;
  /** Outcomes that change a charge which is no longer open. */
  const CHANGED: Readonly<Record<string, readonly string[]>> = {
    accepted: ['accepted', 'rejected', 'not_sent', 'not_created'],
    unknown: ['not_created'],
  };
  it.each(STATES.flatMap((state) => SAID.map((said) => [state, said] as const)))(
    'for a charge that is %s and the outcome %s follows the table',
    (state, said) => {
      const isOpen = state === 'sending' || state === 'unknown';
      expect(changesState(charge({ state }), { state: said })).toBe(isOpen || (CHANGED[said] ?? []).includes(state));
    },
  );
});

describe('resolve', () => {
  const moneyOf = (payment: Payment) => ({ payment, received: 0, receivedAssumed: false, refunded: 0 });
  const refundOf = (state: RefundState) => ({ state, uid: undefined, at: NOON });
  const word: Evidence = { kind: 'resolved', at: AT, by: 'ada' };
  const unknown = charge({ id: 'chg-mine', state: 'unknown', activity: undefined });

  it.each<[string, Resolution, readonly string[]]>([
    ['an activity', { state: 'accepted', activity: account(), evidence: word }, [UID]],
    ['nothing', { state: 'not_created', evidence: word }, []],
  ])("with %s loads the charge and the activity's owner", async (_what, resolution, activities) => {
    const { backend, changes } = watched([unknown, charge({ id: 'chg-other', activity: undefined })]);
    expect(await resolveCharge(backend, 'chg-mine', resolution, () => resolution.activity)).toBe(true);
    expect(changes[0]).toMatchObject({ purpose: 'note', about: [{ id: 'chg-mine' }, { activities }] });
    expect(changes[0]?.about[1]).toEqual({ activities });
  });

  it.each<[string, Partial<Entry>, boolean]>([
    ['open charge', {}, true],
    ['paid charge', { money: moneyOf('paid') }, false],
    ['reversed charge', { money: moneyOf('reversed') }, false],
    ['open refund', { kind: 'refund', refund: refundOf('refund_open') }, true],
    ['refund that was paid back', { kind: 'refund', refund: refundOf('paid_back') }, false],
  ])(
    "replaces a person's word by not created only while no money moved: %s, as it is when it is written",
    async (_what, more, may) => {
      const created = charge({ id: 'chg-mine', state: 'accepted', evidence: [word] });
      const { backend, changes } = watched([{ ...created, ...more }]);
      expect(await resolveCharge(backend, 'chg-mine', { state: 'not_created', evidence: word }, () => undefined)).toBe(
        may,
      );
      expect(changes[0]?.write).toHaveLength(may ? 1 : 0);
    },
  );

  it.each<[string, Partial<Charge>, uid: string, boolean]>([
    ['open charge by another activity', {}, uidOf(2), true],
    ['paid charge by another activity', { money: moneyOf('paid') }, uidOf(2), false],
    ['paid charge by its own activity', { money: moneyOf('paid') }, UID, true],
  ])('replaces the activity that a person named only while no money moved: %s', async (_what, more, uid, may) => {
    const created = charge({ id: 'chg-mine', state: 'accepted', activity: account(), evidence: [word], ...more });
    const { backend, changes } = watched([created]);
    const activity = account({ uid });
    expect(
      await resolveCharge(backend, 'chg-mine', { state: 'accepted', activity, evidence: word }, () => activity),
    ).toBe(may);
    expect(changes[0]?.write).toMatchObject(may ? [{ activity: { uid }, ...more }] : []);
  });
});

it('note adds evidence to a known charge, and ignores an unknown id', async () => {
  const { backend, changes } = watched([sending()]);
  const look = { kind: 'look', at: AT };
  await noteEvidence(backend, 'chg-mine', look);
  await noteEvidence(backend, 'chg-nobody', look);
  expect(changes).toEqual([
    { purpose: 'note', about: [{ id: 'chg-mine' }], write: [{ ...sending(), evidence: [look] }] },
    { purpose: 'note', about: [{ id: 'chg-nobody' }], write: [] },
  ]);
});

it.each([
  [true, 'note'],
  [false, 'glance'],
])('observe writes a changed status; with waiting for the lock: %s', async (wait, purpose) => {
  const { backend, changes } = watched([charge({ id: 'chg-mine' })]);
  const kept = (activity: ReturnType<typeof account>) => activity;
  const seen = shown([account({ status: 'successful', servedAt: NOW.at }), account({ uid: 'act.AbCd.2' })], {
    amount: 5,
  });
  for (const _ of [1, 2]) await observe(backend, seen, kept, wait);
  const about = [{ activities: [UID, 'act.AbCd.2'] }];
  expect(changes.map(({ write, ...asked }) => [asked, write.length])).toEqual([
    [{ purpose, about }, 1],
    [{ purpose, about }, 0],
  ]);
});

it.each([
  ['nothing', {}, {}, 0],
  ['its status', { status: 'cancelled' }, {}, 1],
  ['its total', { total: 5 }, {}, 1],
  ['its reference', {}, { ref: 'INV-1' }, 1],
])('observe writes what changed of the payment request alone: %s', async (_what, change, asked, writes) => {
  const { backend, changes } = watched([charge({ id: 'chg-mine' })]);
  const seen = shown([account({ servedAt: NOW.at })]);
  for (const [more, terms] of [
    [{}, {}],
    [change, asked],
  ]) {
    const facts = { status: 'requires_ugwo', total: 0, activities: [], ...more };
    await observe(backend, { ...seen, facts, asked: { ...terms } }, (activity) => activity, true);
  }
  expect(changes.map(({ write }) => write.length)).toEqual([1, writes]);
});

it.each([
  ['nothing', {}, {}, 0],
  ['what came', {}, { charged_amount: 500 }, 1],
  ['its date', {}, { updated_at: '2026-11-20T12:00:30+00:00' }, 1],
  ['its reference at the provider', {}, { psp_external_id: 'b' }, 1],
  ['what came too much', { amount: 300 }, { amount: 200 }, 1],
])('observe writes what changed of a payment: %s', async (_what, first, then, writes) => {
  const { backend, changes } = watched([charge({ id: 'chg-mine' })]);
  for (const { amount, ...more } of [first, { ...first, ...then }] as readonly { readonly amount?: number }[]) {
    const activities = [{ uid: UID, status: 'successful', charged_amount: 400, psp_external_id: 'a', ...more }];
    const seen = snapshotOf({ amount, activities }, { servedAt: NOW.at });
    await observe(backend, seen, (activity) => activity, true);
  }
  expect(changes.map(({ write }) => write.length)).toEqual([1, writes]);
});

it.each([
  ['nothing', {}, {}, false],
  ['anything', {}, { ref: 'A' }, true],
  ['an e-mail address', {}, { email: 'ada@example.com' }, true],
  ['the same', { amount: 5 }, { amount: 5 }, false],
  ['another amount', { amount: 5 }, { amount: 6 }, false],
  ['one more value', { amount: 5 }, { amount: 6, customer: 'ony.AbCd.1' }, true],
])('addsTo is true if the terms add a value: %s', (_what, asked, shown, adds) => {
  expect(addsTo(charge({ asked }), shown)).toBe(adds);
});

describe('a charge whose process died', () => {
  const DEAD = { ...SELF, pid: 13 };
  const left = sending('chg-left', { seq: 2, sender: DEAD });

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])('is stale only after its deadline: %i ms from now', (after, overdue) => {
    const asked: unknown[] = [];
    const hasEnded = (...given: unknown[]): boolean => asked.push(given) < 0;
    expect(isStale({ ...left, deadline: NOW.at + after }, { hasEnded: hasEnded, moment: () => NOW })).toBe(false);
    expect(asked).toEqual([[DEAD, overdue, left.id]]);
  });

  it('is written as unknown by expireStale, which otherwise writes nothing', async () => {
    const hasEnded = ({ pid }: typeof SELF): boolean => pid === DEAD.pid;
    const done = charge({ id: 'chg-done', seq: 3, sender: DEAD });
    const living = watched([sending(), done], hasEnded);
    await expireStale(living.backend);
    expect(living.changes).toEqual([]);
    const some = watched([sending(), left, done], hasEnded);
    await expireStale(some.backend);
    const about = [{ states: ['sending'] }];
    expect(some.changes).toMatchObject([{ purpose: 'note', about, write: [{ id: 'chg-left', state: 'unknown' }] }]);
    expect(some.changes[0]?.write).toHaveLength(1);
  });

  it('is looked for among the charges that are read, except where their state selects them', async () => {
    const hasEnded = ({ pid }: typeof SELF): boolean => pid === DEAD.pid;
    const all = [sending(), left];
    const readBy = async (query: Query) => {
      const { backend, reads } = watched(all, hasEnded);
      const found = await readResolved(backend, query);
      return { states: found.map(({ state }) => state), reads: reads.length };
    };
    expect(await readBy({ id: 'chg-mine' })).toEqual({ states: ['sending'], reads: 1 });
    expect(await readBy({ id: 'chg-left' })).toEqual({ states: ['unknown'], reads: 3 });
    expect(await readBy({ states: ['unknown'] })).toEqual({ states: ['unknown'], reads: 2 });
  });
});

describe('takeIn', () => {
  const line = (more: Partial<EmergencyLine> = {}): EmergencyLine => ({
    ...{
      ledger_id: 'chg-a',
      ugwo: 'ugw.AbCd.1',
      medium: 'ussd',
      recorded_at: NOON + 5,
      state: 'rejected',
      exitCode: 3,
    },
    ...more,
  });
  const [A, B] = [sending('chg-a'), sending('chg-b')];

  it('with no lines changes nothing and waits for nothing', async () => {
    const { backend, changes } = watched([A]);
    expect(await takeIn(backend, [])).toEqual(new Set());
    expect(changes).toEqual([]);
  });

  it('changes only the charges in the lines', async () => {
    const { backend, changes } = watched([A, B, sending('chg-c')]);
    const lines = [line(), line({ ledger_id: 'chg-x' }), line({ ledger_id: 'chg-b' })];
    expect(await takeIn(backend, lines)).toEqual(new Set(['chg-a', 'chg-b']));
    const about = [{ id: 'chg-a' }, { id: 'chg-x' }, { id: 'chg-b' }];
    expect(changes).toMatchObject([{ purpose: 'note', about, write: [{ id: 'chg-a' }, { id: 'chg-b' }] }]);
    expect(changes[0]?.about).toHaveLength(3);
  });

  it("records the line's wall-clock time and the answer", async () => {
    const { backend, get } = watched([{ ...A, took: 70 }]);
    const { evidence: _evidence, ...rest } = line({ state: 'accepted', activity: account({ servedAt: NOON + 7 }) });
    const seen = { kind: 'answer', at: AT, status: 200 };
    await takeIn(backend, [{ ...rest, evidence: seen }]);
    expect(get('chg-a')).toMatchObject({
      ...{ state: 'accepted', took: 70, recordedAt: NOON + 5 },
      told: { service: NOON + 7, at: NOON + 5, mark: { boot: '', uptime: 0 } },
      evidence: [{ ...seen, line: rest }],
    });
  });

  it('dates what it says like the answer, else by its own time, and leaves no word to a person', async () => {
    const { backend, get } = watched([A, B].map((one) => ({ ...one, state: 'unknown' })));
    for (const id of ['chg-a', 'chg-b']) {
      const word = { kind: 'resolved', at: AT };
      expect(await resolveCharge(backend, id, { state: 'accepted', evidence: word }, () => undefined)).toBe(true);
      const evidence = id === 'chg-a' ? { evidence: { kind: 'answer', at: AT } } : {};
      await takeIn(backend, [
        line({ ledger_id: id, state: 'accepted', activity: account({ uid: uidOf(id.length) }), ...evidence }),
      ]);
      expect(await resolveCharge(backend, id, { state: 'not_created', evidence: word }, () => undefined)).toBe(false);
    }
    expect(['chg-a', 'chg-b'].map((id) => get(id)?.evidence.at(-1)?.at)).toEqual([AT, '2026-11-20T12:00:00+00:00']);
  });

  it('applies each line once, identified by its time', async () => {
    const { backend, changes } = watched([{ ...A, evidence: [{ kind: 'look', at: '' }] }]);
    const lines = [line(), line({ recorded_at: NOON + 6 })];
    for (const _ of [1, 2]) expect(await takeIn(backend, lines)).toEqual(new Set(['chg-a']));
    expect(changes.map(({ write }) => write.length)).toEqual([1, 0]);
    expect(changes[0]?.write[0]?.evidence).toHaveLength(3);
  });

  it('does not reopen a charge as unknown beside another open one', async () => {
    const ended: Entry = { ...A, state: 'not_created', recordedAt: NOON };
    const given = line({ state: 'unknown', exitCode: 6, ugwo: A.about });
    const beside = watched([ended, { ...B, about: A.about }]);
    await takeIn(beside.backend, [given]);
    expect(beside.get('chg-a')).toMatchObject({ state: 'not_created', evidence: [{ kind: 'emergency_line' }] });
    const refund = { ...ended, kind: 'refund', about: uidOf(1) };
    const refunds = watched([refund, { ...refund, id: 'chg-b', state: 'sending' }]);
    const { ugwo: _ugwo, ...told } = given;
    await takeIn(refunds.backend, [{ ...told, kind: 'refund', about: refund.about }]);
    expect(refunds.get('chg-a')).toMatchObject({ state: 'not_created' });
    const alone = watched([ended]);
    await takeIn(alone.backend, [given]);
    expect(alone.get('chg-a')).toMatchObject({ state: 'unknown' });
  });
});
