import { buildExample, mediumNamed } from '../charge/mediums.ts';
import type { Activity } from '../contract/activity.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { machineValue } from '../core/charge.ts';
import type { DeliveryState } from '../core/data-files.ts';
import { usageError } from '../core/error.ts';
import { isLoopback } from '../core/origin.ts';
import { didYouMean } from '../core/text.ts';
import { utcAtom } from '../core/time.ts';
import { EVENTS, type EventName, isWanted } from '../core/webhook-event.ts';
import { activityOn, activityOutcome, createRefund } from './charge.ts';
import { newServiceId, randomText } from './ids.ts';
import { emit, endActivity, endRefund, withActivities } from './payments.ts';
import { addCustomer, createUgwo } from './records.ts';
import { emulatorLine } from './schema.ts';
import { ProblemError } from './service.ts';
import type { DeliveryAttempt, EmulatorStore, OutgoingDelivery, StoredActivity, Webhook } from './store.ts';

/** A webhook for display: never with its secret. */
export interface ShownWebhook {
  readonly id: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly signed: boolean;
}

/** An event at one webhook, with each attempt to send it. */
export interface ShownDelivery {
  readonly id: number;
  readonly event: string;
  readonly event_uid: string;
  /** The payment request or customer of the event. */
  readonly about: string;
  readonly webhook: number;
  readonly url: string;
  readonly state: DeliveryState;
  readonly at: string;
  /** Time of the next attempt; null if there is none, or if it is sent at once. */
  readonly due: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface WebhookInput {
  readonly url: string;
  /** Names of events, in which `*` stands for any text; empty for all. */
  readonly events: readonly string[];
  /** Called once everything else is valid; returns an empty text to leave deliveries unsigned. */
  readonly secret: () => string;
  readonly allowRemote: boolean;
}

const shownWebhook = ({ secret, ...webhook }: Webhook): ShownWebhook => ({ ...webhook, signed: secret !== '' });

const shownDelivery = (delivery: OutgoingDelivery): ShownDelivery => {
  const { id, event, uid, subject, webhook, state, at, due, attempts } = delivery;
  const next = due === undefined || due === 0 ? null : utcAtom(due);
  const where = { about: subject, webhook: webhook.id, url: webhook.url };
  return { id, event, event_uid: uid, ...where, state, at: utcAtom(at), due: next, attempts };
};

/** The URL of a webhook, checked; throws usage errors. */
const checkedUrl = ({ url: text, allowRemote }: WebhookInput): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError('the address must be a URL such as http://127.0.0.1:4242/webhooks');
  }
  if (url.username !== '' || url.password !== '') throw usageError('the address must not hold a user name or password');
  if (!isLoopback(url.origin) && !allowRemote) {
    throw usageError(`${url.host} is another machine`, { hint: 'add --allow-remote to send test events there' });
  }
  url.hash = '';
  return url.href;
};

const refuseUnknownEvents = (pattern: string): void => {
  if (EVENTS.some((event) => isWanted(event, [pattern]))) return;
  const meant = didYouMean(pattern, EVENTS);
  throw usageError(`${pattern} matches no event${meant === undefined ? '' : ` (did you mean ${meant}?)`}`, {
    hint: `the events are ${EVENTS.join(', ')}`,
  });
};

/** Adds a webhook that gets events from now on. Throws usage errors. */
export const registerWebhook = (store: EmulatorStore, asked: WebhookInput): ShownWebhook => {
  const [url, events] = [checkedUrl(asked), asked.events.length === 0 ? ['*'] : asked.events];
  events.forEach(refuseUnknownEvents);
  return store.write(() => shownWebhook(store.addWebhook({ url, events, secret: asked.secret() })));
};

export const listWebhooks = (store: EmulatorStore): ShownWebhook[] => store.webhooks().map(shownWebhook);

/** Removes a webhook, with its pending and past deliveries. Throws usage errors. */
export const removeWebhook = (store: EmulatorStore, id: number): ShownWebhook =>
  store.write(() => {
    const webhook = store.webhooks().find((one) => one.id === id);
    if (webhook === undefined) {
      throw usageError(`there is no webhook ${id}`, { hint: `see \`${emulatorLine(store.path, 'webhook', 'list')}\`` });
    }
    store.removeWebhook(id);
    return shownWebhook(webhook);
  });

export const listDeliveries = (store: EmulatorStore, count: number): ShownDelivery[] =>
  store.newestDeliveries(count).map(shownDelivery);

/** Sends a delivery again, with as many tries as a new one has. Throws usage errors. */
export const replayDelivery = (store: EmulatorStore, id: number): ShownDelivery =>
  store.write(() => {
    const delivery = store.delivery(id);
    if (delivery === undefined) {
      throw usageError(`there is no delivery ${id}`, {
        hint: `see \`${emulatorLine(store.path, 'webhook', 'deliveries')}\``,
      });
    }
    const next = { state: 'waiting', due: 0, tries: 0, putOff: undefined } as const;
    store.setNext(id, next);
    return shownDelivery({ ...delivery, ...next });
  });

/** The payment request that a made-up event is about: an existing one or a temporary one. */
interface Scene {
  readonly store: EmulatorStore;
  readonly now: number;
  readonly ugwo: Ugwo;
}

const hangUp = (): void => undefined;

/** Chooses the data of a made-up charge. Throws a usage error without a checkout. */
const dataFor = ({ uid, checkout }: Ugwo) => {
  const offered = checkout?.mediums?.map(({ medium }) => mediumNamed(machineValue(medium))) ?? [];
  const first = offered.find((medium) => medium !== undefined);
  if (first !== undefined) return buildExample(first);
  throw usageError(`the payment request ${uid} has no checkout, so nothing can be charged on it`);
};

const sampleCharge = ({ store, now, ugwo }: Scene): StoredActivity => {
  const [uid, data] = [newServiceId('act'), dataFor(ugwo)];
  const outcome = activityOutcome(data, ugwo, uid, now);
  const at = utcAtom(now);
  const reference = `EMU-${randomText(16)}`;
  const activity = activityOn(ugwo, { uid, reference, outcome, at });
  const kept = { activity, ugwo: ugwo.uid, medium: data.medium };
  store.addActivity(kept, undefined);
  return kept;
};

const samplePayment = (scene: Scene): Activity =>
  endActivity(scene.store, sampleCharge(scene), { ending: 'successful', due: scene.now });

const sampleRefund = (scene: Scene, ending: 'successful' | 'failed') => {
  const { store, now } = scene;
  const body = {
    ugwo_activity: samplePayment(scene).uid,
    destination: { provider: 'gtb', account_number: '0123456789' },
  };
  return endRefund(store, createRefund({ params: {}, query: undefined, body, now, hangUp }, store), ending, now);
};

const shownRequest = ({ store, ugwo }: Scene) => withActivities(store, store.ugwo(ugwo.uid) ?? ugwo);

const sampleCustomer = ({ store, now }: Scene) => {
  const email = `event-${randomText(8)}@example.com`;
  return addCustomer(store, { email, first_name: 'Ada', last_name: 'Obi' }, now);
};

/** Builders of each event's resource. */
const SCENES: Readonly<Record<EventName, (scene: Scene) => { readonly uid: string }>> = {
  'nzube.onye.created': sampleCustomer,
  'nzube.onye.updated': sampleCustomer,
  'nzube.onye.deleted': sampleCustomer,
  'ugwo.created': shownRequest,
  'ugwo.updated': shownRequest,
  'ugwo.successful': (scene) => {
    samplePayment(scene);
    return shownRequest(scene);
  },
  'ugwo.activity.created': (scene) => sampleCharge(scene).activity,
  'ugwo.activity.updated': samplePayment,
  'ugwo.activity.double_charge_detected': (scene) => {
    samplePayment(scene);
    return samplePayment(scene);
  },
  'refund.successful': (scene) => sampleRefund(scene, 'successful'),
  'refund.failed': (scene) => sampleRefund(scene, 'failed'),
};

const requestFor = (store: EmulatorStore, uid: string | undefined, now: number): Ugwo => {
  const body = { amount: 500_000, currency: 'NGN', description: 'A made-up event' };
  const ugwo =
    uid === undefined ? createUgwo({ params: {}, query: undefined, body, now, hangUp }, store) : store.ugwo(uid);
  if (ugwo !== undefined) return ugwo;
  throw usageError(`there is no payment request ${uid} in the emulator's data`, {
    hint: 'name the data file that holds it with --data',
  });
};

/** Builds a resource with the same code as a real event, and rolls the changes back. */
export const sampleResource = (
  store: EmulatorStore,
  event: EventName,
  uid: string | undefined,
  now: number,
): { readonly uid: string } => {
  try {
    return store.rehearse(() => SCENES[event]({ store, now, ugwo: requestFor(store, uid, now) }));
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) throw thrown;
    throw usageError(`${event} can't be made up on ${uid}: ${thrown.problem.detail ?? thrown.message}`);
  }
};

/** The event that a trigger put into the outbox. */
interface Triggered {
  readonly event: EventName;
  readonly event_uid: string;
  readonly about: string;
  readonly webhooks: number;
}

/** Emits an event that did not happen, about an existing payment request or a temporary one. Throws usage errors. */
export const triggerEvent = (
  store: EmulatorStore,
  event: EventName,
  ugwo: string | undefined,
  now: number,
): Triggered => {
  const data = sampleResource(store, event, ugwo, now);
  const emitted = store.write(() => emit(store, now, event, () => data));
  if (emitted === undefined) {
    throw usageError(`no webhook wants ${event}`, {
      hint: `add one: \`${emulatorLine(store.path, 'webhook', 'add', 'URL')}\``,
    });
  }
  return { event, event_uid: emitted.uid, about: emitted.subject, webhooks: emitted.webhooks };
};
