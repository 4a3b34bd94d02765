import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { startCluster } from '../../support/postgres/cluster.ts';
import type { Cluster } from '../../support/postgres/kinds.ts';
import { type Standby, startStandby } from '../../support/postgres/standby.ts';
import { type Counting, serveCounting, ugwoOf } from '../counting.ts';
import { openPostgresRelay } from '../postgres-relay.ts';
import type { Machine, machineAt } from './failover-machine.ts';

/** A primary and a standby behind one address, two machines that charge there, and a counting service. */
export interface FailoverBench {
  readonly primary: Cluster;
  readonly standby: Standby;
  readonly service: Counting;
  readonly database: string;
  readonly machines: readonly [Machine, Machine];
  /** Another machine without charges. */
  newMachine(): Machine;
  /** Stops the replication to the standby, without notice to either server. */
  stall(): void;
  /** Kills the primary, promotes the standby, and redirects the address. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

export interface FailoverOptions {
  readonly synchronous: boolean;
  /** A folder of its own. */
  readonly folder: string;
  /** The ledger under test, possibly sabotaged. */
  readonly machineAt: typeof machineAt;
}

/** Starts everything. The caller closes it. */
export const openFailover = async (options: FailoverOptions): Promise<FailoverBench> => {
  const { synchronous, folder, machineAt } = options;
  // Hides the warning of a commit that no standby has, unless the ledger asks for it.
  const primary = await startCluster({ settings: { client_min_messages: 'error' } });
  const link = await openPostgresRelay(primary.port);
  const standby = await startStandby(primary, { synchronous, through: link.port });
  const front = await openPostgresRelay(primary.port);
  const service = await serveCounting();
  const database = await primary.createDatabase();
  await initLedger({ address: parseAddress(primary.url(database)), password: async () => undefined }, []);
  const opened: Machine[] = [];
  const newMachine = (): Machine => {
    const own = mkdtempSync(join(folder, 'machine-'));
    const machine = machineAt(primary.url(database, { port: front.port }), own, service.origin);
    opened.push(machine);
    return machine;
  };
  return {
    ...{ primary, standby, service, database, newMachine },
    machines: [newMachine(), newMachine()],
    stall: () => link.use(() => ({ way: 'stall', after: 0 })),
    failOver: async () => {
      await primary.stop('immediate');
      await standby.promote();
      front.lead(standby.port);
    },
    close: async () => {
      for (const machine of opened) await machine.restart().catch(() => undefined);
      service.close();
      await Promise.all([front.close(), link.close()]);
      await Promise.all([primary.remove(), standby.remove()]);
    },
  };
};

/** This many payment requests without charges. */
export const ugwosFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => ugwoOf(first + index));

/** The number of commits that wait for the standby. */
export const waitingCommits = async ({ primary }: FailoverBench): Promise<number> =>
  (await primary.sql("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length;

/** Resolves when the condition is true. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await wait(5);
};
