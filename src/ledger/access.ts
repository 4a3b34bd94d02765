import type { Stats } from 'node:fs';
import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PayError, reasonOf } from '../core/error.ts';
import { shellQuote } from '../core/shell.ts';
import { ledgerError } from './file.ts';
import { thisMachine } from './machine.ts';

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

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

const checkFolder = (path: string): void => {
  const folder = dirname(path);
  // What a link to a folder points at is the folder.
  const stats = statsOf(folder, path, statSync);
  if (stats === undefined || (stats.mode & WRITABLE_BY_ALL) === 0 || (stats.mode & STICKY) !== 0) return;
  refuse(
    `the ledger's folder ${folder} can be written to by everybody, who could put another ledger into it`,
    `run: chmod o-w ${shellQuote(folder)}, or name another folder with PAYCLI_HOME`,
  );
};

const checkFile = (path: string, uid: number): void => {
  const stats = statsOf(path, path, lstatSync);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) refuse(`the ledger ${path} is a symbolic link`, 'replace it by what it points at');
  if (!stats.isFile()) refuse(`the ledger ${path} is not a file`, 'move it away');
  if (stats.uid !== uid) {
    refuse(
      `the ledger ${path} belongs to another user (uid ${stats.uid}, and this is uid ${uid})`,
      'run paycli as its owner, or name another folder with PAYCLI_HOME',
    );
  }
  if ((stats.mode & OPEN_TO_OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    refuse(`the ledger ${path} is open to other users (mode ${mode})`, `run: chmod 600 ${shellQuote(path)}`);
  }
};

/**
 * Refuses a ledger that others could read or change: it holds who was charged, and its truth is what keeps a customer from
 * paying twice. Windows has neither such numbers nor such modes: `uid` is undefined there.
 */
export const checkAccess = (path: string, uid = thisMachine.uid): void => {
  if (uid === undefined) return;
  checkFolder(path);
  checkFile(path, uid);
};
