import { faultRules } from '../contract/fault-rule.ts';
import { breaches } from '../contract/operations.ts';
import { ENDINGS, FIRST_RECORDS } from '../core/data-files.ts';
import { PayError, usageError } from '../core/error.ts';
import { parseDuration, utcAtom } from '../core/time.ts';
import { EVENTS } from '../core/webhook-event.ts';
import { settle } from './payments.ts';
import { seedStore } from './seed.ts';
import { invalid, nowOf, problemError, type Service } from './service.ts';
import type { EmulatorStore, StoredFault } from './store.ts';
import {
  listDeliveries,
  listWebhooks,
  registerWebhook,
  removeWebhook,
  replayDelivery,
  triggerEvent,
} from './webhooks.ts';

/** Start of the paths of the controls. */
export const CONTROL = '/emulator/';

/** The emulator's time, and its offset in milliseconds. */
export interface ClockState {
  readonly now: string;
  readonly moved: number;
}

/** Maximum number of records added by one request, since no other request is answered meanwhile. */
const MOST_RECORDS = 100_000;
const LARGEST_AMOUNT = 1e15 - 1;

type StoreAndClock = Pick<Service, 'store' | 'clock'>;

const clockState = (service: StoreAndClock): ClockState => ({
  now: utcAtom(nowOf(service)),
  moved: service.store.clockOffset(),
});

/** Moves the clock on, or back to the real time. Activities that become due end with the next request. */
export const setClock = (service: StoreAndClock, by: number | 'back' | undefined): ClockState => {
  const { store } = service;
  if (by === 'back') store.setClockOffset(0);
  else if (by !== undefined) store.write(() => store.setClockOffset(store.clockOffset() + by));
  return clockState(service);
};

/** Replaces the fault rules; throws a usage error if they are invalid. */
export const replaceFaults = (store: EmulatorStore, rules: unknown): readonly StoredFault[] => {
  const { error, data } = faultRules().safeParse(rules);
  if (error !== undefined) {
    throw usageError('these are no rules for faults', {
      violations: breaches(error),
      hint: 'such as {"rules": [{"method": "POST", "path": "/v1/ugwo/*/activities", "times": 1, "reset": true, "when": "after"}]}',
    });
  }
  store.write(() => store.replaceFaults(data.rules));
  return store.faults();
};

const shownFaults = (faults: readonly StoredFault[]) => ({
  rules: faults.map(({ rule, seen, fired }) => ({ ...rule, seen, fired })),
});

const asRejection = <T>(work: () => T): T => {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    throw thrown.detail.violations === undefined
      ? problemError(422, thrown.message)
      : invalid(thrown.detail.violations);
  }
};

type Body = Readonly<Record<string, unknown>>;

const durationIn = (body: Body, name: string): number => {
  const ms = parseDuration(String(body[name]));
  if (ms === undefined) throw invalid([{ propertyPath: name, title: 'is not a duration such as 90s, 10m or 1h' }]);
  return ms;
};

/** Reads a whole number within bounds; undefined if it is missing. */
const countIn = (body: Body, name: string, least: number, most: number): number | undefined => {
  if (body[name] === undefined) return undefined;
  const count = Number(String(body[name]));
  if (Number.isSafeInteger(count) && count >= least && count <= most) return count;
  throw invalid([{ propertyPath: name, title: `is not a whole number from ${least} to ${most}` }]);
};

const settleActivity = (service: Service, body: Body) => {
  const as = ENDINGS.find((ending) => ending === body['as']);
  if (as === undefined) throw invalid([{ propertyPath: 'as', title: `is none of ${ENDINGS.join(', ')}` }]);
  const after = body['in'] === undefined ? undefined : durationIn(body, 'in');
  const amount = countIn(body, 'amount', 1, LARGEST_AMOUNT);
  const settling = {
    activity: String(body['activity']),
    as,
    after,
    amount: amount === undefined ? undefined : () => amount,
  };
  return asRejection(() => settle(service.store, settling, nowOf(service))).activity;
};

/** Adds records; a missing count means the usual number. */
const seedRecords = ({ store, clock }: Service, body: Body) => {
  const customers = countIn(body, 'customers', 0, MOST_RECORDS) ?? FIRST_RECORDS.customers;
  const ugwo = countIn(body, 'ugwo', 0, MOST_RECORDS) ?? FIRST_RECORDS.ugwo;
  store.write(() => [...seedStore(store, { customers, ugwo }, nowOf({ store, clock }))]);
  return { customers, ugwo };
};

const addWebhook = ({ store }: Service, body: Body) => {
  const listed = body['events'] ?? [];
  const events = Array.isArray(listed) ? listed.map(String) : [String(listed)];
  const secret = (): string => String(body['secret'] ?? '');
  return asRejection(() => registerWebhook(store, { url: String(body['url']), events, secret, allowRemote: false }));
};

const webhookIdIn = (body: Body): number => countIn(body, 'id', 1, Number.MAX_SAFE_INTEGER) ?? 0;

const triggerAsked = (service: Service, body: Body) => {
  const event = EVENTS.find((known) => known === body['event']);
  if (event === undefined) throw invalid([{ propertyPath: 'event', title: `is none of ${EVENTS.join(', ')}` }]);
  const ugwo = body['ugwo'] === undefined ? undefined : String(body['ugwo']);
  return asRejection(() => triggerEvent(service.store, event, ugwo, nowOf(service)));
};

const removeRecords = ({ store }: Service) => {
  store.removeRecords();
  return {};
};

/** Control handlers by method and path. */
export const controls: Readonly<Record<string, (service: Service, body: Body) => unknown>> = {
  [`GET ${CONTROL}clock`]: (service) => clockState(service),
  [`POST ${CONTROL}clock`]: (service, body) => setClock(service, durationIn(body, 'by')),
  [`DELETE ${CONTROL}clock`]: (service) => setClock(service, 'back'),
  [`GET ${CONTROL}faults`]: ({ store }) => shownFaults(store.faults()),
  [`PUT ${CONTROL}faults`]: ({ store }, body) => asRejection(() => shownFaults(replaceFaults(store, body))),
  [`DELETE ${CONTROL}faults`]: ({ store }) => shownFaults(replaceFaults(store, { rules: [] })),
  [`POST ${CONTROL}settle`]: settleActivity,
  [`POST ${CONTROL}seed`]: seedRecords,
  [`POST ${CONTROL}reset`]: removeRecords,
  [`GET ${CONTROL}webhooks`]: ({ store }) => ({ data: listWebhooks(store) }),
  [`POST ${CONTROL}webhooks`]: addWebhook,
  [`POST ${CONTROL}webhooks/remove`]: ({ store }, body) => asRejection(() => removeWebhook(store, webhookIdIn(body))),
  [`POST ${CONTROL}webhooks/trigger`]: triggerAsked,
  [`GET ${CONTROL}deliveries`]: ({ store }) => ({ data: listDeliveries(store, 100) }),
  [`POST ${CONTROL}deliveries/replay`]: ({ store }, body) =>
    asRejection(() => replayDelivery(store, webhookIdIn(body))),
};
