import { isDeepStrictEqual } from 'node:util';
import { attempt } from '../../core/async.ts';
import type { PayError } from '../../core/error.ts';
import { isBusy } from '../../database/connect.ts';
import type { Backend, LockPolicy, Query } from '../backend.ts';
import type { Entry, Sender } from '../entry.ts';
import { jobReads } from '../job-sql.ts';
import { diskGuard } from '../local/emergency.ts';
import { type LocalOptions, patiently } from '../local/file.ts';
import { policiesBy } from '../policy-sql.ts';
import { type Row, readable } from '../rows.ts';
import { bootOf } from '../sender.ts';
import type { ReadStatement } from '../sql.ts';
import { ledgerErrorOf } from './handshake.ts';
import { type Access, type DatabaseLimits, isFromPassing, type Session, type StatementResult } from './session.ts';
import type { Shadow } from './shadow.ts';
import { countStatement, entriesOf, findStatement, inlined, rowKept } from './statements.ts';
import {
  allowanceLooks,
  allowanceOf,
  asOfOneMoment,
  changeStep,
  checkedIntent,
  LAST_SHARED_ENTRIES,
  leases,
  SHARED_JOBS,
  Uncounted,
  type UnitOfWork,
  updateStep,
  walkIn,
  writeUnit,
} from './steps.ts';
import { type Connection, groupedSteps, type Patience } from './transaction.ts';

/** Estimate of the server's clock: its last reading plus the time since then. */
export interface ServerClock {
  set(at: number): void;
  now(): number;
}

export interface SharedLedgerOptions extends LocalOptions {
  readonly access: Access;
  /** Folder of this machine for the copies of its intents. */
  readonly folder: string;
  /** Name of this worker, which other workers on a job can read. */
  readonly worker: string;
  /** SQL expression for the server's clock. */
  readonly clockSql?: () => string;
  /** Tolerated difference between clocks during a sending, in milliseconds; a minute by default. */
  readonly slack?: number;
  /** Time limits for the server; `DATABASE_LIMITS` by default. */
  readonly limits?: DatabaseLimits;
}

/** Options with their defaults filled in. */
export type KnownOptions = SharedLedgerOptions & Required<Pick<SharedLedgerOptions, 'clockSql' | 'limits'>>;

interface SharedOptions extends KnownOptions {
  readonly connection: Connection;
  readonly shadow: Shadow;
  /** Path of the shadow. The emergency file is beside it. */
  readonly path: string;
  readonly clock: ServerClock;
  /** Processes of this machine that ended without closing the ledger. */
  readonly dead: readonly Sender[];
  /** Server that the connection led to when it was opened. */
  readonly server: () => string;
  readonly key: string;
  /** Role that uses it. */
  readonly account: string;
}

/** Default tolerance for the difference between two machines' clocks during a sending, in milliseconds. */
const SLACK_MS = 60_000;

/** Reads and writes of one shared ledger, over its connection. */
class SharedStore {
  readonly #options: SharedOptions;
  readonly guard: ReturnType<typeof diskGuard>;
  readonly #together: ReturnType<typeof groupedSteps>;
  /** Profiles and files that are known to have a counting policy. */
  readonly #counted = new Set<string>();

  constructor(options: SharedOptions) {
    const { connection, shadow, path, clock, clockSql, self, lockWait, limits, server } = options;
    this.#options = options;
    this.guard = diskGuard(path, self, (thrown) => isFromPassing(thrown) || isBusy(thrown));
    this.#together = groupedSteps({
      connection,
      patience: (purposes) => this.#patience(purposes),
      keep: (intents) => this.#keep(intents),
      limits,
      server,
      newest: () => patiently(shadow.last, lockWait, lockWait.leave),
      clock: clock.set,
      clockSql,
    });
  }

  #patience(purposes: readonly LockPolicy[]): Patience {
    const { limits, lockWait } = this.#options;
    if (purposes.includes('outcome')) return { limit: limits.outcome, until: lockWait.leave };
    const glances = purposes.every((one) => one === 'glance');
    return { limit: glances ? 0 : limits.patience, until: lockWait.stop };
  }

  #error(thrown: unknown): Promise<PayError> {
    const { access, limits } = this.#options;
    return ledgerErrorOf(thrown, access, limits);
  }

  /** After the disk has failed, nothing more is started. */
  async #keep(intents: readonly Entry[]): Promise<void> {
    const { shadow, lockWait } = this.#options;
    try {
      await patiently(() => shadow.keep(intents), lockWait, lockWait.leave);
    } catch (thrown) {
      this.guard.failed(await this.#error(thrown));
      throw thrown;
    }
  }

  async step<T>(one: UnitOfWork<T>): Promise<T> {
    try {
      if (one.purpose !== 'intent') return await this.#together(one);
      this.guard.ready();
      return await this.#together(checkedIntent(one, this.#options.access.address.name));
    } catch (thrown) {
      throw thrown instanceof Uncounted ? thrown : await this.#error(thrown);
    }
  }

  use<T>(work: (session: Session) => Promise<T>, purpose: LockPolicy): Promise<T> {
    return this.#options.connection.use(work, this.#patience([purpose])).catch(async (thrown: unknown) => {
      throw await this.#error(thrown);
    });
  }

  readonly read = async (statement: string, purpose: LockPolicy = 'note'): Promise<StatementResult> => {
    const { limits } = this.#options;
    const limit = purpose === 'glance' ? limits.glance : limits.read;
    const { answers } = await this.use((session) => session.run(statement, limit), purpose);
    return answers[0] as StatementResult;
  };

  readonly ask: ReadStatement = async (...statement) => (await this.read(inlined(statement))).rows as readonly Row[];

  async find(query: Query, purpose?: LockPolicy): Promise<readonly Entry[]> {
    return query.activities?.length === 0 ? [] : entriesOf(await this.read(findStatement(query, false), purpose));
  }

  readonly sum: Backend['sum'] = (query, begin) => {
    const { limits, lockWait } = this.#options;
    return this.use(async (session) => {
      const { sumsWith } = await import('../sums.ts');
      const asked: ReadStatement = async (...statement) => {
        const { answers } = await session.run(inlined(statement), limits.read);
        return answers[0]?.rows as readonly Row[];
      };
      const sums = () => sumsWith(asked, 'paycli.', query, begin(), lockWait.stop);
      return asOfOneMoment(session, limits.read, sums);
    }, 'note');
  };

  readonly inspect: Backend['inspect'] = async (begin) => {
    const { limits, lockWait } = this.#options;
    let faults: string[] = [];
    const again = () => {
      faults = [];
      return begin();
    };
    const tell = (fault: string): void => void faults.push(fault);
    const read = ({ rows }: StatementResult) => readable(rows as readonly Row[], tell, rowKept);
    const seen = await this.use((session) => walkIn(session, read, again, limits.read, lockWait.stop), 'note');
    return { faults, seen };
  };

  readonly change: Backend['change'] = async (purpose, about, decide, of) => {
    // Most reads show nothing new, so try without a lock first.
    if (purpose === 'glance') {
      const seen = decide(await Promise.all(about.map((query) => this.find(query, purpose))));
      if ((seen.write ?? []).length === 0) return seen.result;
    }
    if (of === undefined) return this.step(changeStep(purpose, about, decide, undefined));
    const spend = (alone: boolean) => this.step(changeStep(purpose, about, decide, { of, alone }));
    // Without a counting policy, charges need not wait for each other.
    const whose = `${of.kind} ${of.profile ?? ''} ${of.job ?? ''}`;
    if (this.#counted.has(whose)) return spend(true);
    return spend(false).catch((thrown: unknown) => {
      if (!(thrown instanceof Uncounted)) throw thrown;
      this.#counted.add(whose);
      return spend(true);
    });
  };

  async close(): Promise<void> {
    const { connection, shadow } = this.#options;
    await connection.close();
    this.guard.close();
    shadow.close();
  }
}

/** Storage in PostgreSQL, shared by many machines. */
export const sharedBackend = (options: SharedOptions): Backend => {
  const { shadow, clock, uptime, self, dead } = options;
  const store = new SharedStore(options);
  const boot = bootOf(self);
  const wasHere = (sender: Sender): boolean => dead.some((one) => isDeepStrictEqual(one, sender));
  return {
    key: options.key,
    account: options.account,
    self,
    slack: options.slack ?? SLACK_MS,
    hasEnded: (sender, overdue, id) =>
      id === undefined || wasHere(sender) || attempt(() => shadow.has(id)) === true
        ? options.hasEnded(sender, overdue)
        : overdue,
    now: clock.now,
    moment: () => ({ at: clock.now(), mark: { boot, uptime: uptime() } }),
    read: (query) => store.find(query),
    count: async (query) => Number((await store.read(countStatement(query))).rows[0]?.[0]),
    sum: store.sum,
    inspect: store.inspect,
    change: store.change,
    jobs: {
      ...jobReads(store.ask, 'paycli.', LAST_SHARED_ENTRIES),
      open: (job) => store.step(writeUnit(`job ${job.id}`, () => SHARED_JOBS.openJob(job, clock.now()))),
      adjust: (job, adjustments) => store.step(writeUnit(`job ${job}`, () => SHARED_JOBS.adjustJob(job, adjustments))),
      endPlans: (before) => store.step(writeUnit('plans', () => SHARED_JOBS.clearPlans(before))),
      change: (purpose, of, decide) => store.step(updateStep(purpose, of, decide)),
      ...leases(options.worker, store.read),
    },
    policies: {
      ...policiesBy(store.ask, (...unit) => store.step(writeUnit(...unit)), 'paycli.', 'COLLATE "C"'),
      allowance: async (of) => allowanceOf(of, await Promise.all(allowanceLooks(of).map((look) => store.read(look)))),
    },
    reserve: store.guard.reserve,
    keepInEmergency: store.guard.unrecorded,
    close: () => store.close(),
  };
};
