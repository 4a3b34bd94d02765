import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import type { Cluster } from '../../support/postgres/kinds.ts';
import { KILLED } from '../judge.ts';
import type { Decide, Passing } from '../postgres-relay.ts';
import { startMember } from '../team.ts';
import type { Bench } from './bench.ts';
import { nothing, type Strike } from './charged.ts';
import { PATIENT } from './machine.ts';

/** One death or pause during a charge. */
export interface Death extends Omit<Strike, 'decide'> {
  /** Called before the message passes. */
  readonly strike: (message: Passing) => ReturnType<Decide>;
  /** Called for each message on a later connection, of this charge or the next. */
  readonly later: (message: Passing) => void;
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

const answers = async (cluster: Cluster): Promise<void> => {
  while ((await cluster.sql('SELECT').catch(() => undefined)) === undefined) await wait(5);
};

/** Resolves once the server has noticed the death of these backends and answers again. Before, it answers, too. */
export const answersAfter = async (killed: readonly number[], cluster: Cluster): Promise<void> => {
  while (cluster.children().some((pid) => killed.includes(pid))) await wait(1);
  await answers(cluster);
};

const ordinary = (bench: Bench): Omit<Death, 'strike'> => ({
  ...nothing(bench),
  later: () => undefined,
  mended: () => answers(bench.cluster),
});

const killBackend = (bench: Bench): Death => {
  const { cluster } = bench;
  let killed: readonly number[] = [];
  return {
    ...ordinary(bench),
    strike: () => {
      killed = backendsOf(cluster);
      signal(killed, 'SIGKILL');
      return undefined;
    },
    mended: () => answersAfter(killed, cluster),
  };
};

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

const killMember = (bench: Bench): Death => {
  const started = startMember();
  const kill = async (): Promise<undefined> => void (await started).kill();
  return {
    ...ordinary(bench),
    strike: kill,
    charge: async ({ url, folder, limits: waits }, ugwo) => {
      const where = { url, folder, machine: folder, waits, origin: bench.service.origin };
      const limits = { look: undefined, charge: 20_000 };
      const [end] = (await (await started).charge({ ...where, ugwos: [ugwo], limits })) ?? [];
      return end ?? KILLED;
    },
    over: () => void kill(),
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
  'worker killed': killMember,
  'commit rolled back': rollBack,
} satisfies Readonly<Record<string, (bench: Bench) => Death>>;

export type DeathKind = keyof typeof DEATHS;
