import { rmSync } from 'node:fs';
import type { DatabaseLimits } from '../../../src/ledger/postgres/session.ts';
import type { ChargeEnd } from '../charger.ts';
import { ugwoOf } from '../counting.ts';
import { faultsOfStruck, type Row, rowsFrom } from '../judge.ts';
import type { Figure } from '../part.ts';
import { type Decide, openPostgresRelay, type PostgresRelay } from '../postgres-relay.ts';
import type { Bench } from './bench.ts';
import { charge, PATIENT, type Process } from './machine.ts';

/** A charge with a fault, and one after it without. */
export interface Charged {
  /** The fault. */
  readonly name: string;
  readonly ugwo: string;
  readonly first: ChargeEnd;
  /** How many charges had arrived when the first had ended. */
  readonly posts: number;
  readonly second: ChargeEnd;
  /** Whether the second ran on the machine with the first one's local files. */
  readonly sameMachine: boolean;
}

/** A fault of the database's connection, and of the processes at its ends, during one charge. */
export interface Strike {
  readonly limits: DatabaseLimits;
  /** Decides about each message of this charge and of the next. */
  readonly decide: Decide;
  readonly charge: (process: Process, ugwo: string) => Promise<ChargeEnd>;
  /** Resolves when another charge is possible. */
  readonly mended: () => Promise<void>;
  /** Resumes whatever was stopped. */
  readonly over: () => void;
}

/** Nothing strikes. */
export const nothing = (bench: Bench): Strike => ({
  limits: PATIENT,
  decide: () => undefined,
  charge: (process, ugwo) => charge(process, bench.service.origin, ugwo),
  mended: async () => undefined,
  over: () => undefined,
});

let ugwos = 0;

/** Charges through a proxy where it strikes, and again on the same machine or another one. */
export const strikeOnce = async (
  bench: Bench,
  { name, sameMachine }: Pick<Charged, 'name' | 'sameMachine'>,
  strike: Strike,
): Promise<Charged> => {
  const relay = await openPostgresRelay(bench.cluster.port);
  relay.use(strike.decide);
  const ugwo = ugwoOf(ugwos++);
  const process: Process = { url: bench.url(relay.port), folder: bench.newMachine(), limits: strike.limits };
  const folder = sameMachine ? process.folder : bench.newMachine();
  try {
    const first = await strike.charge(process, ugwo);
    const posts = bench.posts(ugwo);
    await strike.mended();
    const second = await charge({ ...process, folder, limits: PATIENT }, bench.service.origin, ugwo);
    return { name, ugwo, first, posts, second, sameMachine };
  } finally {
    strike.over();
    await relay.close();
    for (const used of [process.folder, folder]) rmSync(used, { recursive: true, force: true });
  }
};

/** The conversation of an undisturbed charge with the database. */
export const undisturbed = async (bench: Bench): Promise<Pick<PostgresRelay, 'messages' | 'bytes'>> => {
  const relay = await openPostgresRelay(bench.cluster.port);
  const process = { url: bench.url(relay.port), folder: bench.newMachine(), limits: PATIENT };
  const end = await charge(process, bench.service.origin, ugwoOf(ugwos++));
  await relay.close();
  if (end.kind !== 'accepted') throw new Error(`a charge that nothing befell was ${end.kind}: ${end.message}`);
  return relay;
};

/** The number of charges, and how often each result occurred. */
export const endsOf = (name: string, all: readonly Charged[]): Figure[] => [
  { name: `${name}: charges`, value: all.length },
  ...[...Map.groupBy(all, ({ first }) => first.kind)].map(([kind, some]) => ({
    name: `${name}: ended as ${kind}`,
    value: some.length,
  })),
];

/** The ends of a run whose database fails. */
const ENDS = ['accepted', 'unrecorded', 'ledger', 'killed'];

/** The faults of charges, each of its own payment request, and of the whole history. */
export const faultsAmong = async (bench: Bench, all: readonly Charged[]): Promise<string[]> => {
  const rows = await bench.cluster.sql<Row & { ugwo: string }>(rowsFrom('paycli.charge'), [], bench.database);
  const byUgwo = Map.groupBy(rows, ({ ugwo }) => ugwo);
  const own = all.flatMap(({ name, ugwo, first, posts, second, sameMachine }) => {
    const struck = {
      ...{ ugwo, first, executed: posts, isElsewhere: !sameMachine, rows: byUgwo.get(ugwo) ?? [] },
      second: { end: second, executed: bench.posts(ugwo) },
    };
    return faultsOfStruck(struck, ENDS).map((fault) => `${name}: ${first.kind}: ${fault}`);
  });
  return [...own, ...(await bench.faults())];
};
