import { PayError } from '../../core/error.ts';
import type { KeptEvent } from '../../webhook/kept.ts';
import type { Queue } from '../../webhook/queue.ts';
import type { Deps } from '../deps.ts';

/** The queue of this machine, for `use`. */
export const withQueue = async <T>(deps: Deps, use: (queue: Queue) => T): Promise<T> => {
  const queue = (await deps.webhooks()).openQueue((await deps.folders()).data, await deps.user());
  try {
    return use(queue);
  } finally {
    queue.close();
  }
};

/** An event by its uid; throws where there is none. */
export const findEvent = (queue: Queue, uid: string): KeptEvent => {
  const event = queue.find(uid);
  if (event !== undefined) return event;
  throw new PayError('rejected', `no event ${uid} was received here`, { hint: 'see: paycli webhook events list' });
};
