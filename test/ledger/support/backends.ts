import type { Moment } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ledgerOver } from '../../../src/ledger/open.ts';
import { bootOf } from '../../../src/ledger/sender.ts';
import type { LedgerOptions } from '../../../src/ledger/sqlite/backend.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { newPath, open as openFile, worldAtNoon } from './charges.ts';
import { memoryBackend, memoryStore } from './memory-backend.ts';
import { newSharedPlace } from './postgres.ts';

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

/** Everything that keeps a ledger, under the same rules. */
export const BACKENDS: readonly (readonly [name: string, newPlace: () => Place])[] = [
  ['in memory', inMemory],
  ['in a file', inSqlite],
  ['in PostgreSQL', () => newSharedPlace().open],
];

/** As a process does that brings this along. */
export const open = (place: Place, world?: World): Promise<Ledger> => place(world);
