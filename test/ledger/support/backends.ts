import type { Moment } from '../../../src/ledger/entry.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { ledgerOver } from '../../../src/ledger/open.ts';
import { bootOf } from '../../../src/ledger/sender.ts';
import type { LedgerOptions } from '../../../src/ledger/sqlite/backend.ts';
import { ledgerOptions } from '../../support/ledger.ts';
import { newPath, open as openFile, worldAtNoon } from './charges.ts';
import { memoryBackend, memoryStore } from './memory-backend.ts';
import { newSharedPlace } from './postgres.ts';

/** The parts of a process that a test can replace, for every backend. */
export type World = Partial<Pick<LedgerOptions, 'now' | 'uptime' | 'self' | 'hasEnded' | 'clean'>>;

/** A ledger's location, which several processes can open. */
export type Place = (world?: World) => Promise<Ledger>;

const inMemory = (): Place => {
  const store = memoryStore();
  return async (world) => {
    const { now, uptime, self, hasEnded, clean } = ledgerOptions('', { ...worldAtNoon, ...world });
    const moment = (): Moment => ({ at: now(), mark: { boot: bootOf(self), uptime: uptime() } });
    return ledgerOver(memoryBackend({ moment, self, hasEnded: hasEnded }, store), clean);
  };
};

const inSqlite = (): Place => {
  const path = newPath();
  return (world) => openFile(path, world);
};

/** All backends, which follow the same rules. */
export const BACKENDS: readonly (readonly [name: string, newPlace: () => Place])[] = [
  ['in memory', inMemory],
  ['in a file', inSqlite],
  ['in PostgreSQL', () => newSharedPlace().open],
];

/** Opens the ledger as a process with these parts. */
export const open = (place: Place, world?: World): Promise<Ledger> => place(world);
