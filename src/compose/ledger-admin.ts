import { existsSync } from 'node:fs';
import type { PayError } from '../core/error.ts';
import { usageError } from '../core/error.ts';
import { shellQuote } from '../core/shell.ts';
import type { LedgerAdmin, LedgerStatus, Pushed } from '../ledger/admin.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Access, Session } from '../ledger/postgres/session.ts';
import { hasFileLedger, ledgerPath, openFileLedger, sharedSetting } from './ledger.ts';
import type { Rooms } from './rooms.ts';
import type { RunContext } from './run.ts';

const AT_ONCE = 500;

const NOTHING_CHARGED = 'nothing was ever charged from here';

const NO_SHARED = 'set PAYCLI_LEDGER to postgres://USER@HOST/DATABASE, or run `paycli ledger use URL`';

/** All charges of a ledger, some at a time, oldest first. */
async function* entriesOf(ledger: Ledger) {
  for (let after = 0; ; ) {
    const entries = await ledger.list({ oldestFirst: true, after, limit: AT_ONCE });
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1)?.seq ?? 0;
  }
}

/** All rows of an update job that were ever begun, some at a time. */
async function* updatesOf(ledger: Ledger, job: string, rows: number) {
  for (let first = 1; first <= rows; first += AT_ONCE) yield await ledger.jobs.updates(job, first, first + AT_ONCE - 1);
}

/** Takes over what a ledger knows. Nothing is taken while something is being sent: its outcome would be missing. */
const pushAll = async (ledger: Ledger, session: Session): Promise<Pushed> => {
  const { pushEntries, pushJobs, pushUpdates } = await import('../ledger/postgres/push.ts');
  const [sending] = await ledger.list({ states: ['sending'], limit: 1 });
  if (sending !== undefined) {
    throw usageError(`${sending.id} is being sent right now`, { hint: 'wait until it has ended, then run this again' });
  }
  let [charges, updates, all] = [0, 0, 0];
  const kept: string[] = [];
  for await (const entries of entriesOf(ledger)) {
    const pushed = await pushEntries(session, entries);
    charges += pushed.added;
    all += entries.length;
    kept.push(...pushed.kept);
  }
  const jobs = await ledger.jobs.list({ limit: -1 });
  const added = await pushJobs(session, [...jobs].reverse());
  for (const { id, rows } of jobs.filter(({ kind }) => kind === 'update')) {
    for await (const some of updatesOf(ledger, id, rows)) {
      updates += await pushUpdates(session, some);
      all += some.length;
    }
  }
  return { charges, jobs: added, updates, known: all + jobs.length - charges - added - updates - kept.length, kept };
};

const GONE = 'the ledger is gone: charges were made with one, and nothing is charged without it';

const fileStatus = async (rooms: Rooms): Promise<LedgerStatus> => {
  const at = await ledgerPath(rooms);
  const schema = existsSync(at) ? (await import('../ledger/sqlite/status.ts')).schemaAt(at) : undefined;
  const warnings = schema === undefined && (await hasFileLedger(rooms)) ? [GONE] : [];
  return { kind: 'file', at, from: undefined, schema, warnings };
};

const DURABLE = {
  fsync: 'fsync is off: a crash of the server loses what was committed',
  full_page_writes: 'full_page_writes is off: a crash of the server may damage the database',
} as const;

const sharedStatus = async (access: Access, from: string, now: () => number): Promise<LedgerStatus> => {
  const { databaseStatus } = await import('../ledger/postgres/admin.ts');
  const before = now();
  const { standbys, settings, ...status } = await databaseStatus(access);
  const near = standbys.filter((state) => state === 'sync' || state === 'quorum');
  const warnings = [
    ...(status.isPostgres ? [] : ['this is no PostgreSQL: its locks may keep nobody out']),
    ...(status.standby ? ['this is a standby, which takes no writes'] : []),
    ...(Object.keys(DURABLE) as (keyof typeof DURABLE)[])
      .filter((name) => settings[name] === 'off')
      .map((name) => DURABLE[name]),
    ...(standbys.length > 0 && near.length === 0
      ? ['no standby is synchronous: when one takes over, the last charges may be lost']
      : []),
  ];
  const { version, user, owner, schema, at } = status;
  const clockAhead = Math.round(at - (before + now()) / 2);
  const told = { version, user, owner, schema, clockAhead, standbys, settings, warnings };
  return { kind: 'postgres', at: access.address.name, from, ...told };
};

/** A shared ledger is its server's to copy. */
const notHere = (name: string): PayError =>
  usageError(`the ledger ${name} is in PostgreSQL, and backed up there`, {
    hint: `pg_dump --schema=paycli --format=custom --file=FILE ${shellQuote(name)}`,
  });

/** What looks after the ledger that a run means (see `LedgerAdmin`). */
export const openLedgerAdmin = async (run: RunContext, rooms: Rooms): Promise<LedgerAdmin> => {
  const setting = await sharedSetting(run, rooms);
  const shared = (): Access => {
    if (setting === undefined) throw usageError('no shared ledger is set', { hint: NO_SHARED });
    return setting.access;
  };
  const admin = () => import('../ledger/postgres/admin.ts');
  const at = (): string => shared().address.name;
  return {
    status: () =>
      setting === undefined ? fileStatus(rooms) : sharedStatus(setting.access, setting.from, run.io.clock.now),
    init: async (operators) => ({ at: at(), ...(await (await admin()).initLedger(shared(), operators)) }),
    migrate: async () => ({ at: at(), ...(await (await admin()).migrateLedger(shared())) }),
    backUp: async (file) => {
      if (setting !== undefined) throw notHere(at());
      const path = await ledgerPath(rooms);
      if (!(await hasFileLedger(rooms)))
        throw usageError('there is no ledger on this machine', { hint: NOTHING_CHARGED });
      // Opened first, it takes in what processes have left behind.
      const ledger = await openFileLedger(run.io, rooms);
      run.closing.push(() => ledger.close());
      return (await import('../ledger/sqlite/backup.ts')).backUp(path, file);
    },
    push: async () => {
      const access = shared();
      if (!(await hasFileLedger(rooms))) {
        throw usageError('there is no ledger on this machine to push', { hint: NOTHING_CHARGED });
      }
      const ledger = await openFileLedger(run.io, rooms);
      run.closing.push(() => ledger.close());
      return (await admin()).withLedger(access, async (session) => ({
        at: at(),
        ...(await pushAll(ledger, session)),
      }));
    },
  };
};
