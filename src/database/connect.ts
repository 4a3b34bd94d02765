import { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind, Journal } from './kind.ts';
import { isBusy } from './sqlite-error.ts';

const BUSY_TIMEOUT_MS = 20_000;

const FIRST_SAFE_WAL = [3, 51, 3];

/**
 * The journal for what must survive a loss of power. Before 3.51.3 SQLite could lose a commit when two connections reset
 * the log at once. The default, which deletes its journal, is never used: it does not sync that deletion.
 */
export const journalFor = (sqliteVersion: string): Journal => {
  const parts = sqliteVersion.split('.').map(Number);
  const differing = FIRST_SAFE_WAL.findIndex((part, index) => parts[index] !== part);
  return differing === -1 || (parts[differing] ?? 0) > (FIRST_SAFE_WAL[differing] ?? 0) ? 'wal' : 'truncate';
};

const configure = (db: DatabaseSync, { survives, logPages }: DatabaseKind): void => {
  const synchronous = survives === 'power loss' ? 'FULL' : 'NORMAL';
  // On macOS an ordinary sync does not reach the disk; elsewhere the two settings do nothing.
  db.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA trusted_schema = OFF;`);
  // What a savepoint could undo is kept in memory, not in a file on a disk that may be full.
  db.exec('PRAGMA temp_store = MEMORY');
  if (logPages !== undefined) db.exec(`PRAGMA wal_autocheckpoint = ${logPages}`);
};

/** Opens the file as it is, for whoever closes it. A setting reads the schema, so a damaged file may fail here. */
export const connect = (path: string, kind: DatabaseKind): DatabaseSync => {
  // Node before 24 does not know `defensive`.
  const db = new DatabaseSync(path, { timeout: kind.busyTimeout ?? BUSY_TIMEOUT_MS, defensive: true });
  try {
    configure(db, kind);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
};

const modeOf = (db: DatabaseSync, statement: string): string => String(db.prepare(statement).get()?.['journal_mode']);

const sqliteVersion = (db: DatabaseSync): string => String(db.prepare('SELECT sqlite_version() AS v').get()?.['v']);

/** A log is given up only by whoever is alone with the file, and SQLite does not wait for that. */
const changeJournal = (db: DatabaseSync, target: Journal): string => {
  try {
    return modeOf(db, `PRAGMA journal_mode = ${target}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    throw new Error('its journal must change, and another process has it open; try again when that has ended', {
      cause: thrown,
    });
  }
};

/**
 * Brings a connection to the journal that its kind needs. A file that keeps a log is taken off it where this SQLite is too
 * old for one, and is never put back on it, so that programs of both ages can share a file.
 */
export const useJournal = (db: DatabaseSync, { survives, journal }: DatabaseKind): void => {
  const wanted = journal ?? (survives === 'power loss' ? journalFor(sqliteVersion(db)) : 'wal');
  const current = modeOf(db, 'PRAGMA journal_mode');
  if (current === wanted) return;
  const isNew = Number(db.prepare('PRAGMA page_count').get()?.['page_count']) === 0;
  const target = wanted === 'wal' && isNew ? 'wal' : 'truncate';
  const now = changeJournal(db, target);
  if (now !== target) throw new Error(`its journal stays "${now}" where "${target}" is needed`);
};
