import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextTurn } from '../../src/core/async.ts';
import { type Entry, evidenceOf, type StoredOutcome } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { ledgersLock } from '../../src/ledger/local/file.ts';
import { type OtherLedger, withOthers } from '../../src/ledger/others.ts';
import { NO_TOTAL } from '../../src/ledger/policy.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { newFolder } from '../support/program.ts';
import { account, beginCharge, intent, NOON, newPath, open, SELF, worldAtNoon } from './support/charges.ts';

const asOther = (ledger: Ledger): OtherLedger => ({
  name: 'another ledger',
  pushable: true,
  about: (about) => ledger.list({ about, limit: -1 }),
});

/** Runs work, and holds its result until it is released. */
const heldBy = () => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    reached.resolve();
    await released.promise;
    return result;
  };
  return { hold, reached: reached.promise, release: released.resolve };
};

it.each([
  'looks at the other ledger',
  'starts its intent while it has the only ledger',
  'starts its intent after others of the same turn',
])('two ledgers of one machine start one intent, while the first process %s', async (when) => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = join(newFolder(), 'ledgers.lock');
  const { lockWait } = ledgerOptions('');
  const { hold, reached, release } = heldBy();
  const waits = Promise.withResolvers<void>();
  const sleep = (): Promise<void> => {
    waits.resolve();
    return nextTurn();
  };
  const looks = when.startsWith('looks');
  const other = asOther(two);
  const first = looks
    ? withOthers(
        one,
        async () => [{ ...other, about: (about) => hold(other.about(about)) }],
        ledgersLock(lock, lockWait),
      )
    : withOthers(
        {
          ...one,
          begin: async (given, how) => {
            if (given.about === intent().about) await hold(Promise.resolve());
            return one.begin(given, how);
          },
        },
        async () => [],
        ledgersLock(lock, lockWait),
      );
  const second = withOthers(two, async () => [asOther(one)], ledgersLock(lock, { ...lockWait, sleep }));
  const before = when.includes('others') ? ['ugw.AbCd.8', 'ugw.AbCd.9'] : [];
  const started = before.map((about) => first.begin(intent({ about }), { again: false }));
  const begun = [first.begin(intent(), { again: false })];
  await Promise.all([reached, ...started]);
  begun.push(second.begin(intent(), { again: false }));
  // Without the lock, the second process doesn't wait.
  await Promise.race([begun[1], waits.promise]);
  release();
  expect((await Promise.all(begun)).map(({ kind }) => kind)).toEqual(['begun', 'refused']);
});

it('processes that have the only ledger start intents at the same time', async () => {
  const path = newPath();
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  const [one, two] = [await open(path), await open(path)];
  const { hold, reached, release } = heldBy();
  const first = withOthers({ ...one, begin: (...given) => hold(one.begin(...given)) }, async () => [], lock);
  const begun = first.begin(intent(), { again: false });
  await reached;
  const second = withOthers(two, async () => [], lock);
  expect(await second.begin(intent({ about: 'ugw.AbCd.2' }), { again: false })).toMatchObject({ kind: 'begun' });
  release();
  expect(await begun).toMatchObject({ kind: 'begun' });
});

it('an intent reaches its ledger in the turn in which it is asked for, beside the outcome of the row before it', async () => {
  const asked = Promise.withResolvers<string>();
  const one = await open(newPath());
  const begin: Ledger['begin'] = (...given) => {
    asked.resolve('in this turn');
    return one.begin(...given);
  };
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  const next = nextTurn().then(() => 'later');
  const begun = withOthers({ ...one, begin }, async () => [], lock).begin(intent(), { again: false });
  expect(await Promise.race([asked.promise, next])).toBe('in this turn');
  expect(await begun).toMatchObject({ kind: 'begun' });
});

it('an intent with a number in its subject is refused for the one that another ledger stored without it', async () => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  const wanted = intent({ about: 'ugw of +2348031234567', phone: '+2348031234567' });
  await one.begin(wanted, { again: false });
  const second = withOthers(two, async () => [asOther(one)], lock);
  expect(await second.begin(wanted, { again: false })).toMatchObject({ kind: 'refused' });
});

const FAILED: StoredOutcome = { state: 'accepted', exitCode: 11, activity: account({ status: 'failed' }) };
const REJECTED: StoredOutcome = { state: 'rejected', exitCode: 3 };
const ELSEWHERE = { service: 'https://other.example' };

it.each<[string, number, number, string, StoredOutcome, object, string]>([
  ['was started after it, although the clock was set back', 60_000, -3_600_000, 'boot', FAILED, {}, 'begun'],
  ['was started before it, although the clock was set back', -60_000, 3_600_000, 'boot', FAILED, {}, 'refused'],
  ['has a later time of another boot, or another machine', 60_000, 60_000, 'other', FAILED, {}, 'refused'],
  ['was started after it and rejected', 60_000, 60_000, 'boot', REJECTED, {}, 'refused'],
  ['was started after it at another service', 60_000, 60_000, 'boot', FAILED, ELSEWHERE, 'refused'],
])(
  'an unknown entry of another ledger is settled only if an entry of the own file %s',
  async (_name, later, clock, boot, outcome, place, kind) => {
    const at = (uptime: number, wall: number, id: string) => ({
      uptime: () => worldAtNoon.uptime() + uptime,
      now: () => NOON + wall,
      self: { ...SELF, boot: `${id} pid:[1]` },
    });
    const [theirs, path] = [await open(newPath(), at(0, 0, 'boot')), newPath()];
    await theirs.record(await beginCharge(theirs), {
      state: 'unknown',
      exitCode: 6,
      evidence: evidenceOf('answer', NOON, {}),
    });
    const own = await open(path, at(later, clock, boot));
    await own.record(await beginCharge(own, place), outcome);
    await own.close();
    const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
    const now = await open(path, at(120_000, 120_000, 'boot'));
    const other = { ...asOther(theirs), pushable: false };
    // In a shared ledger the later entry may be anybody's.
    const shared = withOthers({ ...now, account: 'ada' }, async () => [other], lock);
    expect((await shared.judge(intent(), { again: false }, { total: NO_TOTAL })).kind).toBe('refused');
    const again = await withOthers(now, async () => [other], lock).begin(intent(), { again: false });
    expect(again.kind).toBe(kind);
  },
);

it.each([
  ['a file', true, 'refused'],
  ['a shared ledger, whose outcomes nobody can look up here', false, 'begun'],
])('--again passes an unknown entry of another ledger or not: of %s', async (_what, pushable, kind) => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  await one.record(await beginCharge(one), { state: 'unknown', exitCode: 6 });
  const second = withOthers(two, async () => [{ ...asOther(one), pushable }], lock);
  expect(await second.begin(intent(), { again: false })).toMatchObject({ kind: 'refused' });
  expect((await second.begin(intent(), { again: true })).kind).toBe(kind);
});

it('an intent is refused for what any of several other ledgers holds', async () => {
  const [one, two, empty] = [await open(newPath()), await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  await beginCharge(one);
  const second = withOthers(two, async () => [asOther(empty), asOther(one)], lock);
  expect(await second.begin(intent(), { again: false })).toMatchObject({ kind: 'refused' });
});

it('--again passes what another ledger holds of an open charge', async () => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  const started = { state: 'accepted', exitCode: 0, activity: account({ status: 'processing' }) } as const;
  await one.record(await beginCharge(one), started);
  const second = withOthers(two, async () => [asOther(one)], lock);
  expect(await second.begin(intent(), { again: false })).toMatchObject({ kind: 'refused', why: 'payable' });
  expect(await second.begin(intent(), { again: true })).toMatchObject({ kind: 'begun' });
});

it('an entry that was pushed counts as this ledger knows it', async () => {
  const one = await open(newPath());
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  await one.record(await beginCharge(one), FAILED);
  const about = async (thing: string) =>
    (await one.list({ about: thing, limit: -1 })).map((entry): Entry => ({ ...entry, state: 'unknown' }));
  const shared = withOthers({ ...one, account: 'ada' }, async () => [{ ...asOther(one), about }], lock);
  expect(await shared.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
});

it('no intent of a batch starts without the lock, and each says so', async () => {
  const refused = withOthers(
    await open(newPath()),
    async () => [],
    () => Promise.reject(new Error('locked')),
  );
  const all = ['ugw.AbCd.1', 'ugw.AbCd.2', 'ugw.AbCd.3'].map((about) =>
    refused.begin(intent({ about }), { again: false }),
  );
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(all.map(() => 'rejected'));
});

it('the lock is free again after the other ledgers could not be read', async () => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const path = join(newFolder(), 'ledgers.lock');
  const { lockWait } = ledgerOptions('');
  const failing = withOthers(one, () => Promise.reject(new Error('no folder')), ledgersLock(path, lockWait));
  await expect(failing.begin(intent(), { again: false })).rejects.toThrow('no folder');
  let ticks = 0;
  const impatient = { ...lockWait, ticks: () => (ticks += 60_000) };
  const second = withOthers(two, async () => [asOther(one)], ledgersLock(path, impatient));
  expect(await second.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
});

it('an intent is not refused for what another ledger holds of another service', async () => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  await beginCharge(one, ELSEWHERE);
  const second = withOthers(two, async () => [asOther(one)], lock);
  expect(await second.begin(intent(), { again: false })).toMatchObject({ kind: 'begun' });
});

it('a dry run, too, is refused for what another ledger holds', async () => {
  const [one, two] = [await open(newPath()), await open(newPath())];
  const lock = ledgersLock(join(newFolder(), 'ledgers.lock'), ledgerOptions('').lockWait);
  const second = withOthers(two, async () => [asOther(one)], lock);
  const judged = async () => (await second.judge(intent(), { again: false }, { total: NO_TOTAL })).kind;
  expect(await judged()).toBe('clear');
  await one.begin(intent(), { again: false });
  expect(await judged()).toBe('refused');
});
