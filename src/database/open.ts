import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { attempt } from '../core/async.ts';
import { PayError, reasonOf } from '../core/error.ts';
import {
  closedAfter,
  connect,
  type DatabaseKind,
  isBusy,
  isDamage,
  migrate,
  useJournal,
  versionFault,
  versionOf,
} from './connect.ts';
import { makeFile, refuseUnlessOurs, stateUnlessForeign } from './file.ts';

/** Throws for a version that can't be migrated; true for one that has to be. */
const needsMigration = (db: DatabaseSync, path: string, kind: DatabaseKind): boolean => {
  const fault = versionFault(versionOf(db), kind);
  if (fault === undefined || fault.kind === 'older') return fault !== undefined;
  throw kind.error({ kind: fault.kind, path, what: fault.what });
};

const bringUpToDate = (db: DatabaseSync, path: string, kind: DatabaseKind): void => {
  const isOld = needsMigration(db, path, kind);
  useJournal(db, kind);
  if (!isOld) return;
  migrate(db, kind);
  // Another process may have migrated it to a newer version meanwhile.
  needsMigration(db, path, kind);
};

const openFault = (thrown: unknown, path: string, kind: DatabaseKind): PayError => {
  if (thrown instanceof PayError) return thrown;
  const [fault, what] = isDamage(thrown)
    ? (['damaged', 'is damaged'] as const)
    : (['unusable', 'cannot be used'] as const);
  return kind.error({ kind: fault, path, what: `${what}: ${reasonOf(thrown)}`, cause: thrown });
};

/** Opens one of our files for `use`, which then owns the database; closes it when that fails. */
const openOurs = <T>(path: string, kind: DatabaseKind, use: (db: DatabaseSync) => T): T => {
  let db: DatabaseSync | undefined;
  try {
    db = connect(path, kind);
    bringUpToDate(db, path, kind);
    return use(db);
  } catch (thrown) {
    if (db?.isOpen) db.close();
    throw openFault(thrown, path, kind);
  }
};

/**
 * Opens the database at an absolute path for `use`, which then owns it; creates a missing one first. Every failure is
 * an error of its kind.
 */
export const openDatabase = <T>(path: string, kind: DatabaseKind, use: (db: DatabaseSync) => T): T => {
  const state = stateUnlessForeign(path, kind);
  // Our files are created complete, so an empty one is the remains of a failing disk.
  if (state === 'empty' && kind.survives === 'power loss') {
    throw kind.error({ kind: 'damaged', path, what: 'is empty: what it held is lost' });
  }
  if (state !== 'ours') {
    makeFile(path, kind);
    refuseUnlessOurs(path, kind);
  }
  return openOurs(path, kind, use);
};

/**
 * Returns a function that removes the empty log that SQLite leaves behind a reader. A log that was there before stays,
 * and so does one that another process uses.
 */
const logRemover = (path: string): (() => void) => {
  const isMine = existsSync(path) && !existsSync(`${path}-wal`);
  return () => {
    if (isMine && existsSync(path)) attempt(() => closedAfter(new DatabaseSync(path), versionOf));
  };
};

/**
 * Opens the database at an absolute path for `use`, which then owns it, and never writes to it. Where there is no file,
 * `use` gets an empty database in memory. `closed` is to be called once it is closed. Every failure is an error of the
 * kind.
 */
export const openReadOnly = <T>(
  path: string,
  kind: DatabaseKind,
  use: (db: DatabaseSync, closed: () => void) => T,
): T => {
  const isThere = stateUnlessForeign(path, kind) !== 'missing';
  const closed = logRemover(path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(isThere ? path : ':memory:', { readOnly: isThere, timeout: kind.busyTimeout ?? 0 });
    if (!isThere) migrate(db, kind);
    needsMigration(db, path, kind);
    return use(db, closed);
  } catch (thrown) {
    if (db?.isOpen) db.close();
    closed();
    throw openFault(thrown, path, kind);
  }
};

/**
 * Locks a file, which is created with mode 0600 if missing and is always empty. `shared` excludes only those who want
 * it `alone`. The lock lasts until the returned function is called or the process ends in any way: SQLite uses the
 * system's locks. Throws SQLite's error for a busy file after `timeout` milliseconds.
 */
export const takeLock = (path: string, how: 'shared' | 'alone', timeout: number): (() => void) => {
  // An existing file is left to SQLite: closing it here would end this process's other locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout });
  try {
    db.exec(how === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema');
    return () => db.close();
  } catch (thrown) {
    db.close();
    throw thrown;
  }
};

const unlessBusy = <T>(take: () => T): T | undefined => {
  try {
    return take();
  } catch (thrown) {
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
};

/** Maximum time for which a process in `isFileLocked` delays taking the lock, in milliseconds. */
const LOCK_PATIENCE_MS = 2000;

/** Takes a lock alone. Undefined if another process holds it for longer than `timeout` milliseconds. */
export const holdLock = (path: string, timeout = LOCK_PATIENCE_MS): (() => void) | undefined =>
  unlessBusy(() => takeLock(path, 'alone', timeout));

/** True if a process holds the file. Concurrent calls of this function don't disturb one another. */
export const isFileLocked = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const release = unlessBusy(() => takeLock(path, 'shared', 0));
  release?.();
  return release === undefined;
};
