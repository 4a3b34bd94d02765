import { isHeld } from '../database/lock.ts';
import { checkTarget, replay } from './deliver.ts';
import { type Secrets, SIGNATURE_HEADER, verifiedDelivery } from './event.ts';
import type { ListenDeps, Listening, ListenOptions } from './listen.ts';
import { newsLockPath, openQueue } from './queue.ts';

/** Webhooks: receives, stores and forwards the service's events. */
export const webhookRoom = {
  /** True while a `webhook listen` over this data folder reports events of this service to the ledger. */
  isListening: (folder: string, service: string): boolean => isHeld(newsLockPath(folder, service)),
  /** Accepts deliveries on a port until it is stopped, or the awaited event has come. */
  listen: async (options: ListenOptions, world: ListenDeps): Promise<Listening> =>
    (await import('./listen.ts')).listen(options, world),
  openQueue,
  /** Verifies a signature: returns the parsed delivery, or the reason to refuse it. */
  verify: (
    secrets: Secrets,
    { body, signature, at }: { readonly body: Uint8Array; readonly signature: string; readonly at: number },
  ) => verifiedDelivery(secrets, { body, headers: [[SIGNATURE_HEADER, signature]], receivedAt: at }),
  checkTarget,
  replay,
};
export type WebhookRoom = typeof webhookRoom;
