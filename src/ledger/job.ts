import type { RowCounts } from '../core/row.ts';
import type { Entry, Scope, Sender } from './entry.ts';
import type { Total } from './policy.ts';

/** What the ledger keeps of a row of a job's file: entries (`charge`, of whatever kind they are), the last of which counts, or one update. */
export type JobKind = 'charge' | 'update';

/** A file whose rows are charged, made or updated, each once (charge-protocol, Bulk). Instants are milliseconds since the epoch. */
export interface Job {
  /** From the digest of the file, of the options that shape what is sent, and of the place: the same again is the same job. */
  readonly id: string;
  readonly kind: JobKind;
  /** What the rows were sent with, for people: `ugwo charge`. */
  readonly command: string;
  /** What the file was called when it was last run. */
  readonly name: string;
  readonly service: string;
  readonly origin: string;
  readonly profile: string | undefined;
  readonly rows: number;
  readonly createdAt: number;
  /** When it was last begun or gone on with. */
  readonly runAt: number;
  /** What the run that ended last counted beside the entries of its rows; undefined while the first one is at it. */
  readonly adjustments?: RowCounts | undefined;
}

/** A job that is begun, or gone on with: what an earlier run has counted is over. */
export type NewJob = Omit<Job, 'createdAt' | 'runAt' | 'adjustments'>;

export interface JobRow {
  readonly job: string;
  /** The first row of the file is 1. */
  readonly row: number;
}

export const UPDATE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown'] as const;
export type UpdateState = (typeof UPDATE_STATES)[number];

/** One update of a customer, made for a row. What was sent is in the file and not here. */
export interface Update extends JobRow {
  readonly onye: string;
  readonly state: UpdateState;
  readonly exitCode: number | undefined;
  /** Why it is not accepted, where it is not. */
  readonly message: string | undefined;
}

/** An update as it is kept, with who makes it. */
export interface KeptUpdate extends Update {
  readonly deadline: number;
  readonly sender: Sender;
}

/** Somebody who is at a job, and how many slices of its rows they have. */
export interface Worker {
  readonly worker: string;
  readonly slices: number;
}

/** What became of an update that was sent. */
export interface UpdateOutcome {
  readonly state: Exclude<UpdateState, 'sending'>;
  readonly exitCode: number;
  readonly message?: string;
}

/** What the ledger knows of jobs and their rows. Failures are those of the ledger itself. */
export interface Jobs {
  /** Notes that a job is begun, or gone on with, and makes room for the outcomes of so many rows that are in flight at once. */
  open(job: NewJob, atOnce: number): Promise<void>;
  /** Notes at the end of a run how rows ended of which there is no entry: the last run's word counts. */
  adjust(job: string, adjustments: RowCounts): Promise<void>;
  get(id: string): Promise<Job | undefined>;
  /** Those that are meant, newest first, and begun before `before`. */
  list(page: Scope & { readonly before?: string | undefined; readonly limit: number }): Promise<readonly Job[]>;
  /** How its rows stand, those that were ever begun. */
  tally(job: Job): Promise<RowCounts>;
  /** What its charges come to that were made, or may have been, and are not known to have failed. */
  charged(job: string): Promise<Total>;
  /** All that was begun for the rows from `first` to `last`, by row and then in order of creation: the last one of a row counts. */
  entries(job: string, first: number, last: number): Promise<readonly Entry[]>;
  /** The updates of these rows, one a row. */
  updates(job: string, first: number, last: number): Promise<readonly KeptUpdate[]>;
  /**
   * The intent of an update, on the disk once this resolves with true. False when the row has one already that stands, or that
   * somebody is at; `retry` begins it again where nothing came of it, `looked` where a read has shown that it was not applied.
   */
  beginUpdate(
    update: JobRow & { readonly onye: string; readonly bound: number },
    how: { readonly retry: boolean; readonly looked: boolean },
  ): Promise<boolean>;
  /**
   * Slices of a job's rows, each left to one worker for a while, where many machines share a ledger:
   * it saves work, and decides nothing. False where another has it.
   */
  lease(job: string, slice: number): Promise<boolean>;
  /** Leaves to others what this process has taken of it. */
  release(job: string): Promise<void>;
  /** Who is at it now; none where the ledger is this machine's alone. */
  workers(job: string): Promise<readonly Worker[]>;
  /** Notes what became of an update. */
  settleUpdate(of: JobRow, outcome: UpdateOutcome): Promise<void>;
}
