import { isHeld } from '../database/lock.ts';
import { checkTarget, replay } from './deliver.ts';
import { type Secrets, SIGNATURE_HEADER, verifiedDelivery } from './event.ts';
import type { ListenDeps, Listening, ListenOptions } from './listen.ts';
import { newsLockPath, openQueue } from './queue.ts';

/** Webhooks: receiving, keeping and forwarding what the service sends. */
export const webhookRoom = {
  /** Whether a `webhook listen` runs over this data folder that tells the ledger what it hears of this service. */
  isListening: (folder: string, service: string): boolean => isHeld(newsLockPath(folder, service)),
  /** Takes deliveries on a port until it is stopped, or what it waits for has come. */
  listen: async (options: ListenOptions, world: ListenDeps): Promise<Listening> =>
    (await import('./listen.ts')).listen(options, world),
  openQueue,
  /** What a body says of itself, once its signature was found right; else why it is refused. */
  verify: (
    secrets: Secrets,
    { body, signature, at }: { readonly body: Uint8Array; readonly signature: string; readonly at: number },
  ) => verifiedDelivery(secrets, { body, headers: [[SIGNATURE_HEADER, signature]], receivedAt: at }),
  checkTarget,
  replay,
};
export type WebhookRoom = typeof webhookRoom;
