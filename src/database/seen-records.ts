import { createHash, randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { PayError } from '../core/error.ts';
import { transact } from './connect.ts';
import { removeDatabase, stateUnlessForeign } from './file.ts';
import type { DatabaseKind } from './kind.ts';
import { openDatabase } from './open.ts';

/** Maximum number of entries. A full table is emptied, since mostly new entries are needed again. */
const MOST = 200_000;

/** Place where a record may be found again: its full context and its text. */
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
  // Another process finishes soon; a longer wait is not worth it.
  busyTimeout: 20,
  error: ({ path, what }) => new PayError('usage', `${path} ${what}`),
};

const DIGEST_BYTES = 16;

/** Records that this machine has found in searches. The file does not reveal the searched texts (ADR 20). */
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
    /** Identifiers of the records that had this text there when they were last seen. */
    find: (where: string, text: string): readonly string[] =>
      found.all(digestOf(where, text)).map(({ uid }) => String(uid)),
    close: (): void => db.close(),
  };
};

export type SeenRecords = ReturnType<typeof over>;

/** Opens the file, or creates it. Throws when it is unusable. */
export const openSeenRecords = (path: string): SeenRecords => openDatabase(path, KIND, over);

/** Removes the file; false when there was none. A foreign file is left alone. */
export const forgetSeenRecords = (path: string): boolean => {
  const state = stateUnlessForeign(path, KIND);
  removeDatabase(path);
  return state !== 'missing';
};
