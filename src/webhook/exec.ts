import { type ChildProcess, spawn } from 'node:child_process';
import { reasonOf } from '../core/error.ts';
import type { Clock, Env } from '../core/io.ts';
import { soon } from '../core/soon.ts';
import { tried } from '../core/tried.ts';
import type { KeptEvent } from './kept.ts';

/** A command that is run for each event. */
export interface Exec {
  /** The program's path, and its arguments. */
  readonly words: readonly string[];
  /** Without any secret. */
  readonly env: Env;
  /** What it prints, on whichever stream. */
  readonly print: (text: string) => Promise<void>;
  readonly say: (text: string) => Promise<void>;
  /** Sends a signal to all of a group; undefined on a system without groups. */
  readonly signalGroup: ((pid: number, name: NodeJS.Signals) => void) | undefined;
}

/** What running it needs of the world. */
export interface ExecWorld {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The first signal, and the second. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

const MINUTE_MS = 60_000;
/** So long a command may take, and so long once all is to end, in milliseconds. */
const [LIMIT_MS, STOP_MS] = [5 * MINUTE_MS, 3000];
/** Between the request to end and the kill. */
const KILL_MS = 2000;

const start = ({ words, env, signalGroup }: Exec): ChildProcess => {
  const [program = '', ...args] = words;
  // It leads a group of its own, so that what it has started ends with it.
  const options = {
    env: env as NodeJS.ProcessEnv,
    shell: false,
    windowsHide: true,
    detached: signalGroup !== undefined,
  };
  return spawn(program, args, { ...options, stdio: 'pipe' });
};

/** Ends a command with all that it has started, or asks it to end. */
const signalTo = (child: ChildProcess, { signalGroup }: Exec, name: NodeJS.Signals): void => {
  const { pid } = child;
  if (pid === undefined || signalGroup === undefined) child.kill(name);
  else tried(() => signalGroup(pid, name));
};

/** Resolves when the command has ended, or is to be ended. */
const patience = async (ended: Promise<unknown>, { clock, stop, leave }: ExecWorld): Promise<void> => {
  const over = new AbortController();
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { signal: over.signal });
    });
  await soon(Promise.race([ended, aborted(stop)]), LIMIT_MS, clock);
  if (stop.aborted) await soon(Promise.race([ended, aborted(leave)]), STOP_MS, clock);
  over.abort();
};

/** Ends the command: by a request, and where it does not heed that by a kill. */
const end = async (child: ChildProcess, ended: Promise<unknown>, exec: Exec, { clock }: ExecWorld): Promise<void> => {
  signalTo(child, exec, 'SIGTERM');
  await soon(ended, KILL_MS, clock);
  signalTo(child, exec, 'SIGKILL');
  // Whoever left its group may still hold them.
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
};

/**
 * Runs the command with the event's body on its standard input, until what it printed is passed on. Ends it where it takes too
 * long, and soon after the first signal. Never rejects.
 */
export const execute = async (exec: Exec, { uid, body }: KeptEvent, world: ExecWorld): Promise<void> => {
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  let child: ChildProcess;
  try {
    child = start(exec);
  } catch (thrown) {
    return await exec.say(`--exec couldn't be started for ${uid}: ${reasonOf(thrown)}`);
  }
  let isOver = false;
  const over = (failed: string | undefined): void => {
    isOver = true;
    resolve(failed);
  };
  child.on('error', (thrown) => over(`couldn't be started for ${uid}: ${reasonOf(thrown)}`));
  child.on('close', (code, signal) => {
    over(code === 0 ? undefined : `failed for ${uid}: ${signal ?? `exit code ${code}`}`);
  });
  let printed = Promise.resolve();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = printed.then(() => exec.print(text));
    });
  }
  // One that reads nothing, or has ended, is no fault.
  child.stdin?.on('error', () => undefined).end(body);
  await patience(ended, world);
  const isLate = !isOver && !world.stop.aborted;
  if (!isOver) await end(child, ended, exec, world);
  const failed = await ended;
  await printed;
  if (isLate) await exec.say(`--exec took longer than ${LIMIT_MS / MINUTE_MS} minutes for ${uid} and was ended`);
  else if (failed !== undefined) await exec.say(`--exec ${failed}`);
};
