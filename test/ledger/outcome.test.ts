import { describe, expect, it } from 'vitest';
import type { Charge, Evidence, Outcome, Resolution } from '../../src/ledger/entry.ts';
import { note, record, resolve } from '../../src/ledger/outcome.ts';
import { account, charge, MINUTE, NOON, SELF } from './support/charges.ts';
import { NOW, watched } from './support/watched.ts';

const AT = '2026-11-20T12:01:00+00:00';
const THING = charge().about;
const NOTHING_KNOWN = {
  took: undefined,
  told: undefined,
  recordedAt: undefined,
  exitCode: undefined,
  activity: undefined,
};
const mine = (more: Partial<Charge> = {}): Charge =>
  charge({ id: 'chg-mine', state: 'sending', ...NOTHING_KNOWN, ...more });
const other = (more: Partial<Charge> = {}): Charge => charge({ id: 'chg-other', seq: 2, ...more });
const ACCEPTED: Outcome = { state: 'accepted', exitCode: 0, activity: account() };
const UNKNOWN: Outcome = { state: 'unknown', exitCode: 6 };

describe('what became of a charge', () => {
  it('is kept, with how long its sending took', async () => {
    const { backend, changes, get } = watched([mine()]);
    expect(await record(backend, 'chg-mine', THING, ACCEPTED)).toBeUndefined();
    expect(get('chg-mine')).toStrictEqual({
      ...mine(),
      ...{ state: 'accepted', exitCode: 0, took: MINUTE, recordedAt: NOW.at, activity: account() },
    });
    const about = [{ id: 'chg-mine' }, { activities: [account().uid] }];
    expect(changes).toMatchObject([{ purpose: 'outcome', about }]);
    expect(changes[0]?.about).toHaveLength(2);
  });

  it.each([
    ['the clock that nobody sets', { boot: 'boot', uptime: NOW.mark.uptime - 7 }, 7],
    ['the machine’s clock after a restart', { boot: 'boot before', uptime: 1 }, MINUTE],
  ])('took so long by %s', async (_clock, begun, took) => {
    const { backend, get } = watched([mine({ begun })]);
    await record(backend, 'chg-mine', THING, { state: 'rejected', exitCode: 3 });
    expect(get('chg-mine')).toMatchObject({ state: 'rejected', exitCode: 3, took });
  });

  it('asks for no activity where there is none', async () => {
    const { backend, changes } = watched([mine(), other({ activity: undefined })]);
    expect(await record(backend, 'chg-mine', THING, { state: 'rejected', exitCode: 3 })).toBeUndefined();
    expect(changes[0]?.about).toEqual([{ id: 'chg-mine' }, { activities: [] }]);
  });

  it('can’t be told of a charge that is not there', async () => {
    const { backend } = watched([other()]);
    await expect(record(backend, 'chg-mine', THING, ACCEPTED)).rejects.toThrow('there is no charge chg-mine');
  });

  it('names the other charge that has its activity, beside what else is odd', async () => {
    const { backend, get } = watched([mine(), other()]);
    const outcome = { ...ACCEPTED, odd: ['one', 'two'] };
    expect(await record(backend, 'chg-mine', THING, outcome)).toEqual(other());
    const message = `one; two; ${account().uid} is the activity of chg-other, too`;
    expect(get('chg-mine')?.evidence).toEqual([{ kind: 'odd', at: AT, message }]);
    // Its own is no other.
    const alone = watched([mine({ activity: account() })]);
    expect(await record(alone.backend, 'chg-mine', THING, ACCEPTED)).toBeUndefined();
    expect(alone.get('chg-mine')?.evidence).toEqual([]);
  });

  it('that came late is seen in the evidence, whether it changes anything or not', async () => {
    const late = { kind: 'answer', at: AT, message: 'the answer came after all' };
    const { backend, get } = watched([mine({ state: 'accepted', exitCode: 0, activity: account() })]);
    await record(backend, 'chg-mine', THING, { state: 'rejected', exitCode: 3 });
    expect(get('chg-mine')).toMatchObject({ state: 'accepted', exitCode: 0, evidence: [late] });
    await record(backend, 'chg-mine', THING, ACCEPTED);
    expect(get('chg-mine')).toMatchObject({ recordedAt: NOW.at, evidence: [late, late] });
  });

  it('does not make unpaid what was seen to be paid', async () => {
    const { backend, get } = watched([mine({ state: 'accepted', activity: account({ status: 'successful' }) })]);
    await record(backend, 'chg-mine', THING, ACCEPTED);
    expect(get('chg-mine')?.activity?.status).toBe('successful');
  });
});

describe('a doubt', () => {
  const denied = mine({ state: 'not_created' });

  it.each([
    ['is being sent', { state: 'sending' }, 'not_created'],
    ['is unknown', { state: 'unknown' }, 'not_created'],
    ['was accepted', { state: 'accepted' }, 'unknown'],
    ['is unknown at another service', { state: 'unknown', service: 'https://other.example' }, 'unknown'],
    ['is unknown for another payment request', { state: 'unknown', about: 'ugw.AbCd.other' }, 'unknown'],
  ] as const)(
    'about a charge of which somebody said that it was not made, where another one %s',
    async (_what, more, state) => {
      const { backend, changes, get } = watched([denied, other(more)]);
      await record(backend, 'chg-mine', THING, { ...UNKNOWN, evidence: { kind: 'answer', at: AT, status: 502 } });
      expect(get('chg-mine')).toMatchObject({ state, evidence: [{ kind: 'answer', status: 502 }] });
      expect(changes[0]?.about).toEqual([{ id: 'chg-mine' }, { activities: [] }, { standing: THING }]);
    },
  );

  it('is kept of one that is being sent, whatever else is open', async () => {
    const { backend, get } = watched([mine(), other({ state: 'unknown', activity: undefined })]);
    await record(backend, 'chg-mine', THING, UNKNOWN);
    expect(get('chg-mine')).toMatchObject({ state: 'unknown', exitCode: 6 });
  });

  it('opens such a charge again where there is no other, and an answer does so beside any', async () => {
    const alone = watched([denied]);
    await record(alone.backend, 'chg-mine', THING, UNKNOWN);
    expect(alone.get('chg-mine')).toMatchObject({ state: 'unknown', exitCode: 6 });
    const beside = watched([denied, other({ state: 'unknown', activity: undefined })]);
    await record(beside.backend, 'chg-mine', THING, ACCEPTED);
    expect(beside.get('chg-mine')).toMatchObject({ state: 'accepted' });
  });
});

describe('the end of a doubt', () => {
  const word: Evidence = { kind: 'resolved', at: AT, by: 'ada' };
  const unknown = mine({
    state: 'unknown',
    took: 5,
    exitCode: 6,
    recordedAt: NOON,
    evidence: [{ kind: 'look', at: AT }],
  });
  const found: Resolution = { state: 'accepted', activity: account(), evidence: word };
  const kept = ({ id }: { readonly id: string }) => account({ status: `kept for ${id}` });

  it('is kept with who said so; how long the sending took, and its exit code, stay', async () => {
    const { backend, changes, get } = watched([unknown, other({ activity: account({ uid: 'act.AbCd.2' }) })]);
    expect(await resolve(backend, 'chg-mine', found, kept)).toBe(true);
    expect(get('chg-mine')).toStrictEqual({
      ...unknown,
      ...{ state: 'accepted', recordedAt: NOW.at, activity: account({ status: 'kept for chg-mine' }) },
      evidence: [{ kind: 'look', at: AT }, word],
    });
    expect(changes[0]).toMatchObject({ purpose: 'note', about: [{ id: 'chg-mine' }, { activities: [account().uid] }] });
  });

  it('may be that nothing was made', async () => {
    const { backend, changes, get } = watched([unknown, other({ activity: undefined })]);
    const nothing: Resolution = { state: 'not_created', evidence: word };
    expect(await resolve(backend, 'chg-mine', nothing, () => undefined)).toBe(true);
    expect(get('chg-mine')).toMatchObject({ state: 'not_created', activity: undefined });
    expect(changes[0]?.about).toEqual([{ id: 'chg-mine' }, { activities: [] }]);
  });

  it('is there for a charge whose process is gone, though nobody has written that down', async () => {
    const { backend, get } = watched([mine()], () => true);
    expect(await resolve(backend, 'chg-mine', found, kept)).toBe(true);
    expect(get('chg-mine')).toMatchObject({
      state: 'accepted',
      evidence: [{ kind: 'process_gone', pid: SELF.pid }, word],
    });
  });

  const resolved = mine({ state: 'not_created', evidence: [word] });
  it.each([
    ['is not there', other({ state: 'unknown', activity: undefined }), word, false],
    ['is being sent', mine(), word, false],
    ['was accepted', mine({ state: 'accepted', activity: account() }), word, false],
    ['a person has resolved, by a person', resolved, word, true],
    ['a person has resolved, by a look', resolved, { kind: 'look', at: AT }, false],
    ['an answer has ended', mine({ state: 'rejected', evidence: [word, { kind: 'answer', at: AT }] }), word, false],
    ['has this very activity', mine({ state: 'unknown', activity: account() }), word, true],
  ])('of one that %s', async (_which, before, evidence, may) => {
    const { backend, changes, get } = watched([before]);
    expect(await resolve(backend, 'chg-mine', { ...found, evidence }, kept)).toBe(may);
    expect(changes[0]?.write).toHaveLength(may ? 1 : 0);
    if (!may) expect(get(before.id)).toBe(before);
  });

  it('is none where the activity is another charge’s', async () => {
    const { backend, changes } = watched([unknown, other()]);
    expect(await resolve(backend, 'chg-mine', found, kept)).toBe(false);
    expect(changes[0]?.write).toEqual([]);
  });
});

it('what was seen of a charge is added to it, and to none that is not there', async () => {
  const { backend, changes, get } = watched([mine(), other()]);
  const look = { kind: 'look', at: AT };
  await note(backend, 'chg-mine', look);
  await note(backend, 'chg-nobody', look);
  expect(get('chg-mine')).toEqual({ ...mine(), evidence: [look] });
  expect(changes).toEqual([
    { purpose: 'note', about: [{ id: 'chg-mine' }], write: [{ ...mine(), evidence: [look] }] },
    { purpose: 'note', about: [{ id: 'chg-nobody' }], write: [] },
  ]);
});
