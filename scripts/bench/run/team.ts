import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { openOn } from '../../../test/faults/shared/on-machine.ts';
import { startCluster } from '../../../test/support/postgres/cluster.ts';
import type { Cluster } from '../../../test/support/postgres/kinds.ts';

/** A database with an empty ledger. */
export interface Team {
  readonly cluster: Cluster;
  readonly database: string;
  /** The ledger's address, by the port of a relay where one is given. */
  url(port?: number): string;
  /** The ledger as a process of another machine opens it. */
  open(port?: number): Promise<Ledger>;
}

let machines = 0;

/** Makes another ledger in a cluster. */
export const newTeam = async (cluster: Cluster, folder: string): Promise<Team> => {
  const database = await cluster.createDatabase();
  const url = (port?: number): string => cluster.url(database, port === undefined ? {} : { port });
  await initLedger({ address: parseAddress(url()), password: async () => undefined }, []);
  const open = (port?: number): Promise<Ledger> => {
    machines += 1;
    return openOn({ url: url(port), machine: `machine-${machines}`, folder: mkdtempSync(join(folder, 'machine-')) });
  };
  return { cluster, database, url, open };
};

/** A cluster for as long as a task takes. */
export const withCluster = async <T>(task: (cluster: Cluster) => Promise<T>): Promise<T> => {
  const cluster = await startCluster();
  try {
    return await task(cluster);
  } finally {
    await cluster.remove();
  }
};
