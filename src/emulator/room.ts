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

/** A running emulator: real HTTP, on loopback unless another address is given. */
export interface RunningEmulator {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `sk.Lcal.` and 80 characters; created with the data file and stored in it. */
  readonly key: string;
  /** `pk.Lcal.`…: opens the hosted page only. */
  readonly publicKey: string;
  /** The key of the control endpoints. */
  readonly controlToken: string;
  /** Address of the console, which nobody can guess; undefined without a console. */
  readonly console: string | undefined;
  close(): Promise<void>;
}

export interface ConsoleOptions {
  /** The data file, if commands shown by the console must name it. */
  readonly data: string | undefined;
}

export interface EmulatorRoom {
  /**
   * Starts the service over the data in `file` (created if missing, with mode 0600). `port` 0 takes any free one. The
   * default dialect is the documented one. Starts a console if requested.
   */
  start(options: {
    readonly file: string;
    readonly port: number;
    /** The address to listen on; the default is 127.0.0.1. */
    readonly host?: string | undefined;
    readonly clock: Clock;
    readonly dialect?: Dialect;
    /** Also delivers the events in the outbox; otherwise they only collect there. */
    readonly delivers?: boolean;
    readonly console?: ConsoleOptions;
  }): Promise<RunningEmulator>;
  /**
   * Adds customers and payment requests, and returns how many. The same calls on a new file give the same identifiers.
   */
  seed(options: {
    readonly file: string;
    readonly clock: Clock;
    readonly customers: number;
    readonly ugwo: number;
    /** Adds nothing if there are records already; checks and adds in one transaction among all processes. */
    readonly onlyIfNew?: boolean;
  }): Promise<{ readonly customers: number; readonly ugwo: number }>;
  /** Ends an open activity, now or later; an emulator that runs over the file shows it with its next answer. */
  settle(options: Settling & { readonly file: string; readonly clock: Clock }): Promise<Settled>;
  /** Moves the clock on by this many milliseconds, or back to the real time; applies to a running emulator too. */
  clock(options: { readonly file: string; readonly clock: Clock; readonly by?: number | 'back' }): Promise<ClockState>;
  /** Returns the fault rules; `rules` replaces them. They stay until they are replaced, and apply to `--local`, too. */
  faults(options: { readonly file: string; readonly rules?: unknown }): Promise<readonly KeptFault[]>;
  /** Webhooks and their deliveries. */
  readonly webhooks: EmulatorWebhooks;
  /** The contract as an OpenAPI document, in JSON. */
  openapi(): Promise<string>;
  /**
   * Removes every record; the key stays, and no identifier is used again. A file that is damaged or from a newer paycli
   * is replaced by a new one, with a new key.
   */
  reset(options: { readonly file: string }): Promise<void>;
}

/** True if there is no data yet, so that none needs to be created. */
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
