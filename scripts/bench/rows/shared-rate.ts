import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/sqlite/open.ts';
import { openPostgresRelay, type PostgresRelay } from '../../../test/faults/postgres-relay.ts';
import { ledgerOptions } from '../../../test/support/ledger.ts';
import { foldersGoTo } from '../../../test/support/memory.ts';
import type { Cluster } from '../../../test/support/postgres/kinds.ts';
import { writeRows } from '../run/charge-file.ts';
import { charge } from '../run/ledger-work.ts';
import type { Line } from '../run/line.ts';
import { environment, NPM_BUILD, newHome } from '../run/programs.ts';
import { type Comparison, type Contender, race } from '../run/race.ts';
import { during, startCharges } from '../run/services.ts';
import { newTeam, withCluster } from '../run/team.ts';
import { chargeFile } from './bulk-rate.ts';
import type { Bench } from './scene.ts';

const [ROWS, CHARGES, ROUNDS] = [2000, 320, 3];
const ROWS_TEXT = ROWS.toLocaleString('en');
const SERVICE_MS = 100;
const WORKERS = [1, 8, 16];
const EACH_WAY_MS = 10;
const PLACES = ['loopback', `${2 * EACH_WAY_MS} ms away`] as const;

const rate = (count: number) => ({ name: '/s', of: (ms: number) => (count / ms) * 1000 });

const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await task();
  return performance.now() - started;
};

/** Charges one after the other over each ledger, all ledgers at once. */
const chargeAll = (ledgers: readonly Ledger[]): Promise<number> =>
  timed(() =>
    Promise.all(
      ledgers.map(async (ledger) => {
        for (let done = 0; done < CHARGES / ledgers.length; done += 1) await charge(ledger);
      }),
    ),
  );

const overFile = async (folder: string): Promise<number> => {
  const path = join(mkdtempSync(join(folder, 'ledger-')), 'ledger.sqlite');
  const ledger = await openLedger(ledgerOptions(path));
  return chargeAll([ledger]).finally(ledger.close);
};

const overTeam = async (cluster: Cluster, folder: string, workers: number, port?: number): Promise<number> => {
  const team = await newTeam(cluster, folder);
  const ledgers = await Promise.all(Array.from({ length: workers }, () => team.open(port)));
  return chargeAll(ledgers).finally(() => Promise.all(ledgers.map((ledger) => ledger.close())));
};

interface Surroundings {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly relay: PostgresRelay;
}

const portOf = ({ relay }: Surroundings, place: string): number | undefined =>
  place === PLACES[0] ? undefined : relay.port;

/** Every contender of one kind of work, by its name. */
const contendersOf = (
  all: Surroundings,
  own: () => Promise<number>,
  shared: (workers: number, port?: number) => Promise<number>,
): Record<string, Contender> => {
  const names = PLACES.flatMap((place) =>
    WORKERS.map((workers): [string, Contender] => [
      `${workers} ${workers === 1 ? 'worker' : 'workers'}, ${place}`,
      () => shared(workers, portOf(all, place)),
    ]),
  );
  return { 'SQLite, 1 worker': own, ...Object.fromEntries(names) };
};

const raceAll = (name: string, work: string, count: number, contenders: Record<string, Contender>): Promise<Line[]> =>
  race({
    rounds: ROUNDS,
    warmUp: false,
    contenders,
    comparisons: Object.keys(contenders)
      .filter((contender) => !contender.startsWith('SQLite'))
      .map((contender) => ({
        row: 11,
        name: `${name}, ${contender}`,
        work: `${work}, ${contender}`,
        against: "this machine's own ledger, 1 worker: as many times its rate",
        ratio: ['SQLite, 1 worker', contender] as const,
        unit: rate(count),
      })),
  });

/** Runs the built program to its good end. */
const finish = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> => {
  const [file, ...first] = NPM_BUILD;
  const child = spawn(file, [...first, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
};

/** Runs workers that charge one file at a service. */
const startWorkers = ({ cluster, folder }: Surroundings, origin: string) => {
  const file = join(folder, 'rows.csv');
  writeRows(file, ROWS);
  const run = (workers: number, env: Readonly<Record<string, string>>): Promise<number> =>
    timed(() =>
      Promise.all(
        Array.from({ length: workers }, () => {
          const own = { ...environment(folder, newHome(folder)), PAYCLI_BASE_URL: origin, ...env };
          return finish(chargeFile(file, '--no-preflight'), own);
        }),
      ),
    );
  return {
    own: (workers: number): Promise<number> => run(workers, { PAYCLI_HOME: newHome(folder) }),
    shared: async (workers: number, port?: number): Promise<number> =>
      run(workers, { PAYCLI_LEDGER: (await newTeam(cluster, folder)).url(port) }),
  };
};

const files = (all: Surroundings, origin: string): Promise<Line[]> => {
  const { own, shared } = startWorkers(all, origin);
  const contenders = contendersOf(all, () => own(1), shared);
  return raceAll('rows', `a file of ${ROWS_TEXT} charges over a shared ledger`, ROWS, contenders);
};

/** One worker on a file beside several, at a service that answers like one far away. */
const severalWorkers = (all: Surroundings, origin: string): Promise<Line[]> => {
  const { own, shared } = startWorkers(all, origin);
  const besideOne = (ledger: string): Comparison => ({
    row: 16,
    name: `8 workers, ${ledger}`,
    work: `a file of ${ROWS_TEXT} charges by 8 workers, ${ledger}, a service of ${SERVICE_MS} ms`,
    against: 'by one: as many times its rate',
    ratio: [`1 worker, ${ledger}`, `8 workers, ${ledger}`],
    unit: rate(ROWS),
    goal: { bound: '≥', value: 0.9 },
  });
  return race({
    rounds: ROUNDS,
    warmUp: false,
    contenders: {
      '1 worker, a ledger file': () => own(1),
      '8 workers, a ledger file': () => own(8),
      '1 worker, PostgreSQL': () => shared(1),
      '8 workers, PostgreSQL': () => shared(8),
    },
    comparisons: [besideOne('a ledger file'), besideOne('PostgreSQL')],
  });
};

/** Messages of a client that it waits for, of the connection, the first words, an intent and an outcome. */
const roundTrips = async ({ cluster, folder }: Surroundings): Promise<Line> => {
  const relay = await openPostgresRelay(cluster.port);
  try {
    const ledger = await (await newTeam(cluster, folder)).open(relay.port);
    const asked = (): number => relay.messages.filter(({ side }) => side === 'request').length;
    const greeted = asked();
    await charge(ledger);
    const all = asked();
    await ledger.close();
    const seen = { 'connection and first words': greeted, 'intent and outcome': all - greeted };
    const work = 'one charge over a shared ledger, its process included';
    return { row: 11, name: 'round trips', work, against: '', value: all, unit: 'round trips', seen, seenIn: '' };
  } finally {
    await relay.close();
  }
};

const withSurroundings = (measure: (all: Surroundings) => Promise<Line[]>): Promise<Line[]> =>
  withCluster(async (cluster) => {
    const folder = mkdtempSync(join(foldersGoTo(), 'paycli-bench-'));
    const relay = await openPostgresRelay(cluster.port);
    relay.delay(EACH_WAY_MS);
    try {
      return await measure({ cluster, folder, relay });
    } finally {
      await relay.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

/** Row 11: a ledger in PostgreSQL beside this machine's own, both in memory; the delay is a relay's. */
export const sharedRate: Bench = () =>
  withSurroundings(async (all) => {
    const { cluster, folder } = all;
    const own = () => overFile(folder);
    const shared = (workers: number, port?: number) => overTeam(cluster, folder, workers, port);
    const contenders = contendersOf(all, own, shared);
    const alone = await raceAll('charges', 'intent and outcome of charges, one at a time', CHARGES, contenders);
    const rows = await during(startCharges(), (origin) => files(all, origin));
    return [...alone, ...rows, await roundTrips(all)];
  });

/** Row 16: one worker on a file beside several. */
export const workersRate: Bench = () =>
  withSurroundings((all) => during(startCharges(String(SERVICE_MS)), (origin) => severalWorkers(all, origin)));
