import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PayError, reasonOf } from '../core/error.ts';
import { isMounted } from '../core/mount.ts';
import { shellQuote } from '../core/shell.ts';
import { LOGS, removeNamesOfMaking } from './file.ts';
import type { DatabaseKind } from './kind.ts';

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** A database that nobody else may read or change, by the name that people know it by. */
export interface PrivateFile {
  /** `the ledger` */
  readonly name: string;
  readonly path: string;
  /** What is kept beside it besides SQLite's own logs: the file, and what it is called. */
  readonly beside?: readonly (readonly [file: string, what: string])[];
  readonly error: DatabaseKind['error'];
}

const refuse = (message: string, hint: string): never => {
  throw new PayError('ledger', message, { hint });
};

const statsOf = (at: string, { path, error }: PrivateFile, look: typeof statSync): Stats | undefined => {
  try {
    return look(at, { throwIfNoEntry: false });
  } catch (thrown) {
    throw error({ kind: 'unusable', path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
  }
};

const modeOf = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0');

const checkOwner = (what: string, stats: Stats, uid: number): void => {
  if (stats.uid === uid) return;
  refuse(
    `${what} belongs to another user (uid ${stats.uid}; you are uid ${uid})`,
    'run paycli as its owner, or set PAYCLI_HOME to a folder of your own',
  );
};

/** What a link to a folder points at is the folder; but the link must not be there for others to turn. */
const checkLink = (folder: string, file: PrivateFile, uid: number): void => {
  const stats = statsOf(folder, file, lstatSync);
  if (stats?.isSymbolicLink() && stats.uid !== 0) checkOwner(`the link ${folder} to ${file.name}'s folder`, stats, uid);
};

/** Its parents are not looked at: in a folder such as /tmp others can't replace what is not theirs. */
const checkFolder = (file: PrivateFile, uid: number): void => {
  const folder = dirname(file.path);
  checkLink(folder, file, uid);
  const stats = statsOf(folder, file, statSync);
  if (stats === undefined) return;
  checkOwner(`${file.name}'s folder ${folder}`, stats, uid);
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  refuse(
    `${file.name}'s folder ${folder} is writable by other users (mode ${modeOf(stats)}), who could replace ${file.name}`,
    `run: chmod go-w ${shellQuote(folder)}, or set PAYCLI_HOME to another folder`,
  );
};

const checkFile = (at: string, what: string, file: PrivateFile, uid: number): void => {
  const stats = statsOf(at, file, lstatSync);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) refuse(`${what} ${at} is a symbolic link`, 'replace it with what it points to');
  if (!stats.isFile()) refuse(`${what} ${at} is not a file`, 'move it away');
  checkOwner(`${what} ${at}`, stats, uid);
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) {
    refuse(`${what} ${at} is open to other users (mode ${modeOf(stats)})`, `run: chmod 600 ${shellQuote(at)}`);
  }
};

/**
 * Refuses a database that has a second name. SQLite keeps its log and its locks beside the name: who opens the file by the other
 * one sees nothing of what is written by this one.
 */
const checkOneName = (file: PrivateFile): void => {
  const { name, path } = file;
  const names = (): number => statsOf(path, file, lstatSync)?.nlink ?? 0;
  if (names() > 1) removeNamesOfMaking(path);
  const count = names();
  if (count > 1) {
    refuse(
      `${name} ${path} has ${count} names (hard links); processes that open it by different ones do not see each other`,
      `keep this name and remove the others; this finds them: find / -xdev -samefile ${shellQuote(path)}`,
    );
  }
  if (count === 1 && isMounted(path)) {
    refuse(
      `${name} ${path} is mounted as a single file, without the log that SQLite keeps beside it`,
      'mount the folder that it is in, not the file alone',
    );
  }
};

const checkNobodyElse = (file: PrivateFile, uid: number): void => {
  checkFolder(file, uid);
  checkFile(file.path, file.name, file, uid);
  for (const suffix of LOGS) checkFile(file.path + suffix, `${file.name}'s log`, file, uid);
  for (const [at, what] of file.beside ?? []) checkFile(at, what, file, uid);
};

/**
 * Refuses a database that others could read or change, what is kept beside it, and a database with two names. Windows has neither
 * such numbers of users nor such modes: `uid` is undefined there.
 */
export const checkPrivate = (file: PrivateFile, uid: number | undefined): void => {
  if (uid !== undefined) checkNobodyElse(file, uid);
  checkOneName(file);
};
