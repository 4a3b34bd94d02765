import { isHeld } from '../database/lock.ts';
import { newsLockPath } from './file.ts';
import type { Secrets } from './genuine.ts';
import { readDelivery, SIGNATURE_HEADER } from './genuine.ts';
import type { Delivery } from './kept.ts';
import type { Listening, ListenOptions, ListenWorld } from './listen.ts';
import { checkTarget } from './post.ts';
import type { Queue } from './queue.ts';
import { openQueue } from './queue.ts';
import { replay } from './replay.ts';

/** Webhooks: receiving, keeping and forwarding what the service sends. */
export interface WebhookRoom {
  /** Whether a `webhook listen` runs over this data folder that tells the ledger what it hears of this service. */
  isListening(folder: string, service: string): boolean;
  /** Takes deliveries on a port until it is stopped, or what it waits for has come. */
  listen(options: ListenOptions, world: ListenWorld): Promise<Listening>;
  /** The events that were kept; made where there is no queue. Throws a `ledger` error where it can't be used. */
  openQueue(folder: string, uid: number | undefined): Queue;
  /** What a body says of itself, once its signature was found right; else why it is refused. */
  verify(
    secrets: Secrets,
    signed: { readonly body: Uint8Array; readonly signature: string; readonly at: number },
  ): { readonly delivery: Delivery } | { readonly problem: string };
  checkTarget: typeof checkTarget;
  replay: typeof replay;
}

export const webhookRoom: WebhookRoom = {
  isListening: (folder, service) => isHeld(newsLockPath(folder, service)),
  listen: async (options, world) => (await import('./listen.ts')).listen(options, world),
  openQueue,
  verify: (secrets, { body, signature, at }) =>
    readDelivery(secrets, { body, headers: [[SIGNATURE_HEADER, signature]], receivedAt: at }),
  checkTarget,
  replay,
};
