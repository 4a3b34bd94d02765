import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { stateOf } from './file.ts';
import type { DatabaseKind } from './kind.ts';
import { closedAfter } from './transact.ts';

/** So long a lock is waited for, in milliseconds. */
const PATIENCE_MS = 50;

/**
 * Looks into a database, and neither makes nor changes a file: not even those that SQLite keeps beside it, which are there only
 * while somebody else has it open. Undefined where there is none of this kind.
 */
export const glance = <T>(path: string, kind: DatabaseKind, look: (db: DatabaseSync) => T): T | undefined => {
  if (stateOf(path, kind) !== 'ours') return undefined;
  const isOpen = existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
  const url = pathToFileURL(path);
  // Whoever reads it so leaves a log that nobody has open unread.
  if (!isOpen) url.searchParams.set('immutable', '1');
  return closedAfter(new DatabaseSync(url, { readOnly: true, timeout: PATIENCE_MS }), look);
};
