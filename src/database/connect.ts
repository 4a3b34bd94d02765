import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { nextTurn } from '../core/async.ts';
import type { PayError } from '../core/error.ts';

/** The way of a commit to the disk: a log beside the file, or a journal that is emptied by truncation. */
type Journal = 'wal' | 'truncate';

/** A fault of a database file. */
export interface DatabaseFault {
  /**
   * `foreign`: another program's file, or no database at all; never written to. `newer` and `unreleased`: see
   * `versionFault`. `damaged`: ours, but unreadable. `unusable`: the system refused access.
   */
  readonly kind: 'foreign' | 'newer' | 'unreleased' | 'damaged' | 'unusable';
  readonly path: string;
  /** The end of a sentence that begins with the path: `is damaged: …`. */
  readonly what: string;
  readonly cause?: unknown;
}

/** Versions of the tables of a store. */
export interface Versions {
  /** The version that the first migration makes. Programs that were never released made lower ones. */
  readonly first: number;
  /** The first makes the tables, and each other one brings them one version further. Only append, never change one. */
  readonly migrations: readonly string[];
}

/** Version of the tables that this program uses. */
export const currentVersion = ({ first, migrations }: Versions): number => first + migrations.length - 1;

/** SQL that brings tables of a version to the current one. 0: there are none yet. */
export const migrationsFrom = (version: number, { first, migrations }: Versions): string =>
  migrations.slice(version === 0 ? 0 : version - first + 1).join('\n');

/**
 * Fault of tables with this version; undefined for the current one. `what` is the end of a sentence. Only `older`
 * tables can be migrated.
 */
export const versionFault = (version: number, versions: Versions) => {
  const known = currentVersion(versions);
  if (version > known) {
    return { kind: 'newer', what: `was made by a newer paycli (schema ${version}, this one knows ${known})` } as const;
  }
  if (version < versions.first) {
    return { kind: 'unreleased', what: `was made by a paycli that was never released (schema ${version})` } as const;
  }
  if (version === known) return undefined;
  return { kind: 'older', what: `was made by an older paycli (schema ${version}, this one needs ${known})` } as const;
};

/** One kind of database file. `user_version` holds its version. */
export interface DatabaseKind extends Versions {
  /** Stored in the file's header, so that another program's database is never mistaken for ours. */
  readonly applicationId: number;
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
export const sqlText = (value: SQLOutputValue | undefined): string => optionalText(value) ?? '';

export const optionalNumber = (value: SQLOutputValue | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
export const sqlNumber = (value: SQLOutputValue | undefined): number => optionalNumber(value) ?? 0;

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code of an error, or of the first of its causes that has one. */
const sqliteCodeOf = (thrown: unknown): number | undefined => {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const { errcode } = at as { errcode?: number };
    if (errcode !== undefined) return errcode & 0xff;
  }
  return undefined;
};

/** True if another process has the file locked, which is no sign of a disk fault. */
export const isBusy = (thrown: unknown): boolean => sqliteCodeOf(thrown) === SQLITE_BUSY;

/** Damage that SQLite does not detect. */
export class Damage extends Error {}

/** True if the file is damaged, according to SQLite, to Node.js (too large an integer) or to our own check. */
export const isDamage = (thrown: unknown): boolean => {
  if (thrown instanceof Damage || (thrown as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE') return true;
  const code = sqliteCodeOf(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};

/**
 * Rewrites the file without its deleted rows; `wait` handles locks of other processes. Temporarily takes as much space
 * again. False if that fails: the rows are still deleted, and their space is reused.
 */
export const compact = async (db: DatabaseSync, wait: (work: () => void) => Promise<unknown>): Promise<boolean> => {
  try {
    // VACUUM builds the new file in a temporary one, which may be larger than the memory.
    db.exec('PRAGMA temp_store = FILE');
    await wait(() => db.exec('VACUUM'));
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return true;
  } catch {
    return false;
  } finally {
    db.exec('PRAGMA temp_store = MEMORY');
  }
};

const BUSY_TIMEOUT_MS = 20_000;

/** 3.51.3, as SQLite writes its version in one number. */
const FIRST_SAFE_WAL = 3_051_003;

/**
 * The journal for data that must survive a loss of power. Before 3.51.3 SQLite could lose a commit when two
 * connections reset the log at once. The default, which deletes its journal, is never used: it does not sync that
 * deletion.
 */
const journalFor = (sqliteVersion: string): Journal => {
  const [major = 0, minor = 0, patch = 0] = sqliteVersion.split('.').map(Number);
  return major * 1_000_000 + minor * 1000 + patch >= FIRST_SAFE_WAL ? 'wal' : 'truncate';
};

/** Opens an existing file; the caller closes it. A setting reads the schema, so a damaged file may fail here. */
export const connect = (
  path: string,
  { survives, logPages, busyTimeout = BUSY_TIMEOUT_MS }: DatabaseKind,
): DatabaseSync => {
  // Node before 24 does not know `defensive`.
  const db = new DatabaseSync(path, { timeout: busyTimeout, defensive: true });
  try {
    const synchronous = survives === 'power loss' ? 'FULL' : 'NORMAL';
    // On macOS an ordinary sync does not reach the disk; on other systems the two settings do nothing.
    db.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
      PRAGMA trusted_schema = OFF;`);
    // The undo data of savepoints stays in memory, not in a file on a disk that may be full.
    db.exec('PRAGMA temp_store = MEMORY');
    if (logPages !== undefined) db.exec(`PRAGMA wal_autocheckpoint = ${logPages}`);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
};

const journalModeOf = (db: DatabaseSync, statement: string): string =>
  String(db.prepare(statement).get()?.['journal_mode']);

/** A log can be abandoned only by the single user of the file, and SQLite does not wait for that. */
const changeJournal = (db: DatabaseSync, target: Journal): string => {
  try {
    return journalModeOf(db, `PRAGMA journal_mode = ${target}`);
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    throw new Error('its journal must change, and another process has it open; try again when that has ended', {
      cause: thrown,
    });
  }
};

/**
 * Switches a connection to the journal of its kind. A file with a log loses it when this SQLite is too old for one,
 * and never gets it back, so that programs of both ages can share a file.
 */
export const useJournal = (db: DatabaseSync, { survives, journal }: DatabaseKind): void => {
  const version = String(db.prepare('SELECT sqlite_version() AS v').get()?.['v']);
  const wanted = journal ?? (survives === 'power loss' ? journalFor(version) : 'wal');
  const current = journalModeOf(db, 'PRAGMA journal_mode');
  if (current === wanted) return;
  const isNew = Number(db.prepare('PRAGMA page_count').get()?.['page_count']) === 0;
  const target = wanted === 'wal' && isNew ? 'wal' : 'truncate';
  const now = changeJournal(db, target);
  if (now !== target) throw new Error(`its journal stays "${now}" where "${target}" is needed`);
};

/** Result of `use`; the database is closed afterwards, also after an exception. */
export const closedAfter = <T>(db: DatabaseSync, use: (db: DatabaseSync) => T): T => {
  try {
    return use(db);
  } finally {
    db.close();
  }
};

/** Runs `work` in an exclusive write transaction, which is rolled back when it throws. */
export const transact = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (thrown) {
    // Some errors, a full disk for example, have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
};

/**
 * Like `transact`; gives way to the event loop at each `yield` of the work, while nothing else may use the database.
 */
export const transactLong = async <T>(db: DatabaseSync, work: () => Generator<void, T>): Promise<T> => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const steps = work();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await nextTurn();
    db.exec('COMMIT');
    return step.value;
  } catch (thrown) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
};

/** Like `transact`, but always rolls back. */
export const rehearse = <T>(db: DatabaseSync, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
};

/** Returns a function that reads the file's version. */
const versionReader = (db: DatabaseSync): (() => number) => {
  const version = db.prepare('PRAGMA user_version');
  return () => Number(version.get()?.['user_version']);
};

/**
 * Returns a function whose result is the error of a file that a newer program upgraded while it was open; undefined for
 * another one. To this program, such a file may look damaged.
 */
export const upgradeReader = (db: DatabaseSync, path: string, kind: DatabaseKind): (() => PayError | undefined) => {
  const version = versionReader(db);
  return () =>
    version() > currentVersion(kind)
      ? kind.error({ kind: 'newer', path, what: 'was upgraded by a newer paycli while in use' })
      : undefined;
};

/** Version of the file; 0 for an empty one. */
export const versionOf = (db: DatabaseSync): number => versionReader(db)();

/**
 * Runs the missing migrations of a file, and `fill` after them, in one exclusive transaction. Safe to call from
 * several processes at once: the second finds nothing left to do, and a newer version stays.
 */
export const migrate = (db: DatabaseSync, kind: DatabaseKind, fill?: DatabaseKind['fill']): void => {
  const current = currentVersion(kind);
  transact(db, () => {
    const version = versionOf(db);
    if (version >= current) return;
    db.exec(migrationsFrom(version, kind));
    fill?.(db);
    db.exec(`PRAGMA application_id = ${kind.applicationId}; PRAGMA user_version = ${current};`);
  });
};
