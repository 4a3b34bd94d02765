import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { PayError } from '../core/error.ts';

/** How what is committed gets to the disk: a log beside the file, or a journal that is emptied by truncation. */
export type Journal = 'wal' | 'truncate';

/** What can be wrong with a database file. */
export interface DatabaseFault {
  /**
   * `foreign`: another program's, or no database at all; never written to. `newer`: made by a newer paycli. `damaged`:
   * ours, but not to be read. `unusable`: the system refused.
   */
  readonly kind: 'foreign' | 'newer' | 'damaged' | 'unusable';
  readonly path: string;
  /** The end of a sentence that begins with the path: `is damaged: …`. */
  readonly what: string;
  readonly cause?: unknown;
}

/** SQL, or what SQL can't do; it runs in a transaction with the others. */
export type Migration = string | ((db: DatabaseSync) => void);

/** One kind of database file. */
export interface DatabaseKind {
  /** Written into the file's header, so that no other program's database is ever taken for one of ours. */
  readonly applicationId: number;
  /** Each brings the file one version further; `user_version` counts those that have run. Never changed, only added to. */
  readonly migrations: readonly Migration[];
  /** `power loss`: what was committed stays whatever happens. `process`: it outlives the process, not the machine. */
  readonly survives: 'power loss' | 'process';
  /** How long SQLite itself waits for a lock, in milliseconds; 20 s where this says nothing. */
  readonly busyTimeout?: number;
  /** How long a log grows before it is taken into the file, in pages; as long as SQLite lets it (1000) where this says nothing. */
  readonly logPages?: number;
  /** Another journal than the one that follows from `survives` and SQLite's version. */
  readonly journal?: Journal;
  /** Runs in the transaction that makes the file. */
  readonly fill?: (db: DatabaseSync) => void;
  /** A fault as an error of the room that the file belongs to. */
  readonly error: (fault: DatabaseFault) => PayError;
}

// Values of a table as what their columns hold; nothing where a column is empty.

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

/** Others keep the file locked: no reason to think that the disk is at fault. */
export const isBusy = (thrown: unknown): boolean => codeOf(thrown) === SQLITE_BUSY;

/** What SQLite takes for whole, and is not what was written. */
export class Damage extends Error {}

/** Whether the file is not whole, as SQLite or a look of our own says. */
export const isDamage = (thrown: unknown): boolean => {
  if (thrown instanceof Damage) return true;
  const code = codeOf(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};
