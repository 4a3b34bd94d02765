import type { RowCounts } from '../core/charge.ts';
import type { PayError } from '../core/error.ts';
import type { Entry, Moment, Sender, StoredOutcome } from './entry.ts';
import type { JobRow, Jobs, KeptUpdate, NewJob } from './job.ts';
import type { ChargeSum, Ledger, ListFilter, Policies, Reducer, SumQuery } from './ledger.ts';
import type { Allowance, AllowanceOf } from './policy.ts';

/** Query for charges that match all of its fields. Oldest first if `order` is omitted. */
export interface Query extends Omit<ListFilter, 'limit' | 'oldestFirst'> {
  readonly id?: string | undefined;
  /** Charges of a payment request that may block another one, at any service. Throws if one was lost. */
  readonly earlier?: string | undefined;
  /** With `job`: charges of these rows of its file. */
  readonly rows?: readonly [first: number, last: number] | undefined;
  /** Final entries that pruning would change. */
  readonly prunable?: boolean | undefined;
  /** `time` is the order of the clock, which may have been set. */
  readonly order?: 'oldest' | 'newest' | 'row' | 'time';
  /** All if omitted. */
  readonly limit?: number | undefined;
}

/**
 * Purpose of a write. `intent`: a request follows it, so none is stored after the backend has failed. `outcome`: the
 * result of a sent request; the user's first signal does not end its waiting. `glance`: not worth waiting for. `prune`:
 * reduces stored data, which only the owner of a shared ledger may do.
 */
export type LockPolicy = 'intent' | 'outcome' | 'note' | 'glance' | 'prune';

/** Decision of a rule: its result and what to write. */
export interface Decision<W, T> {
  readonly result: T;
  readonly write?: W;
}

/** Line that must not be lost: an outcome that the ledger could not store. */
export interface EmergencyLine extends StoredOutcome {
  readonly ledger_id: string;
  /** Set for a charge. */
  readonly ugwo?: string;
  readonly medium?: string;
  /** Set for any other kind. */
  readonly kind?: string;
  readonly about?: string;
  /** Milliseconds since the epoch. */
  readonly recorded_at: number;
}

/**
 * Storage of a ledger. It knows no rules: it finds charges and updates, and writes what a rule decides. Each find and
 * write is one transaction among all users. Rules are pure, and may run again.
 */
export interface Backend {
  read(query: Query): Promise<readonly Entry[]>;
  /** Counts all results of a query. */
  count(query: Query): Promise<number>;
  /**
   * Passes sums of charges to a reducer, in parts, as of one moment. `begin` creates the reducer, and is called again if
   * the work has to restart. It verifies no checksums.
   */
  sum<T>(query: SumQuery, begin: () => Reducer<T, ChargeSum>): Promise<T>;
  /**
   * Runs a rule on the results of the queries. A charge that it writes replaces the one with the same id, or is new if
   * its `seq` is 0. When this resolves, it is on the disk; when it rejects, nothing was written. If `of` asks for an
   * allowance, the rule gets it too, and until its charge is written nobody else spends from the same profile's.
   */
  change<T>(
    purpose: LockPolicy,
    about: readonly Query[],
    decide: (found: readonly (readonly Entry[])[], allowance?: Allowance) => Decision<readonly Entry[], T>,
    of?: AllowanceOf,
  ): Promise<T>;
  /**
   * Walks over all entries, and checks that each is as it was written. `faults` lists damage of the database itself, a
   * sentence each. Unreadable entries are skipped.
   */
  inspect<T>(begin: () => Reducer<T>): Promise<{ readonly faults: readonly string[]; readonly seen: T }>;
  /** Releases the disk space of pruned data, if it is this machine's; false if that is not possible now. */
  compact?(): Promise<boolean>;
  /** See `Ledger`. Undefined unless the ledger is this machine's. */
  rename?: Ledger['rename'];
  readonly jobs: JobsBackend;
  readonly policies: Policies;
  /** Reserves room for the outcomes of so many charges at once, in case they can't be written here. */
  reserve(atOnce: number): void;
  /** Saves an outcome that could not be written. Returns the error to throw. */
  keepInEmergency(line: EmergencyLine, thrown: unknown): PayError;
  /** Tolerated clock difference among the users of the ledger during a sending, in milliseconds. */
  readonly slack: number;
  /** Key for digests that only this ledger can compute. */
  readonly key: string;
  readonly self: Sender;
  /** Authenticated account of the user, if the ledger distinguishes users. */
  readonly account?: string;
  /**
   * True if a sender has ended. `overdue` says that its sending must be over; `id` is the id of the charge it was
   * sending, if any.
   */
  hasEnded(sender: Sender, overdue: boolean, id: string | undefined): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  moment(): Moment;
  close(): Promise<void>;
}

/** Storage of jobs and of rows that are updates. */
export interface JobsBackend
  extends Pick<Jobs, 'adjust' | 'endPlans' | 'get' | 'list' | 'updates' | 'charged' | 'lease' | 'release' | 'workers'> {
  open(job: NewJob, now: number): Promise<void>;
  /** Of a job of charges: how the last charge of each row stands. */
  chargeTally(job: string): Promise<RowCounts>;
  updateTally(job: string): Promise<RowCounts>;
  sendingUpdates(job: string): Promise<readonly KeptUpdate[]>;
  change<T>(
    purpose: LockPolicy,
    of: JobRow,
    decide: (found: KeptUpdate | undefined) => Decision<KeptUpdate, T>,
  ): Promise<T>;
}
