import { existsSync } from 'node:fs';
import { rejectAt } from '../core/async.ts';
import { grouped } from '../core/bounds.ts';
import { countText } from '../core/charge.ts';
import { handleSignals, interrupted, type PayError, usageError } from '../core/error.ts';
import { commandLine } from '../core/input.ts';
import { shellQuote } from '../core/shell.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Ledger, LedgerStatus } from '../ledger/ledger.ts';
import type { Access, Session } from '../ledger/postgres/session.ts';
import { hasFileLedger, ledgerPath, openFileLedger, sharedSetting } from './ledger.ts';
import { foldersOf, type RunContext } from './run.ts';

const PUSHED_AT_ONCE = 500;
const CONNECT_LIMIT_MS = 10_000;
/** Pause between two looks for entries that are being sent, in milliseconds. */
const SENDING_LOOK_MS = 500;

const NOTHING_CHARGED = 'nothing was ever charged from here';

/** Yields all started rows of an update job in batches. */
async function* updatesOf(ledger: Ledger, job: string, rows: number) {
  for (let first = 1; first <= rows; first += PUSHED_AT_ONCE)
    yield await ledger.jobs.updates(job, first, first + PUSHED_AT_ONCE - 1);
}

/**
 * Imports a ledger into the shared one. Throws a usage error while an entry is being sent: its outcome would be
 * missing.
 */
const pushAll = async (ledger: Ledger, session: Session, { status }: RunContext['state']) => {
  const { importEntries, importJobs, importUpdates } = await import('../ledger/postgres/admin.ts');
  const [sending] = await ledger.list({ states: ['sending'], limit: 1 });
  if (sending !== undefined) {
    throw usageError(`${sending.id} is being sent right now`, { hint: 'wait until it has ended, then run this again' });
  }
  let [charges, updates, all] = [0, 0, 0];
  /** Open charges, each of a payment request of which the shared ledger has another open one. */
  const kept: string[] = [];
  status.doing = () => `${grouped(all)} entries read`;
  const entriesAfter = (after: number) => ledger.list({ oldestFirst: true, after, limit: PUSHED_AT_ONCE });
  for (let entries = await entriesAfter(0); entries.length > 0; ) {
    // The next ones are read while the server stores these.
    const pushing = importEntries(session, entries);
    const [pushed, read] = await Promise.all([pushing, entriesAfter(entries.at(-1)?.seq ?? 0)]);
    charges += pushed.added;
    all += entries.length;
    kept.push(...pushed.kept);
    entries = read;
  }
  const jobs = await ledger.jobs.list({ limit: -1 });
  const added = await importJobs(session, [...jobs].reverse());
  for (const { id, rows } of jobs.filter(({ kind }) => kind === 'update')) {
    for await (const some of updatesOf(ledger, id, rows)) {
      updates += await importUpdates(session, some);
      all += some.length;
    }
  }
  return { charges, jobs: added, updates, known: all + jobs.length - charges - added - updates - kept.length, kept };
};

/** Warnings about shared ledgers that this machine has charged with, other than the current ledger. */
const sharedBefore = async (run: RunContext): Promise<string[]> => {
  const { openOtherShadow, shadowPaths } = await import('../ledger/postgres/shadow.ts');
  return shadowPaths((await foldersOf(run)).data)
    .filter((path) => {
      const shadow = openOtherShadow(path);
      try {
        return shadow.isUsed();
      } finally {
        shadow.close();
      }
    })
    .map(
      (path) =>
        `a shared ledger was charged with from here (${path}): what it holds is not charged with this one, but for --again`,
    );
};

/** Warning about charges in this machine's file that are open or unknown and missing in the shared ledger. */
const leftInFile = async (run: RunContext, access: Access, schema: number | undefined): Promise<string[]> => {
  if (!existsSync(await ledgerPath(run))) return [];
  const file = await openFileLedger(run);
  const all = { limit: -1 };
  const open = [
    ...(await file.list({ ...all, states: ['unknown'] })),
    ...(await file.list({ ...all, payments: ['open'] })),
  ];
  const { isEmulator } = await import('../ledger/entry.ts');
  const real = open.filter(({ service }) => !isEmulator(service));
  const left = schema === undefined ? real : await notIn(access, real);
  if (left.length === 0) return [];
  return [
    `the ledger of this machine holds ${countText(left)}, open or unknown, that this one does not know: \`${commandLine(run.globals, 'ledger', 'push')}\` takes them along`,
  ];
};

const fileStatus = async (run: RunContext): Promise<LedgerStatus> => {
  const at = await ledgerPath(run);
  const schema = existsSync(at) ? (await import('../ledger/sqlite/backup.ts')).schemaAt(at) : undefined;
  const missing =
    schema === undefined && (await hasFileLedger(run))
      ? ['the ledger is missing. Charges were made with it, so paycli charges nothing without it']
      : [];
  const warnings = [...missing, ...(await sharedBefore(run))];
  return { kind: 'file', at, from: undefined, schema, warnings };
};

const notIn = async (access: Access, entries: readonly Entry[]): Promise<readonly Entry[]> => {
  if (entries.length === 0) return [];
  const [{ withLedger }, { unknownTo }] = await Promise.all([
    import('../ledger/postgres/admin.ts'),
    import('../ledger/postgres/shadow.ts'),
  ]);
  return withLedger(access, (session) => unknownTo(session, entries, CONNECT_LIMIT_MS));
};

const DURABLE = {
  fsync: 'fsync is off: a crash of the server loses committed charges',
  full_page_writes: 'full_page_writes is off: a crash of the server may damage the database',
} as const;

const sharedStatus = async (
  { access, from }: { readonly access: Access; readonly from: string },
  run: RunContext,
): Promise<LedgerStatus> => {
  const { databaseStatus } = await import('../ledger/postgres/admin.ts');
  const { now } = run.io.clock;
  const before = now();
  const { standbys, settings, ...status } = await databaseStatus(access);
  const near = standbys.filter((state) => state === 'sync' || state === 'quorum');
  const warnings = [
    ...(status.isPostgres ? [] : ['this is not PostgreSQL: its locks may not prevent double charges']),
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
  warnings.push(...(await leftInFile(run, access, schema)));
  const facts = { version, user, owner, schema, clockAhead, standbys, settings, warnings };
  return { kind: 'postgres', at: access.address.name, from, ...facts };
};

/** Usage error: the server backs up a shared ledger. */
const notHere = (name: string): PayError =>
  usageError(`the ledger ${name} is in PostgreSQL, and backed up there`, {
    hint: `pg_dump --schema=paycli --format=custom --file=FILE ${shellQuote(name)}`,
  });

/**
 * Operations on the run's whole ledger. They fail with errors of the ledger, or with a `usage` error if there is no
 * ledger for them.
 */
export const openLedgerAdmin = async (run: RunContext) => {
  const setting = await sharedSetting(run);
  const shared = (): Access => {
    if (setting === undefined)
      throw usageError('no shared ledger is set', {
        hint: `set PAYCLI_LEDGER to postgres://USER@HOST/DATABASE${run.globals.local ? '' : ', or run `paycli ledger use URL`'}`,
      });
    return setting.access;
  };
  const admin = () => import('../ledger/postgres/admin.ts');
  const at = (): string => shared().address.name;
  return {
    status: (): Promise<LedgerStatus> => (setting === undefined ? fileStatus(run) : sharedStatus(setting, run)),
    /** Creates the tables of a shared ledger, and grants these roles the rights of an operator. */
    init: async (operators: readonly string[]) => ({
      at: at(),
      ...(await (await admin()).initLedger(shared(), operators)),
    }),
    /** Migrates the tables of a shared ledger to this program's version. */
    migrate: async () => {
      const { clock, signals } = run.io;
      const wait = async (sending: number): Promise<void> => {
        run.state.status.doing = () => `${grouped(sending)} being sent`;
        await clock.sleep(SENDING_LOOK_MS, signals.stop).catch(() => undefined);
        await handleSignals(signals.stop);
      };
      return { at: at(), ...(await (await admin()).migrateLedger(shared(), { wait })) };
    },
    /** Copies this machine's ledger, as of one moment, into a new file. */
    backUp: async (file: string) => {
      if (setting !== undefined) throw notHere(at());
      const path = await ledgerPath(run);
      if (!(await hasFileLedger(run)))
        throw usageError('there is no ledger on this machine', { hint: NOTHING_CHARGED });
      // Opens the ledger first, which recovers data that ended processes left behind.
      await openFileLedger(run);
      return (await import('../ledger/sqlite/backup.ts')).backUp(path, file, run.io.signals.stop);
    },
    /** Copies the contents of this machine's ledger into the shared one. */
    push: async () => {
      const access = shared();
      if (!(await hasFileLedger(run))) {
        throw usageError('there is no ledger on this machine to push', { hint: NOTHING_CHARGED });
      }
      const ledger = await openFileLedger(run);
      return (await admin()).withLedger(access, async (session) => ({
        at: at(),
        ...(await Promise.race([
          pushAll(ledger, session, run.state),
          rejectAt(run.io.signals.stop, (signal) =>
            interrupted(signal, 'the charges pushed so far stay; run it again to push the rest'),
          ),
        ])),
      }));
    },
  };
};

/** Renames a profile in this machine's ledger. */
export const renameInLedger = async (run: RunContext, from: string, to: string) => {
  const setting = await sharedSetting({ ...run, globals: { ...run.globals, profile: from, local: false } });
  const shared = setting?.access.address.name;
  if (!(await hasFileLedger(run))) return { entries: 0, shared, end: undefined };
  const ledger = await openFileLedger(run);
  return { entries: await ledger.rename(from, to, false), shared, end: () => ledger.rename(from, to, true) };
};
