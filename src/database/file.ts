import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { attempt } from '../core/async.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { isMounted, makeFolder, modeText, OPEN_TO_OTHERS, ROOT, setMode, WRITABLE_BY_OTHERS } from '../core/files.ts';
import { shellQuote } from '../core/shell.ts';
import { closedAfter, connect, type DatabaseKind, migrate, useJournal } from './connect.ts';

const MAGIC = 'SQLite format 3\0';
const HEADER_LENGTH = 100;
const APPLICATION_ID_AT = 68;

/** `ours` was created by this kind, in whatever state it is; `foreign` is anything else, and is never written to. */
type FileState = 'missing' | 'empty' | 'ours' | 'foreign';

const withFile = (path: string, flags: 'r' | 'r+', use: (descriptor: number) => void): void => {
  const descriptor = openSync(path, flags);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** State of `path`, read from its first bytes without opening it as a database. */
export const fileStateOf = (path: string, kind: DatabaseKind): FileState => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'missing';
    if (!stat.isFile()) return 'foreign';
    if (stat.size === 0) return 'empty';
    const header = Buffer.alloc(HEADER_LENGTH);
    withFile(path, 'r', (descriptor) => readSync(descriptor, header, 0, HEADER_LENGTH, 0));
    const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC;
    return isDatabase && header.readUInt32BE(APPLICATION_ID_AT) === kind.applicationId ? 'ours' : 'foreign';
  } catch (thrown) {
    throw kind.error({ kind: 'unusable', path, what: `cannot be read: ${reasonOf(thrown)}`, cause: thrown });
  }
};

/** Suffixes of the files that SQLite puts beside a database. */
const LOGS = ['-wal', '-shm', '-journal'] as const;

const removeLogs = (path: string): void => {
  for (const suffix of LOGS) rmSync(path + suffix, { force: true });
};

export const removeDatabase = (path: string): void => {
  rmSync(path, { force: true });
  removeLogs(path);
};

export const syncFile = (path: string): void => withFile(path, 'r+', fsyncSync);

/** Syncs the names in a folder to the disk; Windows has no such call and does so by itself. */
export const syncFolder = (folder: string): void => {
  if (platform() !== 'win32') withFile(folder, 'r', fsyncSync);
};

const fillFile = (path: string, kind: DatabaseKind): void =>
  closedAfter(connect(path, kind), (db) => {
    useJournal(db, kind);
    migrate(db, kind, kind.fill);
  });

/** For a file system without hard links: not atomic, but never overwrites another process's file. */
const copyInPlace = (made: string, path: string): void => {
  copyFileSync(made, path, constants.COPYFILE_EXCL);
  syncFile(path);
};

/** Gives the finished file its name, unless another process was first: then its file is used. */
const publishFile = (made: string, path: string): void => {
  for (const way of [linkSync, copyInPlace]) {
    try {
      way(made, path);
      return;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return;
      if (way === copyInPlace) throw thrown;
    }
  }
};

const TEMPORARY_END = /^\.[0-9a-f]{12}\.new$/;

/**
 * Removes the temporary names of a published file: they exist for a moment after publication, and forever if the
 * creating process died.
 */
const removeTemporaryNames = (path: string): void => {
  const [folder, file] = [dirname(path), basename(path)];
  const inodeOf = (at: string): bigint | undefined => lstatSync(at, { bigint: true, throwIfNoEntry: false })?.ino;
  const inode = inodeOf(path);
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    if (!name.startsWith(file) || !TEMPORARY_END.test(name.slice(file.length))) continue;
    const at = join(folder, name);
    if (inodeOf(at) === inode) rmSync(at, { force: true });
  }
};

const build = (path: string, kind: DatabaseKind): void => {
  const made = `${path}.${randomBytes(6).toString('hex')}.new`;
  closeSync(openSync(made, 'wx', 0o600));
  try {
    fillFile(made, kind);
    // Closing reports no error when the log could not be merged, and without its log the file is incomplete.
    if (existsSync(`${made}-wal`)) throw new Error('its log could not be taken into it');
    publishFile(made, path);
  } finally {
    removeDatabase(made);
  }
};

/**
 * Fills an empty file in place, in one transaction: replacing it would lose data that another process has written
 * meanwhile. A log is enabled outside of transactions, so such a file never gets one.
 */
const fillEmpty = (path: string, kind: DatabaseKind): void => {
  setMode(path, 0o600);
  fillFile(path, { ...kind, journal: 'truncate' });
};

/**
 * Creates the file with mode 0600 from the start, in a folder with mode 0700. Syncs each new name to the disk if the
 * kind needs that. A new file is completed under another name and then published in one step, so that processes that
 * start at the same time never see half of one, nor one another's.
 */
export const makeFile = (path: string, kind: DatabaseKind): void => {
  // A log without its database would be replayed into the new one (SQLite ignores one beside an empty file). This
  // check comes first, since another process may be creating the database.
  const isOrphaned = ['-wal', '-journal'].some((suffix) => existsSync(path + suffix));
  const state = fileStateOf(path, kind);
  try {
    if (isOrphaned && state === 'missing') {
      if (kind.survives === 'power loss') throw new Error('its log exists, but the file itself is missing');
      removeLogs(path);
    }
    const folder = dirname(path);
    const first = makeFolder(folder);
    if (first !== undefined && kind.survives === 'power loss') {
      for (let at = folder; at.length >= first.length; at = dirname(at)) syncFolder(dirname(at));
    }
    if (state === 'empty') fillEmpty(path, kind);
    else build(path, kind);
    if (kind.survives === 'power loss') syncFolder(folder);
  } catch (thrown) {
    throw kind.error({ kind: 'unusable', path, what: `cannot be made: ${reasonOf(thrown)}`, cause: thrown });
  }
};

/** The state of a file that may be written to; throws for a foreign one. */
export const stateUnlessForeign = (path: string, kind: DatabaseKind): FileState => {
  const state = fileStateOf(path, kind);
  if (state === 'foreign') throw kind.error({ kind: 'foreign', path, what: 'is not one of its files' });
  return state;
};

/** Check after creation: the file at this name must be ours, and not a dangling link. */
export const refuseUnlessOurs = (path: string, kind: DatabaseKind): void => {
  if (stateUnlessForeign(path, kind) === 'ours') return;
  throw kind.error({ kind: 'unusable', path, what: 'cannot be made: something else has its name' });
};

/** Creates a new file in place of an unusable one. A foreign file is left alone. */
export const replaceFile = (path: string, kind: DatabaseKind): void => {
  stateUnlessForeign(path, kind);
  removeDatabase(path);
  makeFile(path, kind);
};

/** A database that nobody else may read or change, with its name in messages. */
interface PrivateFile {
  /** For example `the ledger`. */
  readonly name: string;
  readonly path: string;
  /** Files beside it, other than SQLite's own logs, each with its name in messages. */
  readonly beside?: readonly (readonly [file: string, what: string])[];
  readonly error: DatabaseKind['error'];
}

const refuseDatabase = (message: string, hint: string): never => {
  throw new PayError('ledger', message, { hint });
};

const privateStats = (at: string, { path, error }: PrivateFile, look: typeof statSync): Stats | undefined => {
  try {
    return look(at, { throwIfNoEntry: false });
  } catch (thrown) {
    throw error({ kind: 'unusable', path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
  }
};

const checkFileOwner = (what: string, stats: Stats, uid: number): void => {
  if (stats.uid === uid) return;
  refuseDatabase(
    `${what} belongs to another user (uid ${stats.uid}; you are uid ${uid})`,
    'run paycli as its owner, or set PAYCLI_HOME to a folder of your own',
  );
};

/** Parent folders are not checked: in a folder such as /tmp others can't replace files that they don't own. */
const checkFolder = (file: PrivateFile, uid: number): void => {
  const folder = dirname(file.path);
  // A link to a folder is allowed, but other users must not be able to redirect it.
  const link = privateStats(folder, file, lstatSync);
  if (link?.isSymbolicLink() && link.uid !== ROOT)
    checkFileOwner(`the link ${folder} to ${file.name}'s folder`, link, uid);
  const stats = privateStats(folder, file, statSync);
  if (stats === undefined) return;
  checkFileOwner(`${file.name}'s folder ${folder}`, stats, uid);
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  refuseDatabase(
    `${file.name}'s folder ${folder} is writable by other users (mode ${modeText(stats)}), who could replace ${file.name}`,
    `run: chmod go-w ${shellQuote(folder)}, or set PAYCLI_HOME to another folder`,
  );
};

const checkFile = (at: string, what: string, file: PrivateFile, uid: number): void => {
  const stats = privateStats(at, file, lstatSync);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) refuseDatabase(`${what} ${at} is a symbolic link`, 'replace it with what it points to');
  if (!stats.isFile()) refuseDatabase(`${what} ${at} is not a file`, 'move it away');
  checkFileOwner(`${what} ${at}`, stats, uid);
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) {
    refuseDatabase(
      `${what} ${at} is open to other users (mode ${modeText(stats)})`,
      `run: chmod 600 ${shellQuote(at)}`,
    );
  }
};

/**
 * Refuses a database that has a second name. SQLite puts its log and its locks beside the name: a process that opens
 * the file by another name does not see what is written under this one.
 */
const checkOneName = (file: PrivateFile): void => {
  const { name, path } = file;
  let count = privateStats(path, file, lstatSync)?.nlink ?? 0;
  if (count > 1) {
    removeTemporaryNames(path);
    count = privateStats(path, file, lstatSync)?.nlink ?? 0;
  }
  if (count > 1) {
    refuseDatabase(
      `${name} ${path} has ${count} names (hard links); processes that open it by different names would not see each other's locks`,
      `keep this name and remove the others; this finds them: find / -xdev -samefile ${shellQuote(path)}`,
    );
  }
  if (count === 1 && isMounted(path)) {
    refuseDatabase(
      `${name} ${path} is mounted as a single file, without the log that SQLite keeps beside it`,
      'mount the folder that it is in, not the file alone',
    );
  }
};

/**
 * Refuses a database, or a file beside it, that others could read or change, and a database with two names. Windows
 * has neither numeric users nor modes: `uid` is undefined there.
 */
export const checkPrivate = (file: PrivateFile, uid: number | undefined): void => {
  if (uid !== undefined) {
    checkFolder(file, uid);
    checkFile(file.path, file.name, file, uid);
    for (const suffix of LOGS) checkFile(file.path + suffix, `${file.name}'s log`, file, uid);
    for (const [at, what] of file.beside ?? []) checkFile(at, what, file, uid);
  }
  checkOneName(file);
};

/** Time to wait for a lock, in milliseconds. */
const READ_WAIT_MS = 50;

/**
 * Reads a database without creating or changing any file, not even SQLite's own beside it, which exist only while
 * another process has it open. Undefined if there is no database of this kind.
 */
export const readWithoutLock = <T>(path: string, kind: DatabaseKind, look: (db: DatabaseSync) => T): T | undefined => {
  if (fileStateOf(path, kind) !== 'ours') return undefined;
  const isOpen = existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
  const url = pathToFileURL(path);
  // An immutable read ignores a log that no process has open.
  if (!isOpen) url.searchParams.set('immutable', '1');
  return closedAfter(new DatabaseSync(url, { readOnly: true, timeout: READ_WAIT_MS }), look);
};
