import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { DATA_FILES } from '../core/data-files.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { makeFolder } from '../core/files.ts';
import { isMounted } from '../core/mount.ts';
import { shellQuote } from '../core/shell.ts';
import type { Machine } from './machine.ts';

/**
 * A folder and a file that hold keys (security.md, row 3). Where a key is there already an open mode is never mended in
 * silence: it may mean that the key is known by now, and that is for the user to judge.
 */

const READ_OR_WRITE_BY_OTHERS = 0o066;
const WRITABLE_BY_OTHERS = 0o022;

const refuse = (message: string, hint: string): never => {
  throw new PayError('auth', message, { hint });
};

const lookAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    return refuse(`${path} can't be read: ${reasonOf(thrown)}`, 'make it accessible to you, or set PAYCLI_HOME');
  }
};

const modeOf = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0');

const isOpen = ({ mode }: Stats, { platform }: Machine): boolean =>
  platform !== 'win32' && (mode & READ_OR_WRITE_BY_OTHERS) !== 0;

/** The hint for what is mounted by itself, as in a container: it can't be moved away there, and where it is read-only its mode stays too. */
const mended = (path: string, mounted: string, hint: string): string =>
  isMounted(path)
    ? `it is mounted here, so mend it where it comes from (${mounted}), or set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL in its place`
    : hint;

const checkOwner = (path: string, stats: Stats, what: 'folder' | 'file', machine: Machine): void => {
  if (machine.platform === 'win32') return;
  if (stats.isSymbolicLink()) {
    refuse(`${path} is a symbolic link, so the keys behind it were not used`, 'replace it with what it points to');
  }
  if (what === 'folder' ? !stats.isDirectory() : !stats.isFile()) {
    refuse(`${path} is not a ${what}`, 'move it away, then run `paycli login`');
  }
  if (machine.uid !== undefined && stats.uid !== machine.uid) {
    refuse(
      `${path} belongs to another user (uid ${stats.uid}; you are uid ${machine.uid}), so it was not used`,
      mended(
        path,
        `its owner must be uid ${machine.uid}`,
        'run paycli as its owner, or move it away and run `paycli login`',
      ),
    );
  }
};

const checkMode = (path: string, stats: Stats, what: 'folder' | 'file', machine: Machine): void => {
  if (!isOpen(stats, machine)) return;
  const mode = what === 'folder' ? '700' : '600';
  refuse(
    `${path} is open to other users (mode ${modeOf(stats)}), so it was not used`,
    mended(
      path,
      `its mode must be ${mode}`,
      `run: chmod ${mode} ${shellQuote(path)}; if others use this machine, get a new key too`,
    ),
  );
};

/** True when the file is there and private, false when it is not there. Throws when it or its folder isn't safe. */
export const isPrivateFileThere = (folder: string, file: string, machine: Machine): boolean => {
  const around = lookAt(folder);
  if (around === undefined) return false;
  checkOwner(folder, around, 'folder', machine);
  const inside = lookAt(file);
  // A folder without a key gives none away, whatever its mode is.
  if (inside === undefined) return false;
  checkMode(folder, around, 'folder', machine);
  checkOwner(file, inside, 'file', machine);
  checkMode(file, inside, 'file', machine);
  return true;
};

/** A name that only this program gives: of its data, and of what SQLite keeps beside it. */
const isOwnName = (name: string): boolean => DATA_FILES.some(([start]) => name.startsWith(start));

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    return refuse(`${folder} can't be read: ${reasonOf(thrown)}`, `run: chmod 700 ${shellQuote(folder)}`);
  }
};

/** Whether an open folder is this program's alone to close: others can't write to it, and nothing of others is in it. */
const isOwn = (folder: string, { mode }: Stats): boolean =>
  namesIn(folder).every(isOwnName) && (mode & WRITABLE_BY_OTHERS) === 0;

/**
 * Whether a folder is private, is not there, or is open to others and may be closed: it holds nothing but this program's
 * own files, and no key among them. Throws for any other; changes nothing.
 */
export const stateOfFolder = (folder: string, machine: Machine): 'private' | 'missing' | 'open' => {
  const stats = lookAt(folder);
  if (stats === undefined) return 'missing';
  checkOwner(folder, stats, 'folder', machine);
  if (!isOpen(stats, machine)) return 'private';
  if (isOwn(folder, stats)) return 'open';
  return refuse(
    `${folder} is open to other users (mode ${modeOf(stats)}), so no key is stored in it; nothing was stored`,
    `set PAYCLI_HOME to a folder for paycli alone; if this one is, run: chmod 700 ${shellQuote(folder)}`,
  );
};

/** Makes the folder with mode 0700, whatever the umask is, or closes one that is its own and has no key in it yet. */
export const makePrivateFolder = (folder: string, machine: Machine): void => {
  const state = stateOfFolder(folder, machine);
  if (state === 'private') return;
  try {
    const made = state === 'missing' ? makeFolder(folder) : folder;
    // Not one that another process made meanwhile: the umask may have taken rights from ours.
    if (made !== undefined) chmodSync(folder, 0o700);
  } catch (thrown) {
    refuse(`couldn't create ${folder}: ${reasonOf(thrown)}`, 'set PAYCLI_HOME to a folder that you can write to');
  }
  const stats = lookAt(folder);
  if (stats === undefined) return;
  checkOwner(folder, stats, 'folder', machine);
  checkMode(folder, stats, 'folder', machine);
};
