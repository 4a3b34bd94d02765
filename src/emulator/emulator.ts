import { resolve } from 'node:path';
import { replaceFile, stateOf } from '../database/file.ts';
import { BeyondUse, DATA_FILE } from './file.ts';
import type { EmulatorRoom } from './room.ts';
import { seedStore } from './seed.ts';
import { settle as settleIn, unknownActivity } from './settle.ts';
import { openStore, type Store } from './store.ts';

const withStore = <T>(path: string, use: (store: Store) => T): T => {
  const store = openStore(path);
  try {
    return use(store);
  } finally {
    store.close();
  }
};

/** There is no data yet, and none is to be made. */
const hasNothing = (path: string): boolean => ['missing', 'empty'].includes(stateOf(path, DATA_FILE));

const start: EmulatorRoom['start'] = async ({ file, port, clock, dialect = 'documented' }) => {
  const { serve } = await import('./server.ts');
  return await serve({ store: openStore(resolve(file)), clock, dialect }, port);
};

const seed: EmulatorRoom['seed'] = async ({ file, clock, customers, ugwo, onlyIfNew = false }) =>
  withStore(resolve(file), (store) =>
    store.write(() => {
      if (onlyIfNew && !store.isNew()) return { customers: 0, ugwo: 0 };
      seedStore(store, { customers, ugwo }, clock.now());
      return { customers, ugwo };
    }),
  );

const settle: EmulatorRoom['settle'] = async ({ file, clock, ...settling }) => {
  const path = resolve(file);
  if (hasNothing(path)) throw unknownActivity(settling.activity);
  return withStore(path, (store) => settleIn(store, settling, clock.now()));
};

const reset: EmulatorRoom['reset'] = async ({ file }) => {
  const path = resolve(file);
  if (hasNothing(path)) return;
  try {
    withStore(path, (store) => store.write(() => store.removeRecords()));
  } catch (thrown) {
    if (!(thrown instanceof BeyondUse)) throw thrown;
    replaceFile(path, DATA_FILE);
  }
};

/** The service of interface.md on this machine. Every failure is a PayError of kind `usage`. */
export const emulatorRoom: EmulatorRoom = { start, seed, settle, reset };
