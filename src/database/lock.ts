import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './connect.ts';

/** Maximum time for which a process in `isHeld` delays taking the lock, in milliseconds. */
const PATIENCE_MS = 2000;

const locked = <T>(path: string, timeout: number, use: (db: DatabaseSync) => T, otherwise: T): T => {
  const db = new DatabaseSync(path, { timeout });
  try {
    return use(db);
  } catch (thrown) {
    db.close();
    if (isBusy(thrown)) return otherwise;
    throw thrown;
  }
};

/**
 * Locks a file, which is created with mode 0600 if missing and is always empty. The lock lasts until the returned
 * function is called or the process ends in any way. Undefined when another process holds it. SQLite uses the system's
 * locks, which end with their process.
 */
export const holdLock = (path: string): (() => void) | undefined => {
  closeSync(openSync(path, 'a', 0o600));
  const hold = (db: DatabaseSync): (() => void) => {
    db.exec('BEGIN EXCLUSIVE');
    return () => db.close();
  };
  return locked(path, PATIENCE_MS, hold, undefined);
};

/** True when a process holds the file. Concurrent calls of this function don't disturb one another. */
export const isHeld = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const look = (db: DatabaseSync): boolean => {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    db.close();
    return false;
  };
  return locked(path, 0, look, true);
};
