import { currentVersion } from '../../src/database/connect.ts';
import { SHARED_LEDGER } from '../../src/ledger/postgres/schema.ts';
import { inProcess } from '../support/in-process.ts';
import type { Cluster } from '../support/postgres/kinds.ts';
import { sharedCluster } from '../support/postgres.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { newFolder } from '../support/program.ts';
import type { Scene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';

/** The schema version of this program's ledgers. */
export const SCHEMA = currentVersion(SHARED_LEDGER);

/** A database with a ledger, and its users. */
export interface Team {
  readonly cluster: Cluster;
  readonly database: string;
  readonly url: string;
  /** A new machine of the team; `user` is its database role. */
  machine(service?: Service, user?: string): Pick<Scene, 'env'> & { readonly home: string; readonly service?: Service };
}

export const newTeam = async (cluster?: Cluster, ...operators: readonly string[]): Promise<Team> => {
  const at = cluster ?? (await sharedCluster());
  const database = await at.createDatabase();
  const url = at.url(database);
  const machine: Team['machine'] = (service, user) => ({
    home: newFolder(),
    env: { PAYCLI_LEDGER: user === undefined ? url : at.url(database, { user }) },
    ...(service === undefined ? {} : { service }),
  });
  const made = await inProcess(['ledger', 'init', ...operators.flatMap((role) => ['--operator', role])], machine());
  if (made.code !== 0) throw new Error(made.stderr);
  return { cluster: at, database, url, machine };
};

/** The arguments of a charge by USSD without a preflight, so that only the ledger can refuse. */
export const byUssd = (ugwo: string, ...more: readonly string[]): string[] => [
  ...['ugwo', 'charge', ugwo, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight', '--json'],
  ...more,
];

export const chargeOf = (ugwo: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(byUssd(ugwo, ...more), options);

/** The charges of a ledger, newest first. */
export const listOf = async (options: RunOptions): Promise<Readonly<Record<string, unknown>>[]> => {
  const { stdout, stderr } = await inProcess(['ledger', 'list', '--json'], options);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { data: Record<string, unknown>[] }).data;
};
