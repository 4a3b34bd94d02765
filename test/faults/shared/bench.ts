import { mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { startCluster } from '../../support/postgres/cluster.ts';
import type { Cluster, ClusterOptions } from '../../support/postgres/kinds.ts';
import { type Post as Came, type Counting, type Fate, MADE, serveCounting } from '../counting.ts';
import { type Change, faultsIn, type Post, WATCHED_SETTINGS, watchLedger } from './history.ts';

const CA_FILE = resolve('test/fixtures/tls/ca.pem');

/** A watched shared ledger in a PostgreSQL of its own, and a counting service. */
export interface Bench {
  readonly cluster: Cluster;
  readonly service: Counting;
  readonly database: string;
  /** The ledger's address, optionally through a proxy's port. */
  url(port?: number): string;
  /** The folder of a machine without charges. */
  newMachine(): string;
  /** How many charges of a payment request the service has received. */
  posts(ugwo: string): number;
  changes(): Promise<Change[]>;
  /** The faults of the whole history. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts everything; `decide` determines the fate of each charge. The caller closes it. */
export const openBench = async (
  folder: string,
  options: ClusterOptions = {},
  decide: (post: Came) => Fate = () => MADE,
): Promise<Bench> => {
  const settings = { ...WATCHED_SETTINGS, ...options.settings };
  const cluster = await startCluster({ ...options, settings });
  const database = await cluster.createDatabase();
  const secure = options.tls === undefined ? '' : `?sslrootcert=${encodeURIComponent(CA_FILE)}`;
  const url = (port?: number): string => `${cluster.url(database, port === undefined ? {} : { port })}${secure}`;
  await initLedger({ address: parseAddress(url()), password: async () => undefined }, []);
  const { changes } = await watchLedger(cluster, database);
  const posts: Post[] = [];
  const counts = new Map<string, number>();
  const service = await serveCounting((post) => {
    posts.push({ about: post.ugwo, at: Date.now() });
    counts.set(post.ugwo, post.nth);
    return decide(post);
  });
  return {
    ...{ cluster, service, database, url, changes },
    newMachine: () => mkdtempSync(join(folder, 'machine-')),
    posts: (ugwo) => counts.get(ugwo) ?? 0,
    faults: async () => faultsIn(await changes(), posts),
    close: async () => {
      service.close();
      await cluster.remove();
    },
  };
};
