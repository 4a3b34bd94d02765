import { DatabaseSync } from 'node:sqlite';
import { type PayError, reasonOf, usageError } from '../core/error.ts';

/** Keys that have occurred before, in memory that does not grow with their number. */
export interface SeenKeys {
  /** The row of the first occurrence; undefined if that is this row. */
  firstAt(key: string, row: number): number | undefined;
  close(): void;
}

/**
 * No other process uses the file and its content is never needed again, so it is never synced and nothing can be
 * rolled back. Random keys are spread over the whole file: a smaller cache makes them slower (8 µs each for a million,
 * in 4 MiB).
 */
const SETUP = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
  CREATE TABLE seen (key TEXT NOT NULL PRIMARY KEY, first INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  BEGIN;`;

/** A usage error: the ledger is not at fault, and nothing is sent before all rows have been checked. */
const temporaryFileError = (thrown: unknown): PayError =>
  usageError(`couldn't check for duplicate rows without a temporary file: ${reasonOf(thrown)}`, {
    hint: 'free some space for temporary files, or set TMPDIR to another folder',
    cause: thrown,
  });

const guarded = <T>(act: () => T): T => {
  try {
    return act();
  } catch (thrown) {
    throw temporaryFileError(thrown);
  }
};

/**
 * Stores keys in an unnamed temporary file in SQLite's folder for those (SQLITE_TMPDIR, TMPDIR, /var/tmp, …): it
 * disappears when it is closed and when the process dies. Throws a usage error when there is no space for it.
 */
export const openSeen = (): SeenKeys => {
  const db = new DatabaseSync('');
  db.exec(SETUP);
  const add = db.prepare('INSERT INTO seen (key, first) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const find = db.prepare('SELECT first FROM seen WHERE key = ?');
  return {
    firstAt: (key, row) =>
      guarded(() => (Number(add.run(key, row).changes) === 1 ? undefined : Number(find.get(key)?.['first']))),
    close: () => db.close(),
  };
};
