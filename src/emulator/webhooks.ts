import { usageError } from '../core/error.ts';
import { EVENTS, isWanted } from '../core/event.ts';
import type { DeliveryState } from '../core/local.ts';
import { isLoopback } from '../core/origin.ts';
import { didYouMean } from '../core/suggest.ts';
import { utcAtom } from '../core/time.ts';
import type { Store } from './store/open.ts';
import type { Attempt, Delivery, Webhook } from './store/outbox.ts';

/** A webhook as it is shown: never with its secret. */
export interface ShownWebhook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly signed: boolean;
}

/** An event at one webhook, with each time that it was sent there. */
export interface ShownDelivery {
  readonly id: number;
  readonly event: string;
  readonly event_uid: string;
  /** The payment request or customer that it is about. */
  readonly about: string;
  readonly webhook: number;
  readonly url: string;
  readonly state: DeliveryState;
  readonly at: string;
  /** When it is sent next; null where it is not, or at once. */
  readonly due: string | null;
  readonly attempts: readonly Attempt[];
}

export interface WebhookAsked {
  readonly url: string;
  /** Names of events, in which `*` stands for any text; none for all. */
  readonly events: readonly string[];
  /** Asked for once all else is right; empty where nothing is to be signed. */
  readonly secret: () => string;
  /** Another machine may be told, too. */
  readonly allowRemote: boolean;
}

const shownWebhook = ({ id, url, events, secret }: Webhook): ShownWebhook => ({
  id,
  url,
  events,
  signed: secret !== '',
});

const shownDelivery = ({ id, event, uid, subject, webhook, state, at, due, attempts }: Delivery): ShownDelivery => ({
  id,
  event,
  event_uid: uid,
  about: subject,
  webhook: webhook.id,
  url: webhook.url,
  state,
  at: utcAtom(at),
  due: due === undefined || due === 0 ? null : utcAtom(due),
  attempts,
});

/** An address that events may be sent to; throws usage errors. */
const targetOf = ({ url: text, allowRemote }: WebhookAsked): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError('the address must be a URL such as http://127.0.0.1:4242/webhooks');
  }
  if (url.username !== '' || url.password !== '') throw usageError('the address must not hold a user name or password');
  if (!isLoopback(url.origin) && !allowRemote) {
    throw usageError(`${url.host} is another machine`, { hint: 'Add --allow-remote to send test events there.' });
  }
  url.hash = '';
  return url.href;
};

const refuseUnknown = (pattern: string): void => {
  if (EVENTS.some((event) => isWanted(event, [pattern]))) return;
  const meant = didYouMean(pattern, EVENTS);
  throw usageError(`${pattern} matches no event${meant === undefined ? '' : ` (did you mean ${meant}?)`}`, {
    hint: `The events are ${EVENTS.join(', ')}.`,
  });
};

/** Tells a URL of events from now on. Throws usage errors. */
export const addWebhook = (store: Store, asked: WebhookAsked): ShownWebhook => {
  const [url, events] = [targetOf(asked), asked.events.length === 0 ? ['*'] : asked.events];
  events.forEach(refuseUnknown);
  return store.write(() => shownWebhook(store.addWebhook({ url, events, secret: asked.secret() })));
};

export const listWebhooks = (store: Store): ShownWebhook[] => store.webhooks().map(shownWebhook);

/** Ends a webhook, with what was to be delivered there. Throws usage errors. */
export const removeWebhook = (store: Store, id: number): ShownWebhook =>
  store.write(() => {
    const webhook = store.webhooks().find((one) => one.id === id);
    if (webhook === undefined) {
      throw usageError(`there is no webhook ${id}`, { hint: 'See `paycli emulator webhook list`.' });
    }
    store.removeWebhook(id);
    return shownWebhook(webhook);
  });

/** The newest deliveries that are older than `before`, newest first. */
export const listDeliveries = (store: Store, count: number, before?: number): ShownDelivery[] =>
  store.deliveriesBefore(before, count).map(shownDelivery);

/** Sends one again, with as many tries as a new one has. Throws usage errors. */
export const replayDelivery = (store: Store, id: number): ShownDelivery =>
  store.write(() => {
    const delivery = store.delivery(id);
    if (delivery === undefined) {
      throw usageError(`there is no delivery ${id}`, { hint: 'See `paycli emulator webhook deliveries`.' });
    }
    const next = { state: 'waiting', due: 0, tries: 0, putOff: undefined } as const;
    store.setNext(id, next);
    return shownDelivery({ ...delivery, ...next });
  });
