import { resolve } from 'node:path';
import type { Dialect } from '../core/data-files.ts';
import type { Clock } from '../core/io.ts';
import { replaceFile, stateOf } from '../database/file.ts';
import { openapiText } from './app.ts';
import { type ClockState, moveClock, setFaults } from './control.ts';
import { type Settled, type Settling, settle, unknownActivity } from './payments.ts';
import { BeyondUse, DATA_FILE } from './schema.ts';
import { seedStore } from './seed.ts';
import { nowOf } from './service.ts';
import { type KeptFault, openStore, withStore } from './store.ts';
import { type EmulatorWebhooks, webhookRoom } from './webhooks.ts';

/** A running emulator: real HTTP on loopback. */
export interface RunningEmulator {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `sk.Lcal.` and 80 characters; made once for a data file and kept in it. */
  readonly key: string;
  /** `pk.Lcal.`…: opens the hosted page, and nothing else. */
  readonly publicKey: string;
  /** The key of the control endpoints. */
  readonly controlToken: string;
  /** Where its console is: an address that nobody can guess; undefined where it has none. */
  readonly console: string | undefined;
  close(): Promise<void>;
}

export interface ConsoleOptions {
  /** The data file, where commands of the console must name it. */
  readonly data: string | undefined;
}

export interface EmulatorRoom {
  /**
   * Starts the service over the data in `file` (made when missing, 0600); `port` 0 takes any free one; in the documented
   * dialect; with a console where that is asked for.
   */
  start(options: {
    readonly file: string;
    readonly port: number;
    /** The address to listen on: 127.0.0.1 where none is given. */
    readonly host?: string | undefined;
    readonly clock: Clock;
    readonly dialect?: Dialect;
    /** Sends what is in the outbox, too; otherwise it only puts events there. */
    readonly delivers?: boolean;
    readonly console?: ConsoleOptions;
  }): Promise<RunningEmulator>;
  /** Adds so many customers and payment requests, and says how many; the same calls on a new file give the same identifiers. */
  seed(options: {
    readonly file: string;
    readonly clock: Clock;
    readonly customers: number;
    readonly ugwo: number;
    /** Adds nothing when there is a record already; decided and done in one step among all processes. */
    readonly onlyIfNew?: boolean;
  }): Promise<{ readonly customers: number; readonly ugwo: number }>;
  /** Ends an open activity, now or later; an emulator that runs over the file shows it with its next answer. */
  settle(options: Settling & { readonly file: string; readonly clock: Clock }): Promise<Settled>;
  /** Moves the clock on by so many milliseconds, or back to the real time; an emulator that runs over the file goes with it. */
  clock(options: { readonly file: string; readonly clock: Clock; readonly by?: number | 'back' }): Promise<ClockState>;
  /** The rules for faults; `rules` replaces them. They stay until they are replaced, and hold for `--local`, too. */
  faults(options: { readonly file: string; readonly rules?: unknown }): Promise<readonly KeptFault[]>;
  /** Where events are told, and what was. */
  readonly webhooks: EmulatorWebhooks;
  /** The contract as an OpenAPI document, in JSON. */
  openapi(): Promise<string>;
  /** Removes every record; the key stays, and no identifier is given again. A file that is damaged or from a newer paycli is made anew, with a new key. */
  reset(options: { readonly file: string }): Promise<void>;
}

/** There is no data yet, and none is to be made. */
const hasNothing = (path: string): boolean => ['missing', 'empty'].includes(stateOf(path, DATA_FILE));

/** The service of interface.md on this machine. Every failure is a PayError of kind `usage`. */
export const emulatorRoom: EmulatorRoom = {
  start: async ({ file, port, host, clock, dialect = 'documented', delivers, console }) => {
    const { serve } = await import('./server.ts');
    return await serve({ store: openStore(resolve(file)), clock, dialect }, port, { host, delivers, console });
  },
  seed: async ({ file, clock, customers, ugwo, onlyIfNew = false }) =>
    withStore(resolve(file), (store) =>
      store.write(() => {
        if (onlyIfNew && !store.isNew()) return { customers: 0, ugwo: 0 };
        seedStore(store, { customers, ugwo }, nowOf({ store, clock }));
        return { customers, ugwo };
      }),
    ),
  settle: async ({ file, clock, ...settling }) => {
    const path = resolve(file);
    if (hasNothing(path)) throw unknownActivity(settling.activity);
    return withStore(path, (store) => settle(store, settling, nowOf({ store, clock })));
  },
  clock: async ({ file, clock, by }) => withStore(resolve(file), (store) => moveClock({ store, clock }, by)),
  faults: async ({ file, rules }) =>
    withStore(resolve(file), (store) => (rules === undefined ? store.faults() : setFaults(store, rules))),
  webhooks: webhookRoom,
  openapi: openapiText,
  reset: async ({ file }) => {
    const path = resolve(file);
    if (hasNothing(path)) return;
    try {
      withStore(path, (store) => store.write(() => store.removeRecords()));
    } catch (thrown) {
      if (!(thrown instanceof BeyondUse)) throw thrown;
      replaceFile(path, DATA_FILE);
    }
  },
};
