import type { Ledger } from '../../../src/ledger/ledger.ts';
import { charge, intent } from '../run/ledger-work.ts';
import type { Line } from '../run/line.ts';
import { race } from '../run/race.ts';
import { newTeam, type Team, withCluster } from '../run/team.ts';
import type { Bench } from './scene.ts';

const ROWS_OF_JOB = 10_000;
const [FEW, MANY] = [ROWS_OF_JOB, 10_000_000];
const [ROUNDS, AT_A_TIME, PAGE] = [10, 20, 50];

const RANDOM = 'md5(random()::text || n)';
const FRESH: Readonly<Record<string, string>> = {
  id: `'chg-' || left(${RANDOM}, 12) || n`,
  ugwo: `'ugw.Bnch.' || left(${RANDOM}, 24)`,
  activity: `'act.Bnch.' || left(${RANDOM}, 24)`,
  job: `'job-' || ((n - 1) / ${ROWS_OF_JOB} + 1)`,
  row: `(n - 1) % ${ROWS_OF_JOB} + 1`,
};

/** Copies the one charge that there is; the indexes are made behind it, which is faster. */
const fill = async ({ cluster, database }: Team, count: number): Promise<void> => {
  const sql = (text: string) => cluster.sql<Record<string, string>>(text, [], database);
  const columns = await sql(`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'paycli' AND table_name = 'charge' AND column_name <> 'seq'`);
  const names = columns.map(({ name = '' }) => name);
  const indexes = await sql(`SELECT indexdef AS made, indexname AS name FROM pg_indexes
    WHERE schemaname = 'paycli' AND tablename = 'charge' AND indexname NOT IN ('charge_pkey', 'charge_id_key')`);
  for (const { name } of indexes) await sql(`DROP INDEX paycli.${name}`);
  const quoted = (name: string): string => `"${name}"`;
  await sql(`INSERT INTO paycli.charge (${names.map(quoted).join()})
    SELECT ${names.map((name) => FRESH[name] ?? `c.${quoted(name)}`).join()}
    FROM paycli.charge AS c, generate_series(1, ${count}) AS n`);
  for (const { made = '' } of indexes) await sql(made);
  await sql(`INSERT INTO paycli.job (id, kind, command, name, service, origin, profile, rows, created_at, run_at)
    SELECT 'job-' || n, 'charge', 'ugwo charge', 'rows.csv', 'http://127.0.0.1:1', 'http://127.0.0.1:1', NULL,
      ${ROWS_OF_JOB}, 0, 0 FROM generate_series(1, ${count / ROWS_OF_JOB}) AS n`);
  await sql('VACUUM ANALYZE');
  // What the fill has left to be written would be paid for by whoever comes next.
  await sql('CHECKPOINT');
};

/** A ledger with a page of charges that it has written itself: copies are never read. */
const openWith = async (team: Team, count: number): Promise<Ledger> => {
  const ledger = await team.open();
  await charge(ledger, 1);
  await fill(team, count);
  for (let done = 0; done < PAGE; done += 1) await charge(ledger);
  return ledger;
};

const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  for (let done = 0; done < AT_A_TIME; done += 1) await task();
  return (performance.now() - started) / AT_A_TIME;
};

const compare = (
  name: string,
  few: Ledger,
  many: Ledger,
  task: (ledger: Ledger) => Promise<unknown>,
): Promise<Line[]> =>
  race({
    rounds: ROUNDS,
    warmUp: true,
    contenders: { many: () => timed(() => task(many)), few: () => timed(() => task(few)) },
    comparisons: [
      {
        row: 12,
        name: `shared, ${name}`,
        work: `${name}, ${MANY.toLocaleString('en')} charges in a shared ledger`,
        against: `with ${FEW.toLocaleString('en')}`,
        ratio: ['many', 'few'],
        goal: { bound: '≤', value: 1.2 },
      },
    ],
  });

/** A page of jobs, and how one of them stands. */
const jobs = async ({ jobs: all }: Ledger): Promise<unknown> => {
  const [job] = await all.list({ limit: 20 });
  return job === undefined ? undefined : all.tally(job);
};

/** Row 12: what a shared ledger costs that is very large. It takes many minutes, most of them to fill it. */
export const sharedGrowth: Bench = ({ folder }) =>
  withCluster(async (cluster) => {
    const few = await openWith(await newTeam(cluster, folder), FEW);
    const many = await openWith(await newTeam(cluster, folder), MANY);
    try {
      return [
        ...(await compare('guard and intent', few, many, (ledger) => ledger.begin(intent(), { again: false }))),
        ...(await compare('intent and outcome', few, many, (ledger) => charge(ledger))),
        ...(await compare('a page of the list', few, many, (ledger) => ledger.list({ limit: PAGE }))),
        ...(await compare('a page of jobs', few, many, jobs)),
      ];
    } finally {
      await few.close();
      await many.close();
    }
  });
