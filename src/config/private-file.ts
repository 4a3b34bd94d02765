import type { Stats } from 'node:fs';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { PayError, reasonOf } from '../core/error.ts';
import { shellQuote } from '../core/shell.ts';
import type { Machine } from './machine.ts';

/**
 * A folder and a file that hold keys (security.md, row 3). What is there already is never mended in silence: an open
 * mode may mean that the key is known by now, and that is for the user to judge.
 */

const READ_OR_WRITE_BY_OTHERS = 0o066;

const refuse = (message: string, hint: string): never => {
  throw new PayError('auth', message, { hint });
};

const lookAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    return refuse(`${path} can't be looked at: ${reasonOf(thrown)}`, 'make it accessible to you, or set PAYCLI_HOME');
  }
};

const check = (path: string, stats: Stats, what: 'folder' | 'file', machine: Machine): void => {
  if (machine.platform === 'win32') return;
  if (stats.isSymbolicLink()) {
    refuse(`${path} is a symbolic link, so the keys behind it were not used`, 'replace it by what it points at');
  }
  if (what === 'folder' ? !stats.isDirectory() : !stats.isFile()) {
    refuse(`${path} is not a ${what}`, 'move it away, then run `paycli login`');
  }
  if (machine.uid !== undefined && stats.uid !== machine.uid) {
    refuse(
      `${path} belongs to another user (uid ${stats.uid}, and this is uid ${machine.uid}), so it was not used`,
      'run paycli as its owner, or move it away and run `paycli login`',
    );
  }
  if ((stats.mode & READ_OR_WRITE_BY_OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    refuse(
      `${path} is open to other users (mode ${mode}), so it was not used`,
      `run: chmod ${what === 'folder' ? '700' : '600'} ${shellQuote(path)}; if others use this machine, get a new key too`,
    );
  }
};

/** True when the file is there and private, false when it is not there. Throws when it or its folder isn't safe. */
export const isPrivateFileThere = (folder: string, file: string, machine: Machine): boolean => {
  const around = lookAt(folder);
  if (around === undefined) return false;
  check(folder, around, 'folder', machine);
  const inside = lookAt(file);
  if (inside === undefined) return false;
  check(file, inside, 'file', machine);
  return true;
};

const make = (folder: string): void => {
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Only what was made here: the umask may have taken rights from it.
    if (made !== undefined) chmodSync(folder, 0o700);
  } catch (thrown) {
    refuse(`${folder} could not be made: ${reasonOf(thrown)}`, 'set PAYCLI_HOME to a folder that you may write to');
  }
};

/** Makes the folder with mode 0700, whatever the umask is; one that is there must be private already. */
export const makePrivateFolder = (folder: string, machine: Machine): void => {
  if (lookAt(folder) === undefined) make(folder);
  const stats = lookAt(folder);
  if (stats !== undefined) check(folder, stats, 'folder', machine);
};
