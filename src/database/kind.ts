import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { PayError } from '../core/error.ts';

/** Path of a commit to the disk: a log beside the file, or a journal that is emptied by truncation. */
export type Journal = 'wal' | 'truncate';

/** A fault of a database file. */
export interface DatabaseFault {
  /**
   * `foreign`: another program's file, or no database at all; never written to. `newer`: created by a newer paycli.
   * `damaged`: ours, but unreadable. `unusable`: the system refused access.
   */
  readonly kind: 'foreign' | 'newer' | 'damaged' | 'unusable';
  readonly path: string;
  /** The end of a sentence that begins with the path: `is damaged: …`. */
  readonly what: string;
  readonly cause?: unknown;
}

/** SQL, or a function for work beyond SQL; all migrations run in one transaction. */
export type Migration = string | ((db: DatabaseSync) => void);

/** One kind of database file. */
export interface DatabaseKind {
  /** Stored in the file's header, so that another program's database is never mistaken for ours. */
  readonly applicationId: number;
  /**
   * Each migration brings the file one version further; `user_version` counts those that have run. Only append, never
   * change one.
   */
  readonly migrations: readonly Migration[];
  /**
   * `power loss`: commits survive any failure. `process`: commits survive the process, but not a crash of the machine.
   */
  readonly survives: 'power loss' | 'process';
  /** Time that SQLite itself waits for a lock, in milliseconds; 20 s by default. */
  readonly busyTimeout?: number;
  /** Size of the log at which it is merged into the file, in pages; SQLite's default is 1000. */
  readonly logPages?: number;
  /** Overrides the journal that follows from `survives` and SQLite's version. */
  readonly journal?: Journal;
  /** Runs in the transaction that creates the file. */
  readonly fill?: (db: DatabaseSync) => void;
  /** Turns a fault into an error of the module that uses the file. */
  readonly error: (fault: DatabaseFault) => PayError;
}

// Column values as text or numbers; the optional variants return undefined for an empty column.

export const optionalText = (value: SQLOutputValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const text = (value: SQLOutputValue | undefined): string => optionalText(value) ?? '';

export const optionalNumber = (value: SQLOutputValue | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
export const number = (value: SQLOutputValue | undefined): number => optionalNumber(value) ?? 0;

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code of an error, or of the first of its causes that has one. */
const codeOf = (thrown: unknown): number | undefined => {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const { errcode } = at as { errcode?: number };
    if (errcode !== undefined) return errcode & 0xff;
  }
  return undefined;
};

/** True when another process has the file locked, which is no sign of a disk fault. */
export const isBusy = (thrown: unknown): boolean => codeOf(thrown) === SQLITE_BUSY;

/** Damage that SQLite does not detect. */
export class Damage extends Error {}

/** True when the file is damaged, according to SQLite or to our own check. */
export const isDamage = (thrown: unknown): boolean => {
  if (thrown instanceof Damage) return true;
  const code = codeOf(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};
