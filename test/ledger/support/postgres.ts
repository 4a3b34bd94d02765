import { onTestFinished } from 'vitest';
import { memo } from '../../../src/core/async.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import type { SharedLedgerOptions } from '../../../src/ledger/postgres/backend.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { addressOf } from '../../../src/ledger/postgres/url.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { sharedCluster } from '../../support/postgres.ts';
import { newFolder } from '../../support/program.ts';
import { worldAtNoon } from './charges.ts';

/** A ledger in a database of its own, to be opened by several processes and machines. */
export interface SharedPlace {
  /** The address of the database, whose ledger is made by then. */
  readonly url: () => Promise<string>;
  /** Opens it at noon; `folder` stands for a machine. */
  readonly open: (some?: Partial<SharedLedgerOptions>) => Promise<Ledger>;
  /** Runs SQL on its database, as whoever may do anything. */
  readonly sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** What the machine keeps beside it. */
  readonly folder: string;
}

/** A database with an empty ledger, of which each place takes a copy. */
const emptyLedger = memo(async () => {
  const cluster = await sharedCluster();
  const database = await cluster.createDatabase();
  await initLedger({ address: addressOf(cluster.url(database)), password: async () => undefined }, []);
  return database;
});

export const newSharedPlace = (): SharedPlace => {
  const folder = newFolder('shared');
  const url = memo(async () => {
    const cluster = await sharedCluster();
    return cluster.url(await cluster.createDatabase(await emptyLedger()));
  });
  const open: SharedPlace['open'] = async (some = {}) => {
    const { path: _path, ...options } = ledgerOptions('', { ...worldAtNoon, ...some });
    const access = { address: addressOf(await url()), password: async () => undefined };
    const clockSql = (): string => `${options.now()}::bigint`;
    const ledger = await openSharedLedger({
      ...options,
      access,
      folder,
      worker: 'ada@laptop',
      clockSql,
      slack: 0,
      ...some,
    });
    onTestFinished(() => ledger.close().catch(() => undefined));
    return ledger;
  };
  const sql = async (text: string) => (await sharedCluster()).sql(text, [], new URL(await url()).pathname.slice(1));
  return { url, open, sql, folder };
};
