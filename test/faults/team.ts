import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fromNpm } from '../../scripts/from-npm.ts';
import { bunHere } from '../../scripts/pinned.ts';
import { CA_FILE } from '../support/tls.ts';
import type { ChargeEnd } from './charger.ts';
import type { Opening, Order } from './member.ts';

/** What differs from this process: another program, another clock, its own network. */
export interface Surroundings {
  readonly runtime?: 'node' | 'bun';
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: (file: string, ...args: readonly string[]) => [file: string, ...args: string[]];
}

/** A process that charges (see `Order`). */
export interface Member {
  /** The results of all charges; undefined if it was killed first. */
  charge(order: Order): Promise<readonly ChargeEnd[] | undefined>;
  /** The same for a charge that is only begun. */
  begin(order: Opening): Promise<readonly ChargeEnd[] | undefined>;
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

const tell = async (child: ChildProcess, order: Order | Opening): Promise<readonly ChargeEnd[] | undefined> => {
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

/** Starts a process that charges through the real client and ledger. The caller kills it. */
export const startMember = async (how: Surroundings = {}): Promise<Member> => {
  const { runtime = 'node', env: more, command = (...words) => words } = how;
  const program = runtime === 'node' ? process.execPath : await fromNpm(bunHere());
  const [file, ...args] = command(program, join(import.meta.dirname, 'member.ts'));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: CA_FILE, ...more };
  const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  const { pid = 0 } = child;
  const stopped = (): Promise<void> => until(() => isStopped(pid), 'that a process stands still');
  const stop = (): Promise<void> => {
    child.kill('SIGSTOP');
    return stopped();
  };
  return {
    charge: (order) => tell(child, order),
    begin: (order) => tell(child, order),
    stop,
    stopAfter: (ms) => wait(ms).then(stop),
    stopped,
    goOn: () => void child.kill('SIGCONT'),
    kill: () => void child.kill('SIGKILL'),
  };
};
