import { hash } from 'node:crypto';
import { PayError } from '../core/error.ts';
import { LOCK_FILE_NAME, QUEUE_FILE_NAME } from '../core/event.ts';
import type { DatabaseFault, DatabaseKind } from '../database/kind.ts';
import { MIGRATIONS } from './schema.ts';

export const queuePath = (folder: string): string => `${folder}/${QUEUE_FILE_NAME}`;
export const lockPath = (folder: string): string => `${folder}/${LOCK_FILE_NAME}`;
/** Held by whoever tells the ledger what it hears of a service. */
export const newsLockPath = (folder: string, service: string): string =>
  `${lockPath(folder)}-${hash('sha256', service).slice(0, 16)}`;

const HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: 'move it away, or set PAYCLI_HOME to another folder',
  newer: 'use the newer paycli; this one does not touch a queue that it does not understand',
  damaged:
    'first copy it and the -wal file beside it; `sqlite3 FILE .recover` reads what is left. If you move it away, events ' +
    'that were told before are told again when they come again',
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700)',
};

/** Any trouble with the queue. */
export const queueError = ({ kind, path, what, cause }: DatabaseFault): PayError =>
  new PayError('ledger', `the queue of webhook events ${path} ${what}`, { hint: HINTS[kind], cause });

/** So long SQLite waits for a reader that keeps the file locked, in milliseconds. */
const BUSY_MS = 2000;

/** What was acknowledged must outlive a loss of power. */
export const QUEUE_FILE: DatabaseKind = {
  // "payw"
  applicationId: 0x70617977,
  migrations: MIGRATIONS,
  survives: 'power loss',
  busyTimeout: BUSY_MS,
  error: queueError,
};
