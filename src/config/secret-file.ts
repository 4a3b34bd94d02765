import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { PayError, reasonOf } from '../core/error.ts';
import { checkPath } from '../core/files.ts';
import { shellQuote } from '../core/shell.ts';
import type { Machine } from './machine.ts';

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

/** A file that a user has named, with its description in messages. */
export interface SecretFile {
  readonly path: string;
  /** For example `the secret file`. */
  readonly what: string;
  /** Advice for an unusable file. */
  readonly hint: string;
}

export const refuseFile = ({ path, what }: SecretFile, fault: string, hint: string): never => {
  throw new PayError('auth', `${what} ${path} ${fault}, so it was not used`, { hint });
};

const canChange = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * True for a file of root that this user can't change, as a container mounts it: the person who mounted it has decided
 * who may read it.
 */
const isMounted = (path: string, { uid, mode }: Stats): boolean =>
  uid === ROOT && (mode & WRITABLE_BY_OTHERS) === 0 && !canChange(path);

const checkStats = (file: SecretFile, stats: Stats, { platform, uid }: Machine): void => {
  // A pipe, such as the shell's <(…), has no content that others could read.
  if (stats.isFIFO()) return;
  if (!stats.isFile()) refuseFile(file, 'is not a file', file.hint);
  if (platform === 'win32' || isMounted(file.path, stats)) return;
  if (uid !== undefined && stats.uid !== uid)
    refuseFile(file, `belongs to another user (uid ${stats.uid})`, 'use one of your own');
  if ((stats.mode & OPEN_TO_OTHERS) !== 0)
    refuseFile(file, 'is open to other users', `run: chmod 600 ${shellQuote(file.path)}`);
};

const readChecked = (file: SecretFile, machine: Machine): Buffer => {
  const check = checkPath(machine.uid);
  check(file.path);
  const descriptor = openSync(file.path, 'r');
  try {
    const stats = fstatSync(descriptor);
    check(file.path, stats);
    checkStats(file, stats, machine);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Content of a file with a secret; undefined when it is missing. Throws for one that others can read or change, or may
 * have planted.
 */
export const readSecretFile = (file: SecretFile, machine: Machine): Buffer | undefined => {
  try {
    return readChecked(file, machine);
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return refuseFile(file, `can't be read: ${reasonOf(thrown)}`, file.hint);
  }
};
