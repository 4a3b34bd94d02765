import { rmSync } from 'node:fs';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import { keptActivity } from '../../../src/ledger/snapshot.ts';
import { type ChargeEnd, chargeAt, endOfError } from '../charger.ts';
import { ugwoOf } from '../counting.ts';
import { type Decide, openPostgresRelay } from '../postgres-relay.ts';
import type { Bench } from './bench.ts';
import { answersAfter, backendsOf, signal } from './death-kinds.ts';
import { asProcess, PATIENT } from './machine.ts';

/** What happens after this many messages of a process's first connection. */
export const FAULTS = ['fin', 'rst', 'stall', 'gone', 'paused', 'frozen', 'killed', 'stopped'] as const;

export interface Fault {
  readonly kind: (typeof FAULTS)[number];
  readonly at: number;
}

/** One process that charges several payment requests at once. */
export interface Task {
  readonly machine: number;
  readonly ugwos: readonly number[];
  readonly fault: Fault | undefined;
}

/** Concurrent processes, and what an operator resolves afterwards. */
export interface Round {
  readonly tasks: readonly Task[];
  readonly resolved: { readonly machine: number; readonly ugwo: number } | undefined;
}

export const MACHINES = 3;
export const UGWOS = 3;

const LIMITS: DatabaseLimits = {
  connect: 1000,
  close: 20,
  answer: 300,
  read: 300,
  glance: 300,
  lock: 100,
  idle: 1000,
  patience: 1500,
  outcome: 1500,
};

/** Held processes are released when no other one can continue. */
const meetingPoint = (count: number) => {
  let [running, waiting] = [count, [] as (() => void)[]];
  const look = (): void => {
    if (waiting.length < running) return;
    for (const go of waiting) go();
    waiting = [];
  };
  return {
    hold: (): Promise<void> =>
      new Promise((go) => {
        waiting.push(go);
        look();
      }),
    left: (): void => {
      running -= 1;
      look();
    },
  };
};
type Meeting = ReturnType<typeof meetingPoint>;

interface Told extends ChargeEnd {
  readonly ugwo: string;
}

let worlds = 0;

/** New payment requests and machines on one server. */
export const openWorld = (bench: Bench) => {
  const { cluster, service } = bench;
  worlds += 1;
  const ugwos = Array.from({ length: UGWOS }, (_, index) => ugwoOf(worlds * UGWOS + index));
  const machines = Array.from({ length: MACHINES }, () => bench.newMachine());
  const ends: Told[] = [];
  const killed: number[] = [];
  let restarting: Promise<void> | undefined;

  const restart = async (): Promise<void> => {
    await cluster.stop('immediate');
    await cluster.start();
    restarting = undefined;
  };
  /** Runs once for concurrent calls. */
  const restartOnce = (): Promise<void> => {
    restarting ??= restart();
    return restarting;
  };

  const striking = ({ kind, at }: Fault, meeting: Meeting, frozen: number[]): Decide => {
    let passed = 0;
    return async ({ connection }) => {
      const isTime = connection === 0 && passed++ === at;
      if (kind === 'gone') return passed > at ? { way: 'rst', after: 0 } : undefined;
      if (connection > 1) signal(frozen.splice(0), 'SIGCONT');
      if (!isTime) return undefined;
      if (kind === 'fin' || kind === 'rst' || kind === 'stall') return { way: kind, after: 2 };
      if (kind === 'paused') await meeting.hold();
      if (kind === 'killed') {
        killed.push(...backendsOf(cluster).slice(-1));
        signal(killed.slice(-1), 'SIGKILL');
      }
      if (kind === 'stopped') await restartOnce();
      if (kind === 'frozen') {
        frozen.push(...backendsOf(cluster).slice(-1));
        signal(frozen, 'SIGSTOP');
      }
      return undefined;
    };
  };

  const run = async ({ machine, ugwos: wanted, fault }: Task, meeting: Meeting): Promise<Told[]> => {
    const relay = await openPostgresRelay(cluster.port);
    const frozen: number[] = [];
    if (fault !== undefined) relay.use(striking(fault, meeting, frozen));
    const where = { url: bench.url(relay.port), folder: machines[machine] ?? '', limits: LIMITS };
    const about = wanted.map((index) => ugwos[index] as string);
    const one = async (ledger: Ledger, ugwo: string): Promise<Told> => {
      const end = await chargeAt(service.origin, ledger, ugwo, { look: undefined, charge: 20_000 });
      return { ...end, ugwo };
    };
    try {
      return await asProcess(where, (ledger) => Promise.all(about.map((ugwo) => one(ledger, ugwo))));
    } catch (thrown) {
      return about.map((ugwo) => ({ ugwo, ...endOfError(thrown) }));
    } finally {
      meeting.left();
      signal(frozen, 'SIGCONT');
      await relay.close();
    }
  };

  /** Resolves unknown charges with the truth. */
  const resolve = async (machine: number, ugwo: string): Promise<void> => {
    const where = { url: bench.url(), folder: machines[machine] ?? '', limits: PATIENT };
    const made = service.made(ugwo)[0];
    const evidence = { kind: 'resolved', at: new Date().toISOString() };
    const resolution =
      made === undefined
        ? { state: 'not_created' as const, evidence }
        : { state: 'accepted' as const, evidence, activity: keptActivity(made, undefined) };
    await asProcess(where, async (ledger) => {
      for (const { id } of await ledger.list({ about: ugwo, states: ['unknown'], limit: -1 })) {
        await ledger.resolve(id, resolution);
      }
    });
  };

  const faultsOf = (ugwo: string): string[] => {
    const own = ends.filter((end) => end.ugwo === ugwo);
    const sent = own.filter(({ kind }) => kind === 'accepted' || kind === 'unrecorded').length;
    const strange = own.filter(
      ({ kind, message }) =>
        !['accepted', 'unrecorded', 'refused', 'ledger'].includes(kind) || /duplicate key/.test(message),
    );
    return [
      ...(bench.posts(ugwo) === sent ? [] : [`${ugwo}: ${bench.posts(ugwo)} came, and ${sent} are said to be sent`]),
      ...strange.map(({ kind, message }) => `${ugwo}: ended as ${kind}: ${message}`),
    ];
  };

  return {
    /** Returns the result of each charge. */
    play: async ({ tasks, resolved }: Round): Promise<readonly ChargeEnd[]> => {
      const meeting = meetingPoint(tasks.length);
      const told = (await Promise.all(tasks.map((task) => run(task, meeting)))).flat();
      ends.push(...told);
      await restarting;
      await answersAfter(killed.splice(0), cluster);
      if (resolved !== undefined) await resolve(resolved.machine, ugwos[resolved.ugwo] as string);
      return told;
    },
    /** The faults of the whole history. */
    faults: async (): Promise<string[]> => {
      for (const machine of machines) rmSync(machine, { recursive: true });
      return [
        ...ugwos.flatMap(faultsOf),
        ...(await bench.faults()).filter((one) => ugwos.some((ugwo) => one.startsWith(ugwo))),
      ];
    },
  };
};
