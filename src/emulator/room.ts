import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadSchemas } from '../contract/zod.ts';
import type { Dialect } from '../core/data-files.ts';
import { reasonOf, usageError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { EventName } from '../core/webhook-event.ts';
import { fileStateOf, replaceFile } from '../database/file.ts';
import { replaceFaults, setClock } from './control.ts';
import { randomKey } from './ids.ts';
import { endingsOf, type Settling, settle, unknownActivity } from './payments.ts';
import { DATA_FILE, UnusableFile } from './schema.ts';
import { seedStore } from './seed.ts';
import { nowOf } from './service.ts';
import { type EmulatorStore, openStore, withStore } from './store.ts';
import {
  listDeliveries,
  listWebhooks,
  registerWebhook,
  removeWebhook,
  replayDelivery,
  triggerEvent,
  type WebhookInput,
} from './webhooks.ts';

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
  /** Address of the console, which nobody can guess. */
  readonly console: string;
  close(): Promise<void>;
}

/** The secret that signs deliveries: a given one, a new one that is written to a new file, or none. */
type Signing = { readonly secret: string } | { readonly file: string } | 'unsigned';

/** Creates a secret and writes it to a new file, the only place that ever shows it. */
const secretIn = (path: string): string => {
  const secret = randomKey('wsk');
  try {
    writeFileSync(path, `${secret}\n`, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw usageError(`--secret-out: ${path} can't be written: ${reasonOf(thrown)}`);
    }
    const hint = 'name a new file, or use the secret in this one with --secret-file';
    throw usageError(`--secret-out: ${path} exists already`, { hint });
  }
  return secret;
};

const secretOf = (signing: Signing): string => {
  if (signing === 'unsigned') return '';
  return 'secret' in signing ? signing.secret : secretIn(signing.file);
};

/** True if there is no data yet, so that none needs to be created. */
const hasNothing = (path: string): boolean => ['missing', 'empty'].includes(fileStateOf(path, DATA_FILE));

interface InFile {
  readonly file: string;
}

interface StartOptions extends InFile {
  readonly port: number;
  /** The address to listen on; the default is 127.0.0.1. */
  readonly host?: string | undefined;
  readonly clock: Clock;
  readonly dialect?: Dialect;
  /** Also delivers the events in the outbox; otherwise they only collect there. */
  readonly delivers?: boolean;
}

interface SeedOptions extends InFile {
  readonly clock: Clock;
  readonly customers: number;
  readonly ugwo: number;
  /** Adds nothing if there are records already; checks and adds in one transaction among all processes. */
  readonly onlyIfNew?: boolean;
  /** Called from time to time with the number of records so far. Nothing is added if it throws. */
  readonly onAdded?: (count: number) => void;
}

type AddOptions = InFile & Omit<WebhookInput, 'secret'> & { readonly signing: Signing };
type TriggerOptions = InFile & {
  readonly clock: Clock;
  readonly event: EventName;
  readonly ugwo: string | undefined;
};

const usingStore = async <T>({ file }: InFile, use: (store: EmulatorStore) => T | Promise<T>): Promise<T> =>
  withStore(resolve(file), use);

/** Webhooks and deliveries of a data file. A running emulator sees changes at once. */
const webhooks = {
  add: (asked: AddOptions) =>
    usingStore(asked, (store) => registerWebhook(store, { ...asked, secret: () => secretOf(asked.signing) })),
  list: (asked: InFile) => usingStore(asked, listWebhooks),
  remove: (asked: InFile & { readonly id: number }) => usingStore(asked, (store) => removeWebhook(store, asked.id)),
  /** Emits an event that did not happen. */
  trigger: (asked: TriggerOptions) =>
    usingStore(asked, (store) => triggerEvent(store, asked.event, asked.ugwo, nowOf({ store, clock: asked.clock }))),
  /** Newest first. */
  deliveries: (asked: InFile & { readonly count: number }) =>
    usingStore(asked, (store) => listDeliveries(store, asked.count)),
  replay: (asked: InFile & { readonly id: number }) => usingStore(asked, (store) => replayDelivery(store, asked.id)),
};

/** The service of docs/service.md on this machine. Every failure is a PayError of kind `usage`. */
export const emulatorRoom = {
  /**
   * Starts the service over the data in `file` (created if missing, with mode 0600). `port` 0 takes any free one. The
   * default dialect is the documented one.
   */
  start: async ({ file, port, host, clock, dialect = 'documented', delivers }: StartOptions) => {
    const [{ serveEmulatorOn: serve }] = await Promise.all([import('./server.ts'), loadSchemas()]);
    return await serve({ store: openStore(resolve(file)), clock, dialect }, port, { host, delivers });
  },
  /**
   * Adds customers and payment requests, and returns how many. The same calls on a new file give the same identifiers.
   */
  seed: ({ file, clock, customers, ugwo, onlyIfNew = false, onAdded }: SeedOptions) =>
    usingStore({ file }, (store) =>
      store.writeLong(function* () {
        if (onlyIfNew && !store.isNew()) return { customers: 0, ugwo: 0 };
        for (const count of seedStore(store, { customers, ugwo }, nowOf({ store, clock }))) {
          onAdded?.(count);
          yield;
        }
        return { customers, ugwo };
      }),
    ),
  /** Ends an open activity, now or later; an emulator that runs over the file shows it with its next answer. */
  settle: async ({ file, clock, ...settling }: Settling & InFile & { readonly clock: Clock }) => {
    if (hasNothing(resolve(file))) throw unknownActivity(settling.activity);
    return usingStore({ file }, (store) => settle(store, settling, nowOf({ store, clock })));
  },
  /** All activities of the payment request with this ref, or of the customer with this e-mail address. */
  activitiesNamed: async ({ file, name }: InFile & { readonly name: string }) =>
    hasNothing(resolve(file)) ? [] : usingStore({ file }, (store) => store.activitiesNamed(name)),
  endingsOf,
  /** Moves the clock on by this many milliseconds, or back to the real time; applies to a running emulator too. */
  clock: ({ clock, by, ...asked }: InFile & { readonly clock: Clock; readonly by?: number | 'back' }) =>
    usingStore(asked, (store) => setClock({ store, clock }, by)),
  /**
   * Returns the fault rules; `rules` replaces them. They apply until they are replaced or removed, also with `--local`.
   */
  faults: async ({ rules, ...asked }: InFile & { readonly rules?: unknown }) => {
    await loadSchemas();
    return usingStore(asked, (store) => (rules === undefined ? store.faults() : replaceFaults(store, rules)));
  },
  webhooks,
  /** The contract as an OpenAPI document, in JSON. */
  openapi: async () => (await import('./server.ts')).openapiText(),
  /**
   * Removes records, fault rules and deliveries, and resets the clock. Keeps the key; never uses an identifier again. A
   * file that is damaged or of another version is replaced by a new one, with a new key.
   */
  reset: async ({ file }: InFile): Promise<void> => {
    const path = resolve(file);
    if (hasNothing(path)) return;
    try {
      await withStore(path, (store) => store.removeRecords());
    } catch (thrown) {
      if (!(thrown instanceof UnusableFile)) throw thrown;
      replaceFile(path, DATA_FILE);
    }
  },
};
