import { isDeepStrictEqual } from 'node:util';
import { attempt } from '../../core/async.ts';
import { isBusy } from '../../database/connect.ts';
import type { Backend, LockPolicy, Query } from '../backend.ts';
import type { Entry, Moment, Sender } from '../entry.ts';
import { diskGuard } from '../local/emergency.ts';
import { type LocalOptions, patiently } from '../local/file.ts';
import { type Row, readable } from '../rows.ts';
import { bootOf } from '../sender.ts';
import { jobReads, policiesBy, type ReadStatement } from '../sql.ts';
import {
  type Access,
  type DatabaseLimits,
  isFromPassing,
  type Session,
  type StatementResult,
  sharedError,
} from './session.ts';
import type { Shadow } from './shadow.ts';
import { countStatement, entriesOf, findStatement, inlined } from './statements.ts';
import {
  allowanceLooks,
  allowanceOf,
  asOfOneMoment,
  changeStep,
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

export interface SharedOptions extends KnownOptions {
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

/** Storage in PostgreSQL, shared by many machines. */
export const sharedBackend = (options: SharedOptions): Backend => {
  const { connection, shadow, path, clock, clockSql, uptime, self, lockWait, worker, limits, server } = options;
  const { name } = options.access.address;
  const guard = diskGuard(path, self, (thrown) => isFromPassing(thrown) || isBusy(thrown));
  const boot = bootOf(self);
  const moment = (): Moment => ({ at: clock.now(), mark: { boot, uptime: uptime() } });

  const patience = (purposes: readonly LockPolicy[]): Patience => {
    if (purposes.includes('outcome')) return { limit: limits.outcome, until: lockWait.leave };
    const glances = purposes.every((one) => one === 'glance');
    return { limit: glances ? 0 : limits.patience, until: lockWait.stop };
  };
  const wasHere = (sender: Sender): boolean => options.dead.some((one) => isDeepStrictEqual(one, sender));
  /** Profiles and files that are known to have a counting policy. */
  const counted = new Set<string>();

  /** After the disk has failed, nothing more is started. */
  const keep = async (intents: readonly Entry[]): Promise<void> => {
    try {
      await patiently(() => shadow.keep(intents), lockWait, lockWait.leave);
    } catch (thrown) {
      guard.failed(sharedError(thrown, name));
      throw thrown;
    }
  };
  const newest = () => patiently(shadow.last, lockWait, lockWait.leave);
  const together = groupedSteps({ connection, patience, keep, limits, server, newest, clock: clock.set, clockSql });

  const step = async <T>(one: UnitOfWork<T>): Promise<T> => {
    try {
      if (one.purpose === 'intent') guard.ready();
      return await together(one);
    } catch (thrown) {
      throw thrown instanceof Uncounted ? thrown : sharedError(thrown, name);
    }
  };
  const use = <T>(work: (session: Session) => Promise<T>, purpose: LockPolicy): Promise<T> =>
    connection.use(work, patience([purpose])).catch((thrown: unknown) => {
      throw sharedError(thrown, name);
    });
  const read = async (statement: string, purpose: LockPolicy = 'note'): Promise<StatementResult> => {
    const limit = purpose === 'glance' ? limits.glance : limits.read;
    const { answers } = await use((session) => session.run(statement, limit), purpose);
    return answers[0] as StatementResult;
  };
  const ask: ReadStatement = async (...statement) => (await read(inlined(statement))).rows as readonly Row[];
  const find = async (query: Query, purpose?: LockPolicy) =>
    query.activities?.length === 0 ? [] : entriesOf(await read(findStatement(query, false), purpose));

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
    moment,
    read: (query) => find(query),
    count: async (query) => Number((await read(countStatement(query))).rows[0]?.[0]),
    sum: (query, begin) =>
      use(async (session) => {
        const { sumsWith } = await import('../sums.ts');
        const asked: ReadStatement = async (...statement) => {
          const { answers } = await session.run(inlined(statement), limits.read);
          return answers[0]?.rows as readonly Row[];
        };
        const sums = () => sumsWith(asked, 'paycli.', query, begin(), lockWait.stop);
        return asOfOneMoment(session, limits.read, sums);
      }, 'note'),
    inspect: async (begin) => {
      let faults: string[] = [];
      const again = () => {
        faults = [];
        return begin();
      };
      const read = ({ rows }: StatementResult) => readable(rows as readonly Row[], (fault) => faults.push(fault));
      const seen = await use((session) => walkIn(session, read, again, limits.read, lockWait.stop), 'note');
      return { faults, seen };
    },
    change: async (purpose, about, decide, of) => {
      // Most reads show nothing new, so try without a lock first.
      if (purpose === 'glance') {
        const seen = decide(await Promise.all(about.map((query) => find(query, purpose))));
        if ((seen.write ?? []).length === 0) return seen.result;
      }
      if (of === undefined) return step(changeStep(purpose, about, decide, undefined));
      const spend = (alone: boolean) => step(changeStep(purpose, about, decide, { of, alone }));
      // Without a counting policy, charges need not wait for each other.
      const whose = `${of.kind} ${of.profile ?? ''} ${of.job ?? ''}`;
      if (counted.has(whose)) return spend(true);
      return spend(false).catch((thrown: unknown) => {
        if (!(thrown instanceof Uncounted)) throw thrown;
        counted.add(whose);
        return spend(true);
      });
    },
    jobs: {
      ...jobReads(ask, 'paycli.', LAST_SHARED_ENTRIES),
      open: (job) => step(writeUnit(`job ${job.id}`, () => SHARED_JOBS.openJob(job, clock.now()))),
      adjust: (job, adjustments) => step(writeUnit(`job ${job}`, () => SHARED_JOBS.adjustJob(job, adjustments))),
      endPlans: (before) => step(writeUnit('plans', () => SHARED_JOBS.clearPlans(before))),
      change: (purpose, of, decide) => step(updateStep(purpose, of, decide)),
      ...leases(worker, read),
    },
    policies: {
      ...policiesBy(ask, (...unit) => step(writeUnit(...unit)), 'paycli.', 'COLLATE "C"'),
      allowance: async (of) => allowanceOf(of, await Promise.all(allowanceLooks(of).map((look) => read(look)))),
    },
    reserve: guard.reserve,
    keepInEmergency: guard.unrecorded,
    close: async () => {
      await connection.close();
      guard.close();
      shadow.close();
    },
  };
};
