import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChargeEnd } from '../charger.ts';
import { ugwoOf } from '../counting.ts';
import { hasItsExit } from '../judge.ts';
import type { Part } from '../part.ts';
import { type Decide, openPostgresRelay } from '../postgres-relay.ts';
import { type Bench, openBench } from './bench.ts';
import { charge, PATIENT, type Process } from './machine.ts';

/**
 * The order in which two processes charge one payment request: the first one's request of that number continues when
 * the second one's has arrived, the second one's when the first one's was answered or waits for a lock, and the first
 * one's next when the second process has ended.
 */
interface Order {
  readonly first: number;
  readonly second: number;
}

/**
 * A blocking process stays: the other gives up what it has not sent. What it has sent it records when the server has
 * ended the blocking transaction.
 */
const LIMITS = { ...PATIENT, close: 100, lock: 600, idle: 2000, patience: 400, outcome: 10_000 };

/**
 * A charge's requests: connection, start-up, the check behind the lock, the intent; the last two again for the
 * outcome.
 */
const REQUESTS = [0, 1, 2, 3, 4, 5];
/** From the check to the outcome's check. */
const SHORT = [2, 3, 4];

/** Resolves when a process waits for a lock, or at `isOver`. */
const waited = async ({ cluster }: Bench, isOver: () => boolean): Promise<void> => {
  while (!isOver() && (await cluster.sql('SELECT FROM pg_locks WHERE NOT granted')).length === 0) await wait(1);
};

/** Counts the requests, and reports when one was answered. */
const counting = (each: (request: number) => Promise<void>, answered: () => void): Decide => {
  let requests = 0;
  return async ({ side, name }) => {
    if (side === 'request') await each(requests++);
    else if (name === 'ReadyForQuery') answered();
    return undefined;
  };
};

type Turn = PromiseWithResolvers<void>;

let ugwos = 0;

const run = async (bench: Bench, order: Order): Promise<string[]> => {
  const ugwo = ugwoOf(ugwos++);
  const relays = await Promise.all([openPostgresRelay(bench.cluster.port), openPostgresRelay(bench.cluster.port)]);
  const [came, reached, ended] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Turn, Turn, Turn];
  let isDone = false;
  let looked: Promise<void> | undefined;
  const [one, other] = relays.map(
    ({ port }): Process => ({ url: bench.url(port), folder: bench.newMachine(), limits: LIMITS }),
  ) as [Process, Process];
  relays[0].use(
    counting(
      async (request) => {
        if (request > order.first) await ended.promise;
        if (request !== order.first) return;
        await came.promise;
        looked = waited(bench, () => isDone).then(reached.resolve);
      },
      () => {
        isDone = relays[0].messages.filter(({ side }) => side === 'request').length > order.first;
      },
    ),
  );
  relays[1].use(
    counting(
      async (request) => {
        if (request !== order.second) return;
        came.resolve();
        await reached.promise;
      },
      () => undefined,
    ),
  );
  const charged = (process: Process): Promise<ChargeEnd> => charge(process, bench.service.origin, ugwo);
  const ends = await Promise.all([
    charged(one).finally(() => {
      isDone = true;
      reached.resolve();
    }),
    charged(other).finally(() => {
      came.resolve();
      ended.resolve();
    }),
  ]);
  // A look at a server that has ended would fail.
  await looked;
  for (const relay of relays) await relay.close();
  for (const { folder } of [one, other]) rmSync(folder, { recursive: true });
  return faultsOf(ends, bench.posts(ugwo)).map(
    (fault) => `the second's ${order.second} after the first's ${order.first}: ${fault}`,
  );
};

const ENDS = ['accepted', 'refused', 'ledger'];

const faultsOf = (ends: readonly ChargeEnd[], posts: number): string[] => {
  const told = ends.map(({ kind, message }) => `${kind} ${message}`).join(', ');
  const accepted = ends.filter(({ kind }) => kind === 'accepted').length;
  const known = ends.every((end) => ENDS.includes(end.kind) && hasItsExit(end));
  return posts === accepted && posts <= 1 && known ? [] : [`${posts} came, of ${told}`];
};

/** Two processes charge one payment request, in each order of their database requests. */
export const orders: Part = async ({ short, folder }) => {
  const bench = await openBench(folder);
  try {
    const requests = short ? SHORT : REQUESTS;
    const all = requests.flatMap((first) => requests.map((second) => ({ first, second })));
    const faults: string[] = [];
    for (const order of all) faults.push(...(await run(bench, order)));
    return {
      figures: [{ name: 'orders of two charges', value: all.length }],
      failures: [...faults, ...(await bench.faults())],
    };
  } finally {
    await bench.close();
  }
};
