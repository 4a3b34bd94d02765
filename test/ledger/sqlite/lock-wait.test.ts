import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DatabaseKind } from '../../../src/database/connect.ts';
import type { StoredOutcome } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { type LockWait, patiently } from '../../../src/ledger/local/file.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { LEDGER_FILE } from '../../../src/ledger/sqlite/schema.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { newFolder } from '../../support/program.ts';
import { intent } from '../support/memory.ts';

const busy = (): Error => Object.assign(new Error('database is locked'), { errcode: 5 });
const REJECTED: StoredOutcome = { state: 'rejected', exitCode: 3 };
const HOW = { again: false };

/** Waits without time passing; `waits` counts the waits, and `onWait` runs during each. */
const waiting = (onWait: (waits: number) => void = () => undefined) => {
  const [stop, leave] = [new AbortController(), new AbortController()];
  const waited: { ms: number; signal: AbortSignal }[] = [];
  const lockWait: LockWait = {
    stop: stop.signal,
    leave: leave.signal,
    // SQLite has waited for a tenth of a second in each try.
    ticks: () => waited.length * 120,
    sleep: async (ms, signal) => {
      waited.push({ ms, signal });
      onWait(waited.length);
      signal.throwIfAborted();
    },
  };
  return { stop, leave, waited, lockWait };
};

describe('patiently', () => {
  it('returns the result of the first try without a lock', async () => {
    const { lockWait, waited, stop } = waiting();
    let tries = 0;
    const work = (): string => {
      tries += 1;
      if (tries < 4) throw busy();
      return 'done';
    };
    expect(await patiently(work, lockWait, stop.signal)).toBe('done');
    expect([tries, waited.length]).toEqual([4, 3]);
  });

  it("gives up after twenty seconds, including tries, with SQLite's error", async () => {
    const { lockWait, waited, stop } = waiting();
    const thrown = busy();
    let tries = 0;
    const work = (): never => {
      tries += 1;
      throw thrown;
    };
    await expect(patiently(work, lockWait, stop.signal)).rejects.toBe(thrown);
    const spent = waited.reduce((sum, { ms }) => sum + ms, (tries - 1) * (LEDGER_FILE.busyTimeout ?? 0));
    // The last step exceeds the limit.
    expect(spent).toBeGreaterThanOrEqual(20_000);
    expect(spent).toBeLessThan(20_120);
    expect(waited.every(({ ms, signal }) => ms <= 100 && signal === stop.signal)).toBe(true);
  });

  it('does not wait after other errors', async () => {
    const { lockWait, waited, stop } = waiting();
    const thrown = Object.assign(new Error('disk I/O error'), { errcode: 10 });
    const work = (): never => {
      throw thrown;
    };
    await expect(patiently(work, lockWait, stop.signal)).rejects.toBe(thrown);
    expect(waited).toEqual([]);
  });

  it('tries once if already aborted', async () => {
    const { lockWait, stop } = waiting();
    stop.abort('SIGINT');
    expect(await patiently(() => 'done', lockWait, stop.signal)).toBe('done');
  });
});

/** A ledger, and a second connection that locks its file like another process. */
const ledgerWith = async (
  lockWait: LockWait,
  journal: DatabaseKind['journal'] & string,
  more: Partial<DatabaseKind> = {},
) => {
  const path = `${newFolder('ledger')}/ledger.sqlite`;
  const kind = { ...LEDGER_FILE, journal, ...more };
  const ledger = await openLedger(ledgerOptions(path, { lockWait, kind }));
  onTestFinished(() => ledger.close());
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return { ledger, path, kind, lock: () => other.exec('BEGIN EXCLUSIVE'), unlock: () => other.exec('ROLLBACK') };
};

const begun = async (ledger: Ledger): Promise<string> => {
  const done = await ledger.begin(intent({ about: `ugw.AbCd.${'1'.repeat(24)}` }), HOW);
  if (done.kind !== 'begun') throw new Error(done.why);
  return done.id;
};

describe.each(['wal', 'truncate'] as const)('a ledger (%s) locked by another process', (journal) => {
  it('stops waiting on `stop` before a charge begins, and works once unlocked', async () => {
    const { stop, lockWait, waited } = waiting(() => stop.abort('SIGTERM'));
    const { ledger, lock, unlock } = await ledgerWith(lockWait, journal);
    lock();
    await expect(ledger.begin(intent(), HOW)).rejects.toMatchObject({
      kind: 'interrupted',
      message: 'cancelled by SIGTERM; nothing was changed',
      detail: { exitCode: 143 },
    });
    expect(waited.length).toBe(1);
    unlock();
    expect(await ledger.list({ limit: 9 })).toEqual([]);
    // The disk is fine, so it continues.
    expect(await ledger.begin(intent(), HOW)).toMatchObject({ kind: 'begun' });
  });

  it('stops waiting to record an outcome only on `leave`', async () => {
    const { stop, leave, lockWait, waited } = waiting((waits) => {
      if (waits === 3) leave.abort('SIGINT');
    });
    const { ledger, lock, unlock } = await ledgerWith(lockWait, journal);
    const id = await begun(ledger);
    stop.abort('SIGINT');
    lock();
    const thrown = await ledger.record(id, REJECTED).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      kind: 'unrecorded',
      message: expect.stringContaining('is locked by another process'),
      detail: { ledgerId: id },
    });
    expect(JSON.parse((thrown as { detail: { answer: string } }).detail.answer)).toMatchObject({
      ledger_id: id,
      state: 'rejected',
    });
    expect(waited.length).toBe(3);
    unlock();
    // A lock is no disk failure.
    expect(await ledger.begin(intent({ about: 'ugw.AbCd.other' }), HOW)).toMatchObject({ kind: 'begun' });
  });

  it('records an outcome once unlocked, even after the first signal', async () => {
    const { stop, lockWait, waited } = waiting((waits) => waits === 2 && release());
    const { ledger, lock, unlock } = await ledgerWith(lockWait, journal);
    const release = unlock;
    const id = await begun(ledger);
    stop.abort('SIGINT');
    lock();
    await ledger.record(id, REJECTED);
    expect(waited.length).toBe(2);
    expect(await ledger.get(id)).toMatchObject({ state: 'rejected', exitCode: 3 });
  });

  it('stops waiting on `stop` while reading, resolving or noting', async () => {
    const { stop, lockWait } = waiting(() => stop.abort('SIGINT'));
    const { ledger, lock } = await ledgerWith(lockWait, journal);
    const id = await begun(ledger);
    lock();
    const evidence = { kind: 'look', at: '2026-11-20T12:00:00+00:00' };
    const interrupted = { kind: 'interrupted', detail: { exitCode: 130 } };
    await expect(ledger.note(id, evidence)).rejects.toMatchObject(interrupted);
    await expect(ledger.resolve(id, { state: 'not_created', evidence })).rejects.toMatchObject(interrupted);
    if (journal === 'truncate') await expect(ledger.list({ limit: 9 })).rejects.toMatchObject(interrupted);
    else expect(await ledger.list({ limit: 9 })).toMatchObject([{ id }]);
  });

  it('gives up with a hint, and works once unlocked', async () => {
    const { lockWait, waited } = waiting();
    const { ledger, lock, unlock } = await ledgerWith(lockWait, journal, { busyTimeout: 0 });
    lock();
    await expect(ledger.begin(intent(), HOW)).rejects.toMatchObject({
      kind: 'ledger',
      message: expect.stringContaining('is locked by another process'),
      detail: { hint: expect.stringContaining('`fuser`') },
    });
    expect(waited.length).toBeGreaterThan(1);
    unlock();
    expect(await ledger.begin(intent(), HOW)).toMatchObject({ kind: 'begun' });
  });

  it('begins, reads and notes once unlocked', async () => {
    const { lockWait, waited } = waiting(() => release());
    const { ledger, lock, unlock } = await ledgerWith(lockWait, journal);
    const release = unlock;
    lock();
    const id = await begun(ledger);
    lock();
    await ledger.note(id, { kind: 'look', at: '2026-11-20T12:00:00+00:00' });
    expect(waited.length).toBe(2);
    expect((await ledger.get(id))?.evidence).toHaveLength(1);
  });
});

it('a ledger with a WAL can be opened and read while another process writes', async () => {
  const { path, kind, lock } = await ledgerWith(waiting().lockWait, 'wal');
  lock();
  const { lockWait, waited } = waiting();
  const ledger = await openLedger(ledgerOptions(path, { lockWait, kind }));
  expect(await ledger.unknown()).toEqual([]);
  expect(waited).toEqual([]);
  await ledger.close();
});

it('opening a locked ledger without a WAL waits, and ends on `stop`', async () => {
  const first = await ledgerWith(waiting().lockWait, 'truncate');
  first.lock();
  const { stop, lockWait } = waiting(() => stop.abort('SIGINT'));
  await expect(openLedger(ledgerOptions(first.path, { lockWait, kind: first.kind }))).rejects.toMatchObject({
    kind: 'interrupted',
    detail: { exitCode: 130 },
  });
  const there = waiting(() => first.unlock());
  const ledger = await openLedger(ledgerOptions(first.path, { lockWait: there.lockWait, kind: first.kind }));
  expect(there.waited.length).toBe(1);
  await ledger.close();
});
