import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './kind.ts';

/** So long whoever only looks may keep the lock from being taken, in milliseconds. */
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
 * Holds a file, 0600, made where it is missing and always empty, until what is given back is called or the process ends, however it does;
 * undefined where another process holds it. The system's own locks, which SQLite uses, die with their process.
 */
export const holdLock = (path: string): (() => void) | undefined => {
  closeSync(openSync(path, 'a', 0o600));
  const hold = (db: DatabaseSync): (() => void) => {
    db.exec('BEGIN EXCLUSIVE');
    return () => db.close();
  };
  return locked(path, PATIENCE_MS, hold, undefined);
};

/** Whether a process holds the file. Those who only look don't see each other. */
export const isHeld = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const look = (db: DatabaseSync): boolean => {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    db.close();
    return false;
  };
  return locked(path, 0, look, true);
};
