import { onTestFinished } from 'vitest';
import { memo } from '../../../src/core/memo.ts';
import type { Moment } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ledgerOver } from '../../../src/ledger/open.ts';
import { initLedger } from '../../../src/ledger/postgres/admin.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/open.ts';
import { addressOf } from '../../../src/ledger/postgres/url.ts';
import { bootOf } from '../../../src/ledger/sender.ts';
import type { LedgerOptions } from '../../../src/ledger/sqlite/backend.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { sharedCluster } from '../../support/postgres.ts';
import { newFolder } from '../../support/program.ts';
import { newPath, open as openFile, worldAtNoon } from './charges.ts';
import { memoryBackend, memoryStore } from './memory-backend.ts';

/** What a process brings along, whatever the ledger is kept in. */
export type World = Partial<Pick<LedgerOptions, 'now' | 'uptime' | 'self' | 'isGone' | 'clean'>>;

/** A place where a ledger is kept: several processes can open it, one after the other or at once. */
export type Place = (world?: World) => Promise<Ledger>;

const inMemory = (): Place => {
  const store = memoryStore();
  return async (world) => {
    const { now, uptime, self, isGone, clean } = ledgerOptions('', { ...worldAtNoon, ...world });
    const moment = (): Moment => ({ at: now(), mark: { boot: bootOf(self), uptime: uptime() } });
    return ledgerOver(memoryBackend({ moment, self, isGone }, store), clean);
  };
};

const inSqlite = (): Place => {
  const path = newPath();
  return (world) => openFile(path, world);
};

/** A database of its own, and a folder a machine: processes of one share it. */
const inPostgres = (): Place => {
  const folder = newFolder('shared');
  const database = memo(async () => {
    const cluster = await sharedCluster();
    const url = cluster.url(await cluster.createDatabase());
    await initLedger({ address: addressOf(url), password: async () => undefined }, []);
    return url;
  });
  return async (world) => {
    const { path: _path, ...options } = ledgerOptions('', { ...worldAtNoon, ...world });
    const access = { address: addressOf(await database()), password: async () => undefined };
    const clockSql = (): string => `${options.now()}::bigint`;
    const ledger = await openSharedLedger({ ...options, access, folder, worker: 'ada@laptop', clockSql, slack: 0 });
    onTestFinished(() => ledger.close().catch(() => undefined));
    return ledger;
  };
};

/** Everything that keeps a ledger, under the same rules. */
export const BACKENDS: readonly (readonly [name: string, newPlace: () => Place])[] = [
  ['in memory', inMemory],
  ['in a file', inSqlite],
  ['in PostgreSQL', inPostgres],
];

/** As a process does that brings this along. */
export const open = (place: Place, world?: World): Promise<Ledger> => place(world);
