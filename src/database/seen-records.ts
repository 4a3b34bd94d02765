import { createHash, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { PayError } from '../core/error.ts';
import { transact } from './connect.ts';
import { removeDatabase, stateUnlessForeign } from './file.ts';
import type { DatabaseKind } from './kind.ts';
import { openDatabase } from './open.ts';

/** So many are remembered; beyond that all is begun anew, since what is needed again is mostly new. */
const MOST = 200_000;

/** Where something may be found again: all that tells it from others, and its text. */
export interface Trace {
  /** The service, its workspace, the list and the field. */
  readonly where: string;
  readonly text: string;
  readonly uid: string;
}

const KIND: DatabaseKind = {
  applicationId: 0x70617973,
  migrations: [
    `CREATE TABLE salt (value TEXT NOT NULL) STRICT;
     CREATE TABLE seen (digest BLOB NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (digest, uid)) STRICT, WITHOUT ROWID;`,
    (db) => void db.prepare('INSERT INTO salt (value) VALUES (?)').run(randomBytes(32).toString('hex')),
  ],
  survives: 'process',
  // Whoever has it now will be done with it before it is worth a wait.
  busyTimeout: 20,
  error: ({ path, what }) => new PayError('usage', `${path} ${what}`),
};

const DIGEST_BYTES = 16;

/** What this machine has come by in searches. Nothing in the file says what was searched for (ADR 20). */
const over = (db: DatabaseSync) => {
  const salt = String(db.prepare('SELECT value FROM salt').get()?.['value']);
  const digestOf = (where: string, text: string): Uint8Array =>
    createHash('sha256').update(`${salt}\0${where}\0${text}`).digest().subarray(0, DIGEST_BYTES);
  const add = db.prepare('INSERT INTO seen (digest, uid) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const found = db.prepare('SELECT uid FROM seen WHERE digest = ?');
  const count = Number(db.prepare('SELECT count(*) AS n FROM seen').get()?.['n']);
  let isFull = count >= MOST;
  return {
    note: (traces: readonly Trace[]): void =>
      transact(db, () => {
        if (isFull) db.exec('DELETE FROM seen');
        isFull = false;
        for (const { where, text, uid } of traces) add.run(digestOf(where, text), uid);
      }),
    /** What has that text there, or had when it was last seen. */
    find: (where: string, text: string): readonly string[] =>
      found.all(digestOf(where, text)).map(({ uid }) => String(uid)),
    close: (): void => db.close(),
  };
};

export type SeenRecords = ReturnType<typeof over>;

/** Opens the file, and makes it where there is none. Throws where it can't be used. */
export const openSeenRecords = (path: string): SeenRecords => openDatabase(path, KIND, over);

/** Removes the file, and says whether there was one. A file that is not ours is left alone. */
export const forgetSeenRecords = (path: string): boolean => {
  const state = stateUnlessForeign(path, KIND);
  removeDatabase(path);
  return state !== 'missing';
};
