import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Processes, Settings } from './kinds.ts';
import type { Server } from './server.ts';

/** Numbers of a process's children (Linux). */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Resolves when a process that is not a child of this one has ended, whether or not its parent has reaped it. */
const ended = async (pid: number): Promise<void> => {
  const state = (): string | undefined => {
    try {
      return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  };
  for (let now = state(); now !== undefined && now !== 'Z'; now = state()) await wait(1);
};

const killed = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
};

/** Control of a running server; `again` restarts it. */
export const processesOf = (first: Server, again: (more: Settings) => Promise<Server>): Processes => {
  let server = first;
  return {
    pid: () => server.pid,
    children: () => childrenOf(server.pid),
    log: () => server.log(),
    stop: async (how = 'fast') => {
      server.kill(SIGNALS[how]);
      server.kill('SIGCONT');
      await server.ended;
    },
    kill: async () => {
      // Once stopped, it starts no more children.
      server.kill('SIGSTOP');
      const children = childrenOf(server.pid).filter(killed);
      server.kill('SIGKILL');
      await Promise.all([server.ended, ...children.map(ended)]);
    },
    start: async (more = {}) => {
      server = await again(more);
    },
    unref: () => server.unref(),
  };
};
