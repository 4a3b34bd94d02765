import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChargeEnd } from '../charger.ts';
import type { Order } from './member.ts';

/** The environment of a member, if it differs from this machine: another clock, its own network. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: (file: string, ...args: readonly string[]) => [file: string, ...args: string[]];
}

/** A process that charges (see `Order`). */
export interface Member {
  /** The results of all charges; undefined if it was killed first. */
  charge(order: Order): Promise<readonly ChargeEnd[] | undefined>;
  /** SIGSTOP; resolves when the process has stopped. */
  stop(): Promise<void>;
  /** The same after this many milliseconds, wherever it is then. */
  stopAfter(ms: number): Promise<void>;
  /** Resolves when the process has stopped itself. */
  stopped(): Promise<void>;
  /** SIGCONT. */
  goOn(): void;
  /** SIGKILL. */
  kill(): void;
}

const LOOK_EVERY_MS = 5;
const STOPS_WITHIN_MS = 60_000;

const isStopped = (pid: number): boolean => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ');

/** Polls a condition; throws at the time limit. */
export const until = async (
  isSo: () => boolean | Promise<boolean>,
  what: string,
  limit = STOPS_WITHIN_MS,
): Promise<void> => {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > limit) throw new Error(`${what} did not come about in ${limit / 1000} s`);
    await wait(LOOK_EVERY_MS);
  }
};

const tell = async (child: ChildProcess, order: Order): Promise<readonly ChargeEnd[] | undefined> => {
  const over = new AbortController();
  const listening = { signal: over.signal };
  const said = once(child, 'message', listening).then(([ends]) => ends as readonly ChargeEnd[]);
  const ended = once(child, 'exit', listening).then(() => undefined);
  child.send(order);
  try {
    return await Promise.race([said, ended]);
  } finally {
    over.abort();
    await Promise.allSettled([said, ended]);
  }
};

/** Starts a process of a team. The caller kills it. */
export const startMember = async ({ env, command = (...words) => words }: Surroundings = {}): Promise<Member> => {
  const [file, ...args] = command(process.execPath, join(import.meta.dirname, 'member.ts'));
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  const { pid = 0 } = child;
  const stopped = (): Promise<void> => until(() => isStopped(pid), 'that a process stands still');
  const stop = (): Promise<void> => {
    child.kill('SIGSTOP');
    return stopped();
  };
  return {
    charge: (order) => tell(child, order),
    stop,
    stopAfter: (ms) => wait(ms).then(stop),
    stopped,
    goOn: () => void child.kill('SIGCONT'),
    kill: () => void child.kill('SIGKILL'),
  };
};
