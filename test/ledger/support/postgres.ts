import { onTestFinished } from 'vitest';
import { memo } from '../../../src/core/async.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import type { SharedLedgerOptions } from '../../../src/ledger/postgres/backend.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { parseAddress } from '../../../src/ledger/postgres/url.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { sharedCluster } from '../../support/postgres.ts';
import { newFolder } from '../../support/program.ts';
import { worldAtNoon } from './charges.ts';

/** A ledger in its own database for several processes and machines. */
export interface SharedPlace {
  /** The database's address; its ledger exists by then. */
  readonly url: () => Promise<string>;
  /** Opens the ledger at noon; `folder` is the machine. */
  readonly open: (some?: Partial<SharedLedgerOptions>) => Promise<Ledger>;
  /** Runs SQL on its database as a superuser. */
  readonly sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** The machine's folder. */
  readonly folder: string;
}

/** The template database with an empty ledger. */
const emptyLedger = memo(async () => {
  const cluster = await sharedCluster();
  const database = await cluster.createDatabase();
  await initLedger({ address: parseAddress(cluster.url(database)), password: async () => undefined }, []);
  return database;
});

/** Opens the ledger at an address, at noon; closed after the test. */
export const openShared = async (
  url: string,
  folder: string,
  some: Partial<SharedLedgerOptions> = {},
  opening = openSharedLedger,
): Promise<Ledger> => {
  const { path: _path, ...options } = ledgerOptions('', { ...worldAtNoon, ...some });
  const access = { address: parseAddress(url), password: async () => undefined };
  const clockSql = (): string => `${options.now()}::bigint`;
  const ledger = await opening({
    ...options,
    access,
    folder,
    worker: `ada@laptop ${options.self.pid}`,
    clockSql,
    slack: 0,
    ...some,
  });
  onTestFinished(() => ledger.close().catch(() => undefined));
  return ledger;
};

export const newSharedPlace = (): SharedPlace => {
  const folder = newFolder('shared');
  const url = memo(async () => {
    const cluster = await sharedCluster();
    return cluster.url(await cluster.createDatabase(await emptyLedger()));
  });
  const open: SharedPlace['open'] = async (some = {}) => openShared(await url(), folder, some);
  const sql = async (text: string) => (await sharedCluster()).sql(text, [], new URL(await url()).pathname.slice(1));
  return { url, open, sql, folder };
};
