import type { Stats } from 'node:fs';
import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PayError, reasonOf } from '../../core/error.ts';
import { shellQuote } from '../../core/shell.ts';
import { LOGS } from '../../database/file.ts';
import { thisMachine } from '../machine.ts';
import { ledgerError } from './file.ts';
import { highestPath } from './highest.ts';

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

const refuse = (message: string, hint: string): never => {
  throw new PayError('ledger', message, { hint });
};

const statsOf = (at: string, ledger: string, look: typeof statSync): Stats | undefined => {
  try {
    return look(at, { throwIfNoEntry: false });
  } catch (thrown) {
    throw ledgerError({ kind: 'unusable', path: ledger, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
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
const checkLink = (folder: string, path: string, uid: number): void => {
  const stats = statsOf(folder, path, lstatSync);
  if (stats?.isSymbolicLink() && stats.uid !== 0) checkOwner(`the link ${folder} to the ledger's folder`, stats, uid);
};

/** Its parents are not looked at: in a folder such as /tmp others can't replace what is not theirs. */
const checkFolder = (path: string, uid: number): void => {
  const folder = dirname(path);
  checkLink(folder, path, uid);
  const stats = statsOf(folder, path, statSync);
  if (stats === undefined) return;
  checkOwner(`the ledger's folder ${folder}`, stats, uid);
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  refuse(
    `the ledger's folder ${folder} is writable by other users (mode ${modeOf(stats)}), who could replace the ledger`,
    `run: chmod go-w ${shellQuote(folder)}, or set PAYCLI_HOME to another folder`,
  );
};

const checkFile = (file: string, what: string, ledger: string, uid: number): void => {
  const stats = statsOf(file, ledger, lstatSync);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) refuse(`${what} ${file} is a symbolic link`, 'replace it with what it points to');
  if (!stats.isFile()) refuse(`${what} ${file} is not a file`, 'move it away');
  checkOwner(`${what} ${file}`, stats, uid);
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) {
    refuse(`${what} ${file} is open to other users (mode ${modeOf(stats)})`, `run: chmod 600 ${shellQuote(file)}`);
  }
};

/**
 * Refuses a ledger that others could read or change, and what SQLite and we keep beside it: it holds who was charged, and its
 * truth is what keeps a customer from paying twice. Windows has neither such numbers nor such modes: `uid` is undefined there.
 */
export const checkAccess = (path: string, uid = thisMachine.uid): void => {
  if (uid === undefined) return;
  checkFolder(path, uid);
  checkFile(path, 'the ledger', path, uid);
  for (const suffix of LOGS) checkFile(path + suffix, "the ledger's log", path, uid);
  checkFile(highestPath(path), "the ledger's count", path, uid);
};
