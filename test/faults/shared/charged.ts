import { rmSync } from 'node:fs';
import type { ChargeEnd } from '../charger.ts';
import { faultsOfStruck, type Row, rowsFrom } from '../judge.ts';
import type { Figure } from '../part.ts';
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

/** The second charge, on the same machine or another one. */
export const chargeAgain = async (
  bench: Bench,
  { url, folder }: Process,
  ugwo: string,
  sameMachine: boolean,
): Promise<ChargeEnd> => {
  const machine = sameMachine ? folder : bench.newMachine();
  const end = await charge({ url, folder: machine, limits: PATIENT }, bench.service.origin, ugwo);
  rmSync(machine, { recursive: true });
  return end;
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
