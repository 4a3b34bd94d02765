import type { PayError } from '../core/error.ts';
import type { RowCounts } from '../core/row.ts';
import type { Entry, Moment, Outcome, Sender } from './entry.ts';
import type { JobRow, Jobs, KeptUpdate, NewJob } from './job.ts';
import type { ListFilter, Period, Policies, Reducer } from './ledger.ts';
import type { Allowance, AllowanceOf } from './policy.ts';

/** Which charges are asked for: those that are all of this, oldest first where `order` says nothing. */
export interface Query extends Omit<ListFilter, 'limit' | 'oldestFirst'> {
  readonly id?: string | undefined;
  /** Those of a payment request that may stand in the way of another, at any service. Throws where one was lost. */
  readonly standing?: string | undefined;
  /** With `job`: those of these rows of its file. */
  readonly rows?: readonly [first: number, last: number] | undefined;
  /** Those begun in this time, its end left out. */
  readonly begun?: Period | undefined;
  readonly order?: 'oldest' | 'newest' | 'row';
  /** All where it is left out. */
  readonly limit?: number | undefined;
}

/**
 * Why something is written. `intent`: something is sent after it, so nothing is begun once the backend has failed. `outcome`:
 * what became of something that was sent; the first signal of the user does not end its waiting. `glance`: not worth a wait.
 * `prune`: of what was sent less is kept; only the owner of a shared ledger may do that.
 */
export type LockPolicy = 'intent' | 'outcome' | 'note' | 'glance' | 'prune';

/** What a rule makes of what it was shown. */
export interface Decision<W, T> {
  readonly result: T;
  readonly write?: W;
}

/** One line that can't be lost: what became of something that the ledger could not note. */
export interface EmergencyLine extends Outcome {
  readonly ledger_id: string;
  /** Of a charge. */
  readonly ugwo?: string;
  readonly medium?: string;
  /** Of anything else. */
  readonly kind?: string;
  readonly about?: string;
  /** Milliseconds since the epoch. */
  readonly recorded_at: number;
}

/**
 * Where a ledger is kept. It knows no rule: it finds charges and updates, and writes them as a rule has decided. What is
 * found and what is written are one step among all who use it. A rule is pure, and may be asked again.
 */
export interface Backend {
  read(query: Query): Promise<readonly Entry[]>;
  /**
   * Shows all that a query finds, some at a time, as it stood at one moment: `begin` gives what takes them, and is called
   * again where it has to begin anew. In the order of creation.
   */
  walk<T>(query: Pick<Query, 'begun'>, begin: () => Reducer<T>): Promise<T>;
  /**
   * Asks a rule with what each of the queries finds. A charge that it writes replaces the one with its identifier, or is new
   * where its `seq` is 0. It is on the disk when this resolves; when it rejects, nothing was written. Where `of` asks for an
   * allowance, the rule is given it too, and until its charge is written nobody else spends of the same profile's.
   */
  change<T>(
    purpose: LockPolicy,
    about: readonly Query[],
    decide: (found: readonly (readonly Entry[])[], allowance?: Allowance) => Decision<readonly Entry[], T>,
    of?: AllowanceOf,
  ): Promise<T>;
  /**
   * The same of all there is, and whether it is what was written: what is wrong with the database itself, a sentence each. What
   * can't be read is not shown.
   */
  inspect<T>(begin: () => Reducer<T>): Promise<{ readonly faults: readonly string[]; readonly seen: T }>;
  /** Gives back the room of what was pruned, where that is this machine's; false where it can't be had now. */
  compact?(): Promise<boolean>;
  readonly jobs: JobsBackend;
  readonly policies: Policies;
  /** Room for the outcomes of so many charges at once, where they can't be written here. */
  reserve(atOnce: number): void;
  /** Keeps an outcome that could not be written; gives what is to be thrown. */
  keepInEmergency(line: EmergencyLine, thrown: unknown): PayError;
  /** Clocks of those who share it may run apart by so much while something is sent, in milliseconds. */
  readonly slack: number;
  /** The key of digests that only this ledger can make. */
  readonly key: string;
  readonly self: Sender;
  /** What whoever uses it has proved to be, where it tells its users apart. */
  readonly account?: string;
  /** Whether a sender has ended; `overdue` says that its sending must have, and `id` what it was sending, where that has a name. */
  isGone(sender: Sender, overdue: boolean, id: string | undefined): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  moment(): Moment;
  close(): Promise<void>;
}

/** The same for jobs and for rows that are updates. */
export interface JobsBackend
  extends Pick<Jobs, 'adjust' | 'get' | 'list' | 'updates' | 'charged'>,
    Partial<Pick<Jobs, 'lease' | 'release' | 'workers'>> {
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
