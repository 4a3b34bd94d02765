import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf, usageError } from '../core/error.ts';
import type { EventName } from '../core/event.ts';
import type { Clock } from '../core/io.ts';
import { nowOf } from './answer.ts';
import { randomKey } from './ids.ts';
import { withStore } from './store/open.ts';
import { type Triggered, triggerEvent } from './trigger.ts';
import type { ShownDelivery, ShownWebhook, WebhookAsked } from './webhooks.ts';
import { addWebhook, listDeliveries, listWebhooks, removeWebhook, replayDelivery } from './webhooks.ts';

/** What deliveries are signed with: a secret that is given, one that is made and written to a new file, or nothing. */
export type Signing = { readonly secret: string } | { readonly file: string } | 'unsigned';

interface InFile {
  /** The data file. */
  readonly file: string;
}

/** Where the emulator tells its events. A running one sees at once what is changed here. */
export interface WebhookRoom {
  add(options: InFile & Omit<WebhookAsked, 'secret'> & { readonly signing: Signing }): Promise<ShownWebhook>;
  list(options: InFile): Promise<readonly ShownWebhook[]>;
  remove(options: InFile & { readonly id: number }): Promise<ShownWebhook>;
  /** Tells an event that did not happen. */
  trigger(
    options: InFile & { readonly clock: Clock; readonly event: EventName; readonly ugwo: string | undefined },
  ): Promise<Triggered>;
  /** The newest first. */
  deliveries(options: InFile & { readonly count: number }): Promise<readonly ShownDelivery[]>;
  replay(options: InFile & { readonly id: number }): Promise<ShownDelivery>;
}

/** A new secret, in a file of its own: nothing else ever shows it. */
const secretIn = (path: string): string => {
  const secret = randomKey('wsk');
  try {
    writeFileSync(path, `${secret}\n`, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw usageError(`--secret-out: ${path} can't be written: ${reasonOf(thrown)}`);
    }
    const hint = 'Name a new file, or use the secret in this one with --secret-file.';
    throw usageError(`--secret-out: ${path} exists already`, { hint });
  }
  return secret;
};

const secretOf = (signing: Signing): string => {
  if (signing === 'unsigned') return '';
  return 'secret' in signing ? signing.secret : secretIn(signing.file);
};

/** Webhooks and deliveries of a data file, whether an emulator runs over it or not. */
export const webhookRoom: WebhookRoom = {
  add: async ({ file, signing, ...asked }) =>
    withStore(resolve(file), (store) => addWebhook(store, { ...asked, secret: () => secretOf(signing) })),
  list: async ({ file }) => withStore(resolve(file), (store) => listWebhooks(store)),
  remove: async ({ file, id }) => withStore(resolve(file), (store) => removeWebhook(store, id)),
  trigger: async ({ file, clock, event, ugwo }) =>
    withStore(resolve(file), (store) => triggerEvent(store, event, ugwo, nowOf({ store, clock }))),
  deliveries: async ({ file, count }) => withStore(resolve(file), (store) => listDeliveries(store, count)),
  replay: async ({ file, id }) => withStore(resolve(file), (store) => replayDelivery(store, id)),
};
