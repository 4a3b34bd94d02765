import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { attempt, memo } from '../../core/async.ts';
import { handleSignals, PayError } from '../../core/error.ts';
import {
  compact,
  type DatabaseKind,
  optionalText,
  sqlNumber,
  transact,
  upgradeReader,
} from '../../database/connect.ts';
import { groupCommit } from '../../database/group.ts';
import type { Backend, JobsBackend, LockPolicy } from '../backend.ts';
import type { Entry, Moment, Sender } from '../entry.ts';
import { chargedOfJob, chargedTotal, deletePlans, ENTRY_STATE, jobReads, jobStatements, updateOf } from '../job-sql.ts';
import type { ChargeSum, Policies, Reducer, SumQuery } from '../ledger.ts';
import { diskGuard } from '../local/emergency.ts';
import { asLedgerError, type Highest, type LocalOptions, ledgerError, patiently } from '../local/file.ts';
import {
  type Allowance,
  type AllowanceOf,
  isCounted,
  limitsOf,
  NO_TOTAL,
  OTHER_PROFILES,
  type Policy,
  type Total,
} from '../policy.ts';
import { approvalBy, approvalIn, POLICY, policiesBy, policyOf } from '../policy-sql.ts';
import { type Row, readable } from '../rows.ts';
import { bootOf, operator } from '../sender.ts';
import { countingOf, type ReadStatement, replacing, type Statement } from '../sql.ts';
import { LEDGER_FILE } from './schema.ts';
import { type LedgerStatements, preparing, rowsFrom, SELECT, selecting } from './statements.ts';

/** Sums are texts, since they may exceed a JavaScript number. */
const spentSql = (currencies: readonly string[], kind: string | undefined): string => `SELECT
  count(*), count(*) FILTER (WHERE amount IS NULL OR currency IS NULL)
  ${currencies.map(() => ', CAST(sum(amount) FILTER (WHERE currency = ?) AS TEXT)').join('')}
  FROM charge WHERE profile IS ? AND created_at >= ? AND ${countingOf(kind)}`;

const spentOf = ([count, unknown, ...amounts]: Row, currencies: readonly string[]): Total => ({
  rows: sqlNumber(count),
  unknown: sqlNumber(unknown),
  amounts: new Map(currencies.map((currency, at) => [currency, BigInt(optionalText(amounts[at]) ?? 0)])),
});

const spentIn = (store: FileStore, policy: Policy, { kind, profile, since }: AllowanceOf): Total => {
  const currencies = Object.keys(limitsOf(policy, kind).sums ?? {});
  return spentOf(store.rows(spentSql(currencies, kind), ...currencies, profile ?? null, since)[0] ?? [], currencies);
};

/** Reads the policy of a profile and its use, in the caller's transaction. */
const allowanceIn = (store: FileStore, { profile, ...more }: AllowanceOf): Allowance | undefined => {
  const of = { ...more, profile: store.nameNow(profile) };
  const policyFor = (name: string): Allowance['kept'] | undefined =>
    store.rows(`SELECT ${POLICY} FROM policy WHERE policy IS NOT NULL AND profile = ?`, name).map(policyOf)[0];
  // Query one after the other: a single query for both makes each charge slower.
  const kept = (of.profile === undefined ? undefined : policyFor(of.profile)) ?? policyFor(OTHER_PROFILES);
  if (kept === undefined) return undefined;
  const { policy } = kept;
  const file = (job: string): Allowance['file'] => ({
    charged: chargedTotal(store.rows(...chargedOfJob('', job))),
    approval: approvalIn(store.rows(...approvalBy('', job))),
  });
  return {
    kept,
    spent: isCounted(policy, of.kind) ? spentIn(store, policy, of) : NO_TOTAL,
    file: of.job === undefined || policy.approveAbove === undefined ? undefined : file(of.job),
  };
};

/** Small batches keep the heap small: V8 enlarges it for objects that outlive a collection. */
const BATCH_ROWS = 20;

/** Next batch of rows. */
const nextBatch = (rows: Iterator<Row, void>): Row[] => {
  const some: Row[] = [];
  while (some.length < BATCH_ROWS) {
    const next = rows.next();
    if (next.done === true) break;
    some.push(next.value);
  }
  return some;
};

export interface LedgerOptions extends LocalOptions {
  /** Absolute path of the file. */
  readonly path: string;
  /** False if the run has read a profile of this name in the settings, and once the ledger is open, they have none. */
  readonly isNamed: (profile: string) => boolean;
  readonly kind?: DatabaseKind;
}

/** Device and inode of the file at a path; undefined if there is none. */
const fileAt = (path: string): string | undefined => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
};

/**
 * Caches readings within a transaction, since reading takes longer than deciding. Outside a transaction, each call
 * reads anew.
 */
const readings = () => {
  let transaction: Map<() => unknown, unknown> | undefined;
  return {
    once:
      <T>(read: () => T) =>
      (): T => {
        if (transaction === undefined) return read();
        if (!transaction.has(read)) transaction.set(read, read());
        return transaction.get(read) as T;
      },
    sharing: <T>(work: () => T): T => {
      transaction = new Map();
      try {
        return work();
      } finally {
        transaction = undefined;
      }
    },
  };
};

/** Last entry of each row. With max(), SQLite takes the other columns from the row with the maximum. */
export const LAST_ENTRIES = `SELECT max(seq), ${ENTRY_STATE} FROM charge WHERE job = ? GROUP BY row`;

/** Duration of a lease, in milliseconds. The lease of an ended process is over at once. */
const LEASE_MS = 60_000;
const TAKE_SLICE = replacing('slice', 'job, slice, owner, until', 2);

/** Reads and writes of one ledger file, which wait for other processes that have it locked. */
class FileStore {
  readonly #db: DatabaseSync;
  readonly sql: LedgerStatements;
  readonly options: LedgerOptions;
  /** Number of renames of profiles when the ledger was opened. */
  readonly #renames: number;
  readonly #prepared: ReturnType<typeof preparing>;
  readonly lifeline: ReturnType<typeof diskGuard>;
  /** The file that was opened, which another one may replace. */
  readonly #file: string | undefined;
  readonly #readings = readings();
  readonly #upgraded: () => PayError | undefined;
  readonly #commit: ReturnType<typeof groupCommit>;

  constructor(db: DatabaseSync, sql: LedgerStatements, renames: number, options: LedgerOptions) {
    const { path, self, lockWait, kind = LEDGER_FILE } = options;
    this.#db = db;
    this.sql = sql;
    this.options = options;
    this.#renames = renames;
    this.#prepared = preparing(db);
    this.lifeline = diskGuard(path, self);
    this.#file = fileAt(path);
    this.#upgraded = this.#readings.once(upgradeReader(db, path, kind));
    const commit = <T>(work: () => T, until: AbortSignal): Promise<T> => patiently(work, lockWait, until);
    this.#commit = groupCommit(db, commit, [lockWait.stop, lockWait.leave], (work) => this.#within(work));
  }

  /** Runs the work of a transaction. Data written to a file without a name would be lost. */
  #within<T>(work: () => T): T {
    return this.#readings.sharing(() => {
      const result = work();
      const { path } = this.options;
      if (fileAt(path) === this.#file) return result;
      throw ledgerError({ kind: 'unusable', path, what: 'was removed or replaced while it was in use' });
    });
  }

  /** Error of the file. One that was upgraded meanwhile says so, whatever this program makes of it. */
  #errorOf(thrown: unknown): PayError {
    return (
      (thrown instanceof PayError ? undefined : attempt(this.#upgraded)) ?? asLedgerError(thrown, this.options.path)
    );
  }

  async read<T>(work: () => T): Promise<T> {
    const { lockWait } = this.options;
    try {
      return await patiently(work, lockWait, lockWait.stop);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  /** Writes in a transaction of its own or shared with others. The purpose sets how long it waits for a locked file. */
  async write<T>(purpose: LockPolicy, work: () => T): Promise<T> {
    const { stop, leave } = this.options.lockWait;
    try {
      if (purpose === 'glance') return transact(this.#db, work);
      if (purpose !== 'intent') return await this.#commit(work, purpose === 'outcome' ? leave : stop);
      this.lifeline.ready();
      const checked = (): T => {
        const error = this.#upgraded();
        if (error !== undefined) throw error;
        return work();
      };
      return await this.#commit(checked, stop);
    } catch (thrown) {
      const error = this.#errorOf(thrown);
      if (purpose === 'intent') this.lifeline.failed(error);
      throw error;
    }
  }

  /** Runs a statement in the caller's transaction. */
  readonly rows = (...[text, ...values]: Statement): readonly Row[] => rowsFrom(this.#prepared(text), ...values);
  readonly run = (...[text, ...values]: Statement): void => void this.#prepared(text).run(...values);

  readonly ask: ReadStatement = (...statement) => this.read(() => this.rows(...statement));

  /** The moment now, read once in a transaction. */
  readonly moment = this.#readings.once((): Moment => {
    const { now, uptime, self } = this.options;
    return { at: now(), mark: { boot: bootOf(self), uptime: uptime() } };
  });

  /**
   * Present name of a profile that the run knows by this name. It may have been renamed since, also between the run's
   * look at the settings and the opening of the ledger. No clock tells: it may have been set.
   */
  nameNow(name: string | undefined): string | undefined {
    const renamed = name && this.sql.nameNow(name, 0);
    if (name === undefined || renamed === name) return name;
    return this.options.isNamed(name) ? this.knownAs(name) : renamed;
  }

  /** Present name of a profile that the settings had by this name when the ledger was opened. */
  knownAs(name: string): string {
    return this.sql.nameNow(name, this.#renames);
  }

  /** Writes entries in the caller's transaction. Returns the place of the last new one. */
  writeAll(entries: readonly Entry[] = []): number | undefined {
    let last: number | undefined;
    for (const entry of entries) {
      if (entry.seq === 0) last = this.sql.insert({ ...entry, profile: this.nameNow(entry.profile) });
      else this.sql.update(entry);
    }
    return last;
  }

  /**
   * Yields rows in batches. The statement sees the file as of its start, so only the start can find the file locked and
   * is retried. The first signal ends it.
   */
  async *batches(...statement: Parameters<LedgerStatements['each']>): AsyncGenerator<readonly Row[]> {
    const { lockWait } = this.options;
    const { walk, first } = await this.read(() => {
      const walk = this.sql.each(...statement);
      return { walk, first: nextBatch(walk) };
    });
    try {
      for (let some = first; some.length > 0; some = nextBatch(walk)) {
        yield some;
        await handleSignals(lockWait.stop);
      }
    } catch (thrown) {
      throw this.#errorOf(thrown);
    } finally {
      walk.return();
    }
  }

  async sum<T>(query: SumQuery, begin: () => Reducer<T, ChargeSum>): Promise<T> {
    // All statements see the file as of this one's start, until it ends.
    const held = await this.read(() => {
      const all = this.sql.each(SELECT, 'ORDER BY seq');
      all.next();
      return all;
    });
    try {
      const { sumsWith } = await import('../sums.ts');
      return await sumsWith(this.ask, '', query, begin(), this.options.lockWait.stop);
    } finally {
      held.return();
    }
  }

  async #walk<T>(begin: () => Reducer<T>, tell: (fault: string) => void): Promise<T> {
    const taker = begin();
    for await (const some of this.batches(SELECT, 'ORDER BY seq')) taker.take(readable(some, tell));
    return taker.end();
  }

  async inspect<T>(begin: () => Reducer<T>): Promise<{ readonly faults: readonly string[]; readonly seen: T }> {
    const { path, lockWait } = this.options;
    const { runApart } = await import('./backup.ts');
    const faults: string[] = [];
    const failed = new AbortController();
    const stop = AbortSignal.any([lockWait.stop, failed.signal]);
    const [[found = []], seen] = await Promise.all([
      // Where there is no file, an empty ledger in memory is read.
      existsSync(path) ? runApart(path, [['PRAGMA integrity_check(50)']], stop) : [],
      this.#walk(begin, (fault) => faults.push(fault)),
    ]).catch((thrown: unknown) => {
      failed.abort();
      throw this.#errorOf(thrown);
    });
    return { faults: [...found.map(String).filter((fault) => fault !== 'ok'), ...faults], seen };
  }

  compact(): Promise<boolean> {
    const { lockWait } = this.options;
    return compact(this.#db, (work) => patiently(work, lockWait, lockWait.stop));
  }

  close(): void {
    this.#db.close();
    this.lifeline.close();
  }
}

/** Leases on slices of jobs, each held by one process of this machine. */
const leasesIn = (store: FileStore): Pick<JobsBackend, 'lease' | 'release' | 'workers'> => {
  const { now, self, hasEnded } = store.options;
  const ownName = JSON.stringify(self);
  const ownerOf = (name: Row[number] | undefined): Sender => JSON.parse(String(name));
  return {
    lease: (job, slice) =>
      store.write('note', () => {
        const held = 'SELECT owner, until FROM slice WHERE job = ? AND slice = ?';
        const [[owner, until] = []] = store.rows(held, job, slice);
        // A lease that lasts longer was made before the clock was set back.
        const left = sqlNumber(until) - now();
        const isHeld = owner !== undefined && left > 0 && left <= LEASE_MS;
        if (isHeld && owner !== ownName && !hasEnded(ownerOf(owner), false)) return false;
        store.run(TAKE_SLICE, job, slice, ownName, now() + LEASE_MS);
        return true;
      }),
    release: (job) =>
      store.write('note', () => store.run('DELETE FROM slice WHERE job = ? AND owner = ?', job, ownName)),
    workers: async (job) => {
      const held = `SELECT owner, count(*) FROM slice WHERE job = ? AND until > ? AND until <= ?
        GROUP BY owner ORDER BY owner`;
      return (await store.ask(held, job, now(), now() + LEASE_MS)).flatMap(([owner, slices]) => {
        const sender = ownerOf(owner);
        return hasEnded(sender, false) ? [] : { worker: `${operator()} ${sender.pid}`, slices: sqlNumber(slices) };
      });
    },
  };
};

const jobsIn = (store: FileStore): JobsBackend => {
  const statements = jobStatements('');
  return {
    ...jobReads(store.ask, '', LAST_ENTRIES),
    ...leasesIn(store),
    open: (job, at) =>
      store.write('note', () => store.run(...statements.openJob({ ...job, profile: store.nameNow(job.profile) }, at))),
    adjust: (job, adjustments) => store.write('note', () => store.run(...statements.adjustJob(job, adjustments))),
    endPlans: (before) =>
      store.write('note', () => {
        for (const statement of [statements.clearPlans(before), ...deletePlans(before)]) store.run(...statement);
      }),
    change: (purpose, of, decide) =>
      store.write(purpose, () => {
        const decision = decide(store.rows(...statements.findUpdate(of)).map(updateOf)[0]);
        if (decision.write !== undefined) store.run(...statements.writeUpdate(decision.write));
        return decision.result;
      }),
  };
};

const policiesIn = (store: FileStore): Policies => {
  const policies = policiesBy(
    store.ask,
    (_about, statement, look) =>
      store.write('note', () => store.run(...statement(look === undefined ? [] : store.rows(...look)))),
    '',
    '',
  );
  return {
    ...policies,
    set: async (profile, change) => policies.set(await store.read(() => store.knownAs(profile)), change),
    allowance: (of) => store.read(() => allowanceIn(store, of)),
  };
};

/** Storage in one SQLite file, shared by the processes of one machine. */
export const backendOver = (
  db: DatabaseSync,
  sql: LedgerStatements,
  highest: Highest,
  { key, renames }: ReturnType<LedgerStatements['settings']>,
  options: LedgerOptions,
): Backend => {
  const store = new FileStore(db, sql, renames, options);
  const jobs = memo(() => jobsIn(store));
  const policies = memo(() => policiesIn(store));
  return {
    key,
    self: options.self,
    slack: 0,
    hasEnded: options.hasEnded,
    now: options.now,
    moment: store.moment,
    read: (query) => store.read(() => sql.find(query)),
    count: async (query) => {
      let count = 0;
      for await (const some of store.batches('SELECT 1 FROM charge', ...selecting(query, 'any'))) count += some.length;
      return count;
    },
    sum: (query, begin) => store.sum(query, begin),
    inspect: (begin) => store.inspect(begin),
    change: async (purpose, about, decide, of) => {
      const { result, last } = await store.write(purpose, () => {
        const decision = decide(about.map(sql.find), of && allowanceIn(store, of));
        return { result: decision.result, last: store.writeAll(decision.write) };
      });
      if (last !== undefined) highest.keep(last);
      return result;
    },
    rename: (...names) => store.write('note', () => sql.rename(...names)),
    compact: () => store.compact(),
    get jobs() {
      return jobs();
    },
    get policies() {
      return policies();
    },
    reserve: store.lifeline.reserve,
    keepInEmergency: store.lifeline.unrecorded,
    close: async () => {
      store.close();
      highest.close();
    },
  };
};
