import { isHeld } from '../database/lock.ts';
import { newsLockPath } from './file.ts';
import { readDelivery, type Secrets, SIGNATURE_HEADER } from './genuine.ts';
import type { Listening, ListenOptions, ListenWorld } from './listen.ts';
import { checkTarget } from './post.ts';
import { openQueue } from './queue.ts';
import { replay } from './replay.ts';

/** Webhooks: receiving, keeping and forwarding what the service sends. */
export const webhookRoom = {
  /** Whether a `webhook listen` runs over this data folder that tells the ledger what it hears of this service. */
  isListening: (folder: string, service: string): boolean => isHeld(newsLockPath(folder, service)),
  /** Takes deliveries on a port until it is stopped, or what it waits for has come. */
  listen: async (options: ListenOptions, world: ListenWorld): Promise<Listening> =>
    (await import('./listen.ts')).listen(options, world),
  openQueue,
  /** What a body says of itself, once its signature was found right; else why it is refused. */
  verify: (
    secrets: Secrets,
    { body, signature, at }: { readonly body: Uint8Array; readonly signature: string; readonly at: number },
  ) => readDelivery(secrets, { body, headers: [[SIGNATURE_HEADER, signature]], receivedAt: at }),
  checkTarget,
  replay,
};
export type WebhookRoom = typeof webhookRoom;
