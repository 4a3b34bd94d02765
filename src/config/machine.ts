import process from 'node:process';
import { attempt } from '../core/async.ts';

/** Facts about the machine and the process; tests pass their own. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The effective user id; undefined on systems without numeric ids. */
  readonly uid: number | undefined;
  /** The working folder; undefined when it has been removed. */
  readonly cwd: () => string | undefined;
  /** Time limit of a key command, in milliseconds. */
  readonly keyCommandLimit: number;
  /** Sends a signal to a process group, SIGKILL by default. Throws when the group does not exist. */
  readonly killGroup: (pid: number, signal?: NodeJS.Signals) => void;
}

/** Runtime and platform, such as `Node.js 24.21.0 (linux x64)`. */
export const runtime = `${process.versions['bun'] === undefined ? `Node.js ${process.versions.node}` : `Bun ${process.versions['bun']}`} (${process.platform} ${process.arch})`;

/** The actual machine. */
export const thisMachine: Machine = {
  platform: process.platform,
  uid: process.geteuid?.(),
  cwd: () => attempt(() => process.cwd()),
  keyCommandLimit: 10_000,
  killGroup: (pid, signal = 'SIGKILL') => void process.kill(-pid, signal),
};
