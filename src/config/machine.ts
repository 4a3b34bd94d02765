import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { attempt } from '../core/async.ts';
import { usageError, variableIs } from '../core/error.ts';
import { homeFolder } from '../core/files.ts';
import type { Env } from '../core/io.ts';

/** Facts about the machine and the process; tests pass their own. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The effective user id; undefined on systems without numeric ids. */
  readonly uid: number | undefined;
  /** The working folder; undefined if it has been removed. */
  readonly cwd: () => string | undefined;
  /** Time limit of a key command, in milliseconds. */
  readonly keyCommandLimit: number;
  /**
   * Sends a signal to a process group, SIGKILL by default; throws if there is none. Undefined on Windows, which has no
   * groups.
   */
  readonly killGroup: ((pid: number, signal?: NodeJS.Signals) => void) | undefined;
}

/** Runtime and platform, such as `Node.js 24.21.0 (linux x64)`. */
export const runtime = `${process.versions['bun'] === undefined ? `Node.js ${process.versions.node}` : `Bun ${process.versions['bun']}`} (${process.platform} ${process.arch})`;

export const realMachine: Machine = {
  platform: process.platform,
  uid: process.geteuid?.(),
  cwd: () => attempt(() => process.cwd()),
  keyCommandLimit: 10_000,
  killGroup: process.platform === 'win32' ? undefined : (pid, signal = 'SIGKILL') => void process.kill(-pid, signal),
};

/** Absolute paths of the program's folders. Each is determined on first access, and throws if there is none. */
export interface Folders {
  readonly config: string;
  readonly data: string;
}

/** An absolute path without a trailing slash: with one, lstat would follow a link. */
const absolute = (path: string, name: string, hint: string): string => {
  if (!isAbsolute(path)) throw usageError(`${variableIs(name, path)}, not an absolute path`, { hint });
  return resolve(path);
};

const HOME_HINT = 'set PAYCLI_HOME to an absolute path, or fix HOME and the XDG_… variables';

const ownHome = (): string =>
  homeFolder(undefined, 'set PAYCLI_HOME to an absolute path, where paycli then keeps everything; or set HOME');

/** The folder that a variable names, else one in the home folder; an empty variable counts as unset. */
const folderOf = (given: string | undefined, ...otherwise: readonly string[]): string =>
  given || join(ownHome(), ...otherwise);

const configOf = (env: Env, { platform }: Machine): string => {
  if (platform === 'darwin') return join(ownHome(), 'Library', 'Preferences', 'paycli');
  if (platform === 'win32') return join(folderOf(env['APPDATA'], 'AppData', 'Roaming'), 'paycli', 'Config');
  return join(folderOf(env['XDG_CONFIG_HOME'], '.config'), 'paycli');
};

const dataOf = (env: Env, { platform }: Machine): string => {
  if (platform === 'darwin') return join(ownHome(), 'Library', 'Application Support', 'paycli');
  if (platform === 'win32') return join(folderOf(env['LOCALAPPDATA'], 'AppData', 'Local'), 'paycli', 'Data');
  return join(folderOf(env['XDG_DATA_HOME'], '.local', 'share'), 'paycli');
};

/**
 * Folders for settings and data: PAYCLI_HOME for both, else the platform's own. A relative path is refused, since it
 * would mean another folder, and maybe somebody else's files, in every working folder.
 */
export const findFolders = (env: Env, machine: Machine = realMachine): Folders => {
  const home = env['PAYCLI_HOME'];
  if (home !== undefined) {
    const folder = absolute(home, 'PAYCLI_HOME', 'set it to one that starts at the root, or unset it');
    return { config: folder, data: folder };
  }
  return {
    get config() {
      return absolute(configOf(env, machine), 'the folder for settings', HOME_HINT);
    },
    get data() {
      return absolute(dataOf(env, machine), 'the folder for data', HOME_HINT);
    },
  };
};
