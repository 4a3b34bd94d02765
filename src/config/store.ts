import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { PROFILE_FILE_VERSION, type ProfileFile, profileFileFault } from '../contract/profile-file.ts';
import { DATA_FILES } from '../core/data-files.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { isMounted, makeFolder, modeText, setMode, WRITABLE_BY_OTHERS } from '../core/files.ts';
import type { Redactor } from '../core/secret.ts';
import { shellQuote } from '../core/shell.ts';
import type { Machine } from './machine.ts';
import { dropNewSignalListeners } from './signals-before.ts';

// The only import of conf. The order of the imports matters: the last one above records the signal listeners before
// conf adds its own.

import Conf from 'conf';

// A package below conf (when-exit) answers the first Ctrl-C by raising the signal again. That would look like a second
// Ctrl-C and end a charge in flight, so only the one signal handler of this program stays.
dropNewSignalListeners();

/**
 * A folder and a file that hold keys (docs/security.md, The key). If a key is stored, an open mode is never fixed
 * silently: the key may have been read by others, and the user has to judge that.
 */

const READ_OR_WRITE_BY_OTHERS = 0o066;

const refuseStore = (message: string, hint: string): never => {
  throw new PayError('auth', message, { hint });
};

const statsOfStore = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    return refuseStore(`${path} can't be read: ${reasonOf(thrown)}`, 'make it accessible to you, or set PAYCLI_HOME');
  }
};

const isOpenToOthers = ({ mode }: Stats, { platform }: Machine): boolean =>
  platform !== 'win32' && (mode & READ_OR_WRITE_BY_OTHERS) !== 0;

/**
 * The hint for an unsafe path. One that is mounted by itself, as in a container, can't be moved away; if it is
 * read-only, its mode can't be changed either.
 */
const adviceFor = (path: string, mounted: string, hint: string): string =>
  isMounted(path)
    ? `it is mounted here, so fix it at its source (${mounted}), or set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL in its place`
    : hint;

const checkStoreOwner = (path: string, stats: Stats, what: 'folder' | 'file', machine: Machine): void => {
  if (machine.platform === 'win32') return;
  if (stats.isSymbolicLink()) {
    refuseStore(`${path} is a symbolic link, so the keys behind it were not used`, 'replace it with what it points to');
  }
  if (what === 'folder' ? !stats.isDirectory() : !stats.isFile()) {
    refuseStore(`${path} is not a ${what}`, 'move it away, then run `paycli login`');
  }
  if (machine.uid !== undefined && stats.uid !== machine.uid) {
    refuseStore(
      `${path} belongs to another user (uid ${stats.uid}; you are uid ${machine.uid}), so it was not used`,
      adviceFor(
        path,
        `its owner must be uid ${machine.uid}`,
        'run paycli as its owner, or move it away and run `paycli login`',
      ),
    );
  }
};

const checkStoreMode = (path: string, stats: Stats, what: 'folder' | 'file', machine: Machine): void => {
  if (!isOpenToOthers(stats, machine)) return;
  const mode = what === 'folder' ? '700' : '600';
  refuseStore(
    `${path} is open to other users (mode ${modeText(stats)}), so it was not used`,
    adviceFor(
      path,
      `its mode must be ${mode}`,
      `run: chmod ${mode} ${shellQuote(path)}; if others use this machine, get a new key too`,
    ),
  );
};

/** True if the file exists and is private, false if it is missing. Throws when it or its folder isn't safe. */
const isPrivateFileThere = (folder: string, file: string, machine: Machine): boolean => {
  const around = statsOfStore(folder);
  if (around === undefined) return false;
  checkStoreOwner(folder, around, 'folder', machine);
  const inside = statsOfStore(file);
  // A folder without a key reveals none, whatever its mode.
  if (inside === undefined) return false;
  checkStoreMode(folder, around, 'folder', machine);
  checkStoreOwner(file, inside, 'file', machine);
  checkStoreMode(file, inside, 'file', machine);
  return true;
};

/** A name that only this program uses: of its data, and of SQLite's files beside it. */
const isOwnName = (name: string): boolean => DATA_FILES.some(([start]) => name.startsWith(start));

const namesInStore = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    return refuseStore(`${folder} can't be read: ${reasonOf(thrown)}`, `run: chmod 700 ${shellQuote(folder)}`);
  }
};

/**
 * True if this program may close an open folder: others can't write to it, and it contains only this program's
 * files.
 */
const isOwnFolder = (folder: string, { mode }: Stats): boolean =>
  namesInStore(folder).every(isOwnName) && (mode & WRITABLE_BY_OTHERS) === 0;

/**
 * State of a folder: private, missing, or open to others but safe to close, because it contains only this program's
 * own files and no key. Throws for any other folder; changes nothing.
 */
export const stateOfFolder = (folder: string, machine: Machine): 'private' | 'missing' | 'open' => {
  const stats = statsOfStore(folder);
  if (stats === undefined) return 'missing';
  checkStoreOwner(folder, stats, 'folder', machine);
  if (!isOpenToOthers(stats, machine)) return 'private';
  if (isOwnFolder(folder, stats)) return 'open';
  return refuseStore(
    `${folder} is open to other users (mode ${modeText(stats)}), so no key is stored in it; nothing was stored`,
    `set PAYCLI_HOME to a folder for paycli alone; if this one is, run: chmod 700 ${shellQuote(folder)}`,
  );
};

/**
 * Creates the folder with mode 0700 regardless of the umask, or closes an open one of this program that has no key
 * yet.
 */
const makePrivateFolder = (folder: string, machine: Machine): void => {
  const state = stateOfFolder(folder, machine);
  if (state === 'private') return;
  try {
    const made = state === 'missing' ? makeFolder(folder) : folder;
    // Not for a folder that another process has just created. The umask may have removed rights from ours.
    if (made !== undefined) setMode(folder, 0o700);
  } catch (thrown) {
    refuseStore(`couldn't create ${folder}: ${reasonOf(thrown)}`, 'set PAYCLI_HOME to a folder that you can write to');
  }
  const stats = statsOfStore(folder);
  if (stats === undefined) return;
  checkStoreOwner(folder, stats, 'folder', machine);
  checkStoreMode(folder, stats, 'folder', machine);
};

/** The one file of profiles: read anew each time, written as a whole. */
export interface ProfileStore {
  /** Undefined if there is no file yet. Throws for an unsafe file, and for one that this version can't read. */
  read(): ProfileFile | undefined;
  /** Throws when the state of the folder would make `write` fail; changes nothing. */
  checkFolder(): void;
  write(next: ProfileFile): void;
}

/**
 * Advice for a failed write, by the system's error code: the file is replaced as a whole, which is impossible for a
 * mounted one.
 */
const ADVICE: Readonly<Record<string, string>> = {
  EBUSY: 'the file is mounted by itself, so it can not be replaced: mount its folder instead',
  EROFS:
    'its file system is read-only: mount the folder so that it can be written, or set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL',
};

const unreadableStore = (file: string, why: string): PayError =>
  new PayError('auth', `${file} ${why}; it was left as it is`, {
    hint: 'fix it or move it away, then run `paycli login`',
  });

// A parser's message would quote the file, keys included, so it is neither passed on nor stored as a cause.
const parseStored = (file: string, load: () => Record<string, unknown>): Record<string, unknown> => {
  try {
    return load();
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw unreadableStore(file, 'is damaged: it is not valid JSON');
    throw unreadableStore(file, `could not be read: ${reasonOf(thrown)}`);
  }
};

const checkShape = (file: string, content: Record<string, unknown>): ProfileFile => {
  const { version } = content;
  if (typeof version === 'number' && version > PROFILE_FILE_VERSION) {
    throw new PayError('auth', `${file} was written by a newer paycli (version ${version}); it was left as it is`, {
      hint: 'update paycli, or set PAYCLI_HOME to another folder for this version',
    });
  }
  const fault = profileFileFault(content);
  if (fault === undefined) return content as ProfileFile;
  throw unreadableStore(file, `is not a profile file: ${fault}`);
};

/** The store in `folder`. Neither opening nor reading it creates a file or a folder. */
export const openProfileStore = (folder: string, machine: Machine, redactor: Redactor): ProfileStore => {
  const file = join(folder, 'config.json');
  // Never opened before the checks: conf reads any file there, and creates a missing folder.
  const where = { cwd: folder, configName: 'config', accessPropertiesByDotNotation: false } as const;
  return {
    read() {
      if (!isPrivateFileThere(folder, file, machine)) return undefined;
      const content = checkShape(
        file,
        parseStored(file, () => new Conf(where).store),
      );
      for (const { key } of Object.values(content.profiles)) if (key !== undefined) redactor.add(key);
      return content;
    },
    checkFolder() {
      stateOfFolder(folder, machine);
    },
    write(next) {
      makePrivateFolder(folder, machine);
      isPrivateFileThere(folder, file, machine);
      try {
        new Conf({ ...where, configFileMode: 0o600 }).store = next;
      } catch (thrown) {
        throw new PayError('auth', `${file} could not be written: ${reasonOf(thrown)}`, {
          hint: `nothing was changed; ${ADVICE[(thrown as NodeJS.ErrnoException).code ?? ''] ?? 'free some space or fix the permissions of its folder'}`,
        });
      }
    },
  };
};
