import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from './error.ts';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Makes a folder and what is missing above it, for this user alone or with another mode; gives the first that was made. Node's own way
 * says ENOENT of a file system that is read-only, and never ends in /proc.
 */
export const makeFolder = (folder: string, mode = 0o700): string | undefined => {
  if (isFolder(folder)) return undefined;
  const above = dirname(folder) === folder ? undefined : makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
    return above ?? folder;
  } catch (thrown) {
    // Another process may have been first.
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(folder)) return above;
    throw thrown;
  }
};

/** Why nothing can be made in a folder, which may be missing itself; undefined where something can. */
export const unwritable = (folder: string): string | undefined => {
  if (!existsSync(folder) && dirname(folder) !== folder) return unwritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  }
};
