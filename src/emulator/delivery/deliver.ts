import type { Clock } from '../../core/io.ts';
import { nowOf, type Service } from '../answer.ts';
import { catchUp } from '../ends.ts';
import { randomText } from '../ids.ts';
import type { Store } from '../store/open.ts';
import type { Delivery } from '../store/outbox.ts';
import { attempt } from './attempt.ts';

/** How often it is looked whether another process has put something into the outbox, or moved the clock. */
const LOOK_MS = 250;

/** So many at a time to one webhook, of different payment requests. */
const LANES = 8;

/** How long a payment request is left alone of which something could not be noted. */
const REST_MS = 10_000;

/** How long a process that has died keeps others from delivering. */
const LEASE_MS = 3000;

/** Whether this process is the one that delivers what is in the file, so that each is sent by one alone. */
const leads = (store: Store, clock: Clock, owner: string): boolean => {
  const now = clock.now();
  const current = store.deliverer();
  // Beyond that it is of a clock that was set back.
  const isHeld = current !== undefined && current.until > now && current.until <= now + LEASE_MS;
  if (isHeld && current.owner !== owner) return false;
  if (isHeld && current.until > now + LEASE_MS / 2) return true;
  return store.write(() => {
    if (store.deliverer()?.until !== current?.until) return false;
    store.setDeliverer(owner, now + LEASE_MS);
    return true;
  });
};

const laneOf = ({ webhook, subject }: Delivery): string => `${webhook.id} ${subject}`;

/** What is to be sent next to a webhook: one of each payment request, so that its events arrive in their order. */
const nextOf = (store: Store, webhook: number, now: number, flying: ReadonlyMap<string, unknown>): Delivery[] => {
  const busy = new Set(flying.keys());
  const free = LANES - [...busy].filter((lane) => lane.startsWith(`${webhook} `)).length;
  if (free === 0) return [];
  const found = store.dueDeliveries(webhook, now, 2 * LANES).filter((delivery) => {
    const isFirst = !busy.has(laneOf(delivery));
    busy.add(laneOf(delivery));
    return isFirst;
  });
  return found.slice(0, free);
};

/** Starts what is due now; what is due by the clock ends first, since nobody may ask for it. */
const turn = (service: Service, owner: string, flying: Map<string, Promise<void>>, ring: () => void): void => {
  const { store, clock } = service;
  const webhooks = store.webhooks();
  if (webhooks.length === 0 || !leads(store, clock, owner)) return;
  catchUp(store, nowOf(service));
  for (const { id } of webhooks) {
    for (const delivery of nextOf(store, id, nowOf(service), flying)) {
      const lane = laneOf(delivery);
      const done = (): void => {
        flying.delete(lane);
        ring();
      };
      // What can't be noted is not sent over and over.
      const sent = attempt(service, delivery).catch(() => clock.sleep(REST_MS, service.closing).catch(() => undefined));
      flying.set(lane, sent.then(done));
    }
  }
};

/**
 * Delivers what is in the outbox until the service closes, and what other processes put there: over one data file one process
 * delivers. A look that fails, at a file that is busy say, is repeated.
 */
export const deliver = async (service: Service): Promise<void> => {
  const { store, clock, closing } = service;
  const [owner, flying] = [randomText(12), new Map<string, Promise<void>>()];
  let bell = new AbortController();
  const ring = (): void => bell.abort();
  store.onWrite(ring);
  closing.addEventListener('abort', ring, { once: true });
  while (!closing.aborted) {
    bell = new AbortController();
    try {
      turn(service, owner, flying, ring);
    } catch {
      // Whoever asks the service is told why.
    }
    await clock.sleep(LOOK_MS, bell.signal).catch((thrown) => {
      if (!bell.signal.aborted) throw thrown;
    });
  }
  await Promise.all(flying.values());
  try {
    store.write(() => store.removeDeliverer(owner));
  } catch {
    // The next one waits until this one's time is over.
  }
};
