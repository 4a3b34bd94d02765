import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt } from './async.ts';
import { PayError, reasonOf, usageError } from './error.ts';

/** Bits of a mode that allow others anything, or to write. */
export const OPEN_TO_OTHERS = 0o077;
export const WRITABLE_BY_OTHERS = 0o022;

export const ROOT = 0;

/** The most symbolic links that a path is followed through, as on Linux. */
export const MOST_LINKS = 40;

export const modeText = ({ mode }: Stats): string => (mode & 0o777).toString(8).padStart(4, '0');

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates a folder and its missing parents, for this user alone or with another mode; returns the topmost created
 * folder. Node's own recursive mkdir reports ENOENT for a read-only file system, and never ends in /proc.
 */
export const makeFolder = (folder: string, mode = 0o700): string | undefined => {
  if (isFolder(folder)) return undefined;
  const above = dirname(folder) === folder ? undefined : makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
    return above ?? folder;
  } catch (thrown) {
    // Another process may have created it first.
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(folder)) return above;
    throw thrown;
  }
};

/**
 * Sets the mode of a path or an open file. Not on Windows, where modes mean nothing: the user's profile folder protects
 * the file.
 */
export const setMode = (file: string | number, mode: number): void => {
  if (platform() === 'win32') return;
  if (typeof file === 'number') fchmodSync(file, mode);
  else chmodSync(file, mode);
};

/**
 * Reason why nothing can be created in a folder, which may itself be missing; undefined if the folder is writable.
 */
export const unwritable = (folder: string): string | undefined => {
  if (!existsSync(folder) && dirname(folder) !== folder) return unwritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  }
};

/**
 * The home folder of this user. In a container a user may have none: then this throws. Also if it is relative, since it
 * would mean another folder, and maybe somebody else's files, in every working folder.
 */
export const homeFolder = (given?: string, hint = 'set HOME to an absolute path'): string => {
  const home = given ?? attempt(homedir) ?? '';
  if (isAbsolute(home)) return home;
  const why =
    home === '' ? 'is not set, and the system has no entry for this user' : `is "${home}", not an absolute path`;
  throw new PayError('auth', `no home folder is known: HOME ${why}`, { hint });
};

const unsafePath = (path: string, what: string): PayError =>
  usageError(`${path} ${what}, so it was not used`, { hint: 'use a file in a folder of your own; nothing was sent' });

/** File information; undefined if the file is missing or unreadable: the open that follows reports the reason. */
const statsAt = (look: typeof lstatSync, path: string): Stats | undefined => attempt(() => look(path));

/**
 * Refuses a path that leads through a symbolic link, or to a named pipe, that belongs to a user other than this one
 * and root: in a shared folder such as /tmp, somebody may have planted it. Called again with the `opened` file, it
 * also refuses a path that now leads to another file. Parent folders are not checked. Windows has no such users: `uid`
 * is undefined there.
 */
export const checkPath =
  (uid: number | undefined) =>
  (path: string, opened?: Stats): void => {
    if (uid === undefined) return;
    const others = (stats: Stats): boolean => stats.uid !== uid && stats.uid !== ROOT;
    let at = resolve(path);
    let there = statsAt(lstatSync, at);
    for (let links = 0; there?.isSymbolicLink() && links < MOST_LINKS; links += 1) {
      if (others(there))
        throw unsafePath(path, `goes through a symbolic link of another user (${at}, uid ${there.uid})`);
      at = resolve(dirname(at), readlinkSync(at));
      // The shell's >(…) leads to no path: it names a descriptor of this process.
      there = statsAt(lstatSync, at);
    }
    if (there?.isFIFO() && others(there)) throw unsafePath(path, `is a named pipe of another user (uid ${there.uid})`);
    if (opened === undefined) return;
    const now = statsAt(statSync, path);
    if (now?.dev !== opened.dev || now.ino !== opened.ino) throw unsafePath(path, 'was replaced while it was opened');
  };

/** True if the path is a mount point. Compares bytes, as the kernel lists them. */
export const isMounted = (path: string): boolean => {
  const list = attempt(() => readFileSync('/proc/self/mountinfo', 'latin1')) ?? '';
  const real = attempt(() => realpathSync(path)) ?? path;
  const bytes = Buffer.from(real).toString('latin1');
  for (const line of list.split('\n')) {
    const [, , , , at = ''] = line.split(' ');
    // The kernel writes blanks in octal.
    const point = at.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    if (point === bytes) return true;
  }
  return false;
};

/** Creates a private file and removes its name at once, so that no exit of the program leaves it behind. */
export const makeNameless = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `input-${crypto.randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path).catch(async (thrown: unknown) => {
    await file.close();
    throw thrown;
  });
  return file;
};
