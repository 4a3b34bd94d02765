import process from 'node:process';
import { attempt } from '../core/async.ts';

/** What this room needs to know of the machine and the process that it runs in; tests pass their own. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The user that this process acts as; undefined where there are no such numbers. */
  readonly uid: number | undefined;
  /** The working folder; undefined when it has been removed. */
  readonly cwd: () => string | undefined;
  /** How long a key command may take, in milliseconds. */
  readonly keyCommandLimit: number;
  /** Ends a program, or asks it to end, with all others of the group that it leads. Throws where there is none. */
  readonly killGroup: (pid: number, signal?: NodeJS.Signals) => void;
}

/** What the program runs on: `Node.js 24.21.0 (linux x64)`. */
export const runtime = `${process.versions['bun'] === undefined ? `Node.js ${process.versions.node}` : `Bun ${process.versions['bun']}`} (${process.platform} ${process.arch})`;

/** The real one. */
export const thisMachine: Machine = {
  platform: process.platform,
  uid: process.geteuid?.(),
  cwd: () => attempt(() => process.cwd()),
  keyCommandLimit: 10_000,
  killGroup: (pid, signal = 'SIGKILL') => void process.kill(-pid, signal),
};
