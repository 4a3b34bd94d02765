import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import type { Cluster } from '../../support/postgres/kinds.ts';
import type { ChargeEnd } from '../charger.ts';
import { KILLED } from '../judge.ts';
import type { Decide, Passing } from '../postgres-relay.ts';
import type { Bench } from './bench.ts';
import { charge, PATIENT, type Process } from './machine.ts';
import type { Order } from './worker.ts';

/** One death or pause during a charge. */
export interface Death {
  readonly limits: DatabaseLimits;
  /** Called before the message passes. */
  readonly strike: (message: Passing) => ReturnType<Decide>;
  /** Called for each message on a later connection, of this charge or the next. */
  readonly later: (message: Passing) => void;
  readonly charge: (process: Process, ugwo: string) => Promise<ChargeEnd>;
  /** Resolves when another charge is possible. */
  readonly mended: () => Promise<void>;
  /** Resumes whatever was stopped. */
  readonly over: () => void;
}

/** For a stopped server: each wait ends soon. */
const HASTY: DatabaseLimits = {
  ...PATIENT,
  connect: 1000,
  close: 20,
  answer: 200,
  read: 200,
  lock: 100,
  patience: 1500,
  outcome: 1500,
};

const titleOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** The server's processes for connections over loopback, which only charges use. */
export const backendsOf = (cluster: Cluster): number[] => {
  try {
    return cluster.children().filter((pid) => titleOf(pid).includes(' 127.0.0.1('));
  } catch {
    // The server is down.
    return [];
  }
};

export const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended already.
    }
  }
};

export const answers = async (cluster: Cluster): Promise<void> => {
  while ((await cluster.sql('SELECT').catch(() => undefined)) === undefined) await wait(5);
};

const ordinary = (bench: Bench): Omit<Death, 'strike'> => ({
  limits: PATIENT,
  later: () => undefined,
  charge: (process, ugwo) => charge(process, bench.service.origin, ugwo),
  mended: () => answers(bench.cluster),
  over: () => undefined,
});

const killBackend = (bench: Bench): Death => ({
  ...ordinary(bench),
  strike: () => {
    signal(backendsOf(bench.cluster), 'SIGKILL');
    return undefined;
  },
});

/** Answers on their way still arrive; the server restarts while the client retries. */
const stopServer = (bench: Bench): Death => {
  let again: Promise<void> | undefined;
  return {
    ...ordinary(bench),
    strike: async () => {
      await bench.cluster.stop('immediate');
      again = bench.cluster.start();
      return undefined;
    },
    mended: async () => again,
  };
};

/** Resumes when `isOver` accepts a later message, at the latest when a second charge has begun. */
const freeze =
  (isOver: (message: Passing) => boolean) =>
  (bench: Bench): Death => {
    let frozen: readonly number[] = [];
    let isSecond = false;
    const goOn = (): void => signal(frozen, 'SIGCONT');
    return {
      ...ordinary(bench),
      limits: HASTY,
      strike: () => {
        frozen = backendsOf(bench.cluster);
        signal(frozen, 'SIGSTOP');
        return undefined;
      },
      later: (message) => {
        if (isOver(message) || (isSecond && message.text.includes('\nBEGIN'))) goOn();
      },
      mended: async () => {
        isSecond = true;
      },
      over: goOn,
    };
  };

const killWorker = (bench: Bench): Death => {
  const child = fork(join(import.meta.dirname, 'worker.ts'));
  return {
    ...ordinary(bench),
    strike: () => {
      child.kill('SIGKILL');
      return undefined;
    },
    charge: async ({ url, folder, limits }, ugwo) => {
      const ended = once(child, 'exit').then(() => KILLED);
      await once(child, 'message');
      const order: Order = { url, folder, limits, origin: bench.service.origin, ugwo };
      child.send(order);
      const said = once(child, 'message').then(([end]) => end as ChargeEnd);
      return Promise.race([said, ended]);
    },
    over: () => void child.kill('SIGKILL'),
  };
};

/** The message with ROLLBACK in place of its final COMMIT. */
const rolledBack = (bytes: Buffer): Buffer => {
  const changed = Buffer.concat([bytes.subarray(0, -'COMMIT\0'.length), Buffer.from('ROLLBACK\0')]);
  changed.writeInt32BE(changed.length - 1, 1);
  return changed;
};

/** A middlebox, such as a pool, rolls back the transaction instead of committing it. */
const rollBack = (bench: Bench): Death => ({
  ...ordinary(bench),
  strike: ({ name, text, bytes }) =>
    name === 'Query' && text.endsWith('COMMIT') ? { way: 'replaced', by: rolledBack(bytes) } : undefined,
});

export const DEATHS = {
  'backend killed': killBackend,
  'server stopped': stopServer,
  'backend frozen until the third connection': freeze(({ connection }) => connection === 2),
  'backend frozen until the next charge': freeze(() => false),
  'worker killed': killWorker,
  'commit rolled back': rollBack,
} satisfies Readonly<Record<string, (bench: Bench) => Death>>;

export type DeathKind = keyof typeof DEATHS;
