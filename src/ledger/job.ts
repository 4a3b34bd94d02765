import type { RowCounts } from '../core/charge.ts';
import type { Entry, Scope, Sender } from './entry.ts';
import type { Total } from './policy.ts';

/**
 * Kind of record that the ledger stores for a row of a job's file. `charge` stands for entries of any kind, of which
 * the last one counts; `update` for one update.
 */
export type JobKind = 'charge' | 'update';

/**
 * File whose rows are charged, created or updated, each once (docs/protocol.md, Files). Instants are milliseconds since
 * the epoch.
 */
export interface Job {
  /**
   * Derived from the digest of the file, the options that shape the requests, and the place: the same input again is
   * the same job.
   */
  readonly id: string;
  readonly kind: JobKind;
  /** Command that sent the rows, for people: `ugwo charge`. */
  readonly command: string;
  /** Name of the file in its last run. */
  readonly name: string;
  readonly service: string;
  readonly origin: string;
  readonly profile: string | undefined;
  readonly rows: number;
  readonly createdAt: number;
  /** Last start or continuation of the job. */
  readonly runAt: number;
  /** Counts of the last finished run that its entries don't show; undefined until the first run has ended. */
  readonly adjustments?: RowCounts | undefined;
}

/** Input of `open`. It replaces the counts of an earlier run. */
export type NewJob = Omit<Job, 'createdAt' | 'runAt' | 'adjustments'>;

export interface JobRow {
  readonly job: string;
  /** Counted from 1. */
  readonly row: number;
}

export const UPDATE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown'] as const;
export type UpdateState = (typeof UPDATE_STATES)[number];

/** Update of a customer for one row. The sent data is only in the file. */
export interface Update extends JobRow {
  readonly onye: string;
  readonly state: UpdateState;
  readonly exitCode: number | undefined;
  /** Error message, if it was not accepted. */
  readonly message: string | undefined;
}

/** Stored update, with the process that sends it. */
export interface KeptUpdate extends Update {
  readonly deadline: number;
  readonly sender: Sender;
}

/** Process that works on a job, and the number of row slices it holds. */
export interface Worker {
  readonly worker: string;
  readonly slices: number;
}

export interface UpdateOutcome {
  readonly state: Exclude<UpdateState, 'sending'>;
  readonly exitCode: number;
  readonly message?: string;
}

/** Jobs and their rows in the ledger. Methods fail only with errors of the ledger itself. */
export interface Jobs {
  /** Stores that a job starts or continues, and reserves space for the outcomes of `atOnce` rows in flight. */
  open(job: NewJob, atOnce: number): Promise<void>;
  /**
   * Deletes the plans of charges and updates from before a moment. Of one that was carried out, it deletes the text. A
   * shared ledger keeps all rows without the text, since an operator may not delete any.
   */
  endPlans(before: number): Promise<void>;
  /** Stores, at the end of a run, the results of rows that have no entry. The last run wins. */
  adjust(job: string, adjustments: RowCounts): Promise<void>;
  get(id: string): Promise<Job | undefined>;
  /** Lists the selected jobs, newest first. `before` is the id of a job: only earlier ones are listed. */
  list(page: Scope & { readonly before?: string | undefined; readonly limit: number }): Promise<readonly Job[]>;
  /** Counts the states of the rows that were started. */
  tally(job: Job): Promise<RowCounts>;
  /** Total of the job's charges that were or may have been made, and are not known to have failed. */
  charged(job: string): Promise<Total>;
  /**
   * All entries of the rows from `first` to `last`, by row and then in order of creation. The last one of a row counts.
   */
  entries(job: string, first: number, last: number): Promise<readonly Entry[]>;
  /** Updates of these rows, one per row. */
  updates(job: string, first: number, last: number): Promise<readonly KeptUpdate[]>;
  /**
   * Stores the intent of an update. When this resolves to true, the intent is on the disk. Resolves to false if the row
   * has an update already that counts, or that a process is sending. `retry` repeats one that failed; `looked` repeats
   * an unknown one after a read has shown that it was not applied.
   */
  beginUpdate(
    update: JobRow & { readonly onye: string; readonly bound: number },
    how: { readonly retry: boolean; readonly looked: boolean },
  ): Promise<boolean>;
  /**
   * Leases a slice of a job's rows to one worker for a while. It saves work and decides nothing. Returns false if
   * another worker holds the slice.
   */
  lease(job: string, slice: number): Promise<boolean>;
  /** Releases this process's slices of the job. */
  release(job: string): Promise<void>;
  /** Workers on the job now. */
  workers(job: string): Promise<readonly Worker[]>;
  settleUpdate(of: JobRow, outcome: UpdateOutcome): Promise<void>;
}
