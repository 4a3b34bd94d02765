import { rmSync } from 'node:fs';
import type { ChargeEnd } from '../charger.ts';
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

interface Row {
  readonly id: string;
  readonly ugwo: string;
  readonly state: string;
}

const check = (isSo: boolean, fault: string): string[] => (isSo ? [] : [fault]);

/** Certain for a charge that was sent: it is in the ledger and blocks from then on. */
const faultsOfSent = ({ first, posts, second }: Charged, row: Row, states: readonly string[]): string[] => [
  ...check(posts === 1, `${posts} had come`),
  ...check(row.id === first.id && states.includes(row.state), `the ledger says ${row.id} ${row.state}`),
  ...check(second.kind === 'refused', `the second was ${second.kind}: ${second.message}`),
];

/** For a charge that was not sent: there is no intent, or it blocks until it is resolved. */
const faultsOfUnsent = ({ first, posts, second }: Charged, row: Row): string[] => {
  const refused = second.kind === 'refused' && ['sending', 'unknown'].includes(row.state);
  const made = second.kind === 'accepted' && row.id === second.id && row.state === 'accepted';
  return [
    ...check(posts === 0, `${posts} had come`),
    // A process never blocks itself.
    ...check(!/duplicate key/.test(first.message), `it met its own intent: ${first.message}`),
    ...check(refused || made, `the second was ${second.kind} (${second.message}), the ledger says ${row.state}`),
  ];
};

/** For a killed process only the service knows whether it had sent. */
const faultsOfKilled = (charged: Charged, row: Row): string[] => {
  const { posts, second } = charged;
  if (posts === 0) return faultsOfUnsent(charged, row);
  return [
    ...check(posts === 1, `${posts} had come`),
    ...check(second.kind === 'refused', `the second was ${second.kind}: ${second.message}`),
  ];
};

export const KILLED: ChargeEnd = { kind: 'killed', exitCode: -1, id: undefined, message: '' };

const EXITS: Readonly<Record<string, number>> = { accepted: 0, unrecorded: 7, ledger: 10, killed: -1 };

const faultsOf = (charged: Charged, rows: readonly Row[], came: number): string[] => {
  const { first, second, sameMachine } = charged;
  const [row] = rows;
  if (row === undefined || rows.length > 1) return [`it has ${rows.length} rows, the second was ${second.kind}`];
  const told =
    {
      accepted: () => faultsOfSent(charged, row, ['accepted']),
      unrecorded: () => faultsOfSent(charged, row, sameMachine ? ['accepted'] : ['sending', 'accepted']),
      ledger: () => faultsOfUnsent(charged, row),
      killed: () => faultsOfKilled(charged, row),
    }[first.kind] ?? (() => [`it ended as ${first.kind}`]);
  return [
    ...told(),
    ...check(first.exitCode === EXITS[first.kind], `exit code ${first.exitCode}`),
    ...check(came <= 1, `${came} came in all`),
  ];
};

/**
 * The faults of charges, each of its own payment request: the service got at most one, none without a committed
 * intent, the process's result agrees with the ledger, and a second charge was created only if the first was not.
 * Includes the faults of the whole history.
 */
export const faultsAmong = async (bench: Bench, all: readonly Charged[]): Promise<string[]> => {
  const rows = await bench.cluster.sql<{ id: string; ugwo: string; state: string }>(
    'SELECT id, ugwo, state FROM paycli.charge',
    [],
    bench.database,
  );
  const byUgwo = Map.groupBy(rows, ({ ugwo }) => ugwo);
  const own = all.flatMap((charged) =>
    faultsOf(charged, byUgwo.get(charged.ugwo) ?? [], bench.posts(charged.ugwo)).map(
      (fault) => `${charged.name}: ${charged.first.kind}: ${fault}`,
    ),
  );
  return [...own, ...(await bench.faults())];
};
