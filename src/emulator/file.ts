import { closeSync, existsSync, linkSync, mkdirSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import { LOCAL_KEY_PREFIX } from '../core/secret.ts';
import { randomText } from './ids.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';

const BUSY_TIMEOUT_MS = 5000;
const KEY_LENGTH = 80;
const MAGIC = 'SQLite format 3\0';
const HEADER_LENGTH = 100;
const APPLICATION_ID_AT = 68;

const ELSEWHERE = 'name another file with --data, or another folder with PAYCLI_HOME; or move this one away';
const START_OVER = 'Empty it with `paycli emulator reset`, or name another file with --data.';

const unusable = (path: string, what: string, thrown: unknown): PayError =>
  usageError(`the emulator's data file ${path} cannot be ${what}: ${reasonOf(thrown)}`, {
    hint: ELSEWHERE,
    cause: thrown,
  });

/** `ours` was made by an emulator, whatever state it is in; `foreign` is anything else, and is never written to. */
type FileState = 'missing' | 'empty' | 'ours' | 'foreign';

const headerOf = (path: string): Buffer => {
  const header = Buffer.alloc(HEADER_LENGTH);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_LENGTH, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
};

/** What `path` is, read from its first bytes without opening it as a database. */
export const stateOf = (path: string): FileState => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'missing';
    if (!stat.isFile()) return 'foreign';
    if (stat.size === 0) return 'empty';
    const header = headerOf(path);
    const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC;
    return isDatabase && header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID ? 'ours' : 'foreign';
  } catch (thrown) {
    throw unusable(path, 'read', thrown);
  }
};

const connect = (path: string): DatabaseSync => {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;`);
  return db;
};

const removeDatabase = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
};

const fill = (path: string): void => {
  const db = connect(path);
  try {
    db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${SCHEMA}`);
    const insert = db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)');
    insert.run('key', LOCAL_KEY_PREFIX + randomText(KEY_LENGTH));
    db.exec('COMMIT');
  } finally {
    db.close();
  }
};

/** Gives the finished file its name, unless another process was first: then theirs is the one. */
const publish = (made: string, path: string, replace: boolean): void => {
  if (replace) {
    renameSync(made, path);
    return;
  }
  try {
    linkSync(made, path);
  } catch (thrown) {
    // A file system without hard links.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(made, path);
  }
};

const build = (path: string, replace: boolean): void => {
  const made = `${path}.${randomText(8)}.new`;
  closeSync(openSync(made, 'wx', 0o600));
  try {
    fill(made);
    publish(made, path, replace);
  } finally {
    removeDatabase(made);
  }
};

/**
 * Makes the data file, 0600 from its first moment. It is made whole under another name and then published in one step,
 * so that several processes that start at once never see half of one, nor each other's.
 */
const makeFile = (path: string): void => {
  // A log whose database is gone would be replayed into the new one.
  const orphan = existsSync(`${path}-wal`);
  const state = stateOf(path);
  try {
    if (orphan && state === 'missing') removeDatabase(path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    build(path, state === 'empty');
  } catch (thrown) {
    throw unusable(path, 'made', thrown);
  }
};

/** A file that is ours, but damaged or from a newer paycli: only starting over helps, or another file. */
export class BeyondUse extends PayError {
  constructor(path: string, why: string, cause?: unknown) {
    super('usage', `the emulator's data file ${path} ${why}`, { hint: START_OVER, cause });
  }
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const isDamage = (thrown: unknown): boolean => {
  const code = (thrown as { errcode?: unknown }).errcode;
  return typeof code === 'number' && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff);
};

const checkVersion = (db: DatabaseSync, path: string): void => {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version === SCHEMA_VERSION) return;
  throw new BeyondUse(path, `was made by a newer paycli (schema ${version}, this one knows ${SCHEMA_VERSION})`);
};

/** Opens a file that is ours for `use`, which takes the database over; it is closed when that fails. */
const openOurs = <T>(path: string, use: (db: DatabaseSync) => T): T => {
  let db: DatabaseSync | undefined;
  try {
    db = connect(path);
    checkVersion(db, path);
    return use(db);
  } catch (thrown) {
    if (db?.isOpen) db.close();
    if (thrown instanceof PayError) throw thrown;
    if (isDamage(thrown)) throw new BeyondUse(path, `is damaged: ${reasonOf(thrown)}`, thrown);
    throw unusable(path, 'used', thrown);
  }
};

/** The state of a file that may be written to; throws for one that is not ours. */
const stateUnlessForeign = (path: string): FileState => {
  const state = stateOf(path);
  if (state === 'foreign') throw usageError(`${path} is not a data file of the emulator`, { hint: ELSEWHERE });
  return state;
};

/** Opens the data file at an absolute path for `use`, and makes it first when there is none. Throws usage errors. */
export const openFile = <T>(path: string, use: (db: DatabaseSync) => T): T => {
  if (stateUnlessForeign(path) !== 'ours') makeFile(path);
  return openOurs(path, use);
};

/** A new file, with a new key, in place of one that is beyond use. A file that is not ours is left alone. */
export const replaceFile = (path: string): void => {
  stateUnlessForeign(path);
  removeDatabase(path);
  makeFile(path);
};
