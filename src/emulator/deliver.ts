import { randomUUID } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { type DeliveryRule, isDeliveryRule } from '../contract/fault-rule.ts';
import { attempt } from '../core/async.ts';
import type { Dialect } from '../core/data-files.ts';
import { printExact } from '../core/json.ts';
import { lookupFor } from '../core/origin.ts';
import { parseDuration, utcAtom } from '../core/time.ts';
import { type EventName, isWanted, signatureOf } from '../core/webhook-event.ts';
import { type Busy, consume, dueOf, type QueueItem } from '../webhook/consumer.ts';
import { type PostResult, post } from '../webhook/post.ts';
import { eventShape, WIRE_FORMS } from './dialect.ts';
import { effectOf, ruleFor } from './faults.ts';
import { newServiceId } from './ids.ts';
import { catchUp } from './payments.ts';
import { nowOf, type Service } from './service.ts';
import { type DeliveryAttempt, type Next, type OutgoingDelivery, withoutFile } from './store.ts';
import { sampleResource } from './webhooks.ts';

const ANSWER_LIMIT_MS = 15_000;

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'the host was not found',
};

const deliveryOutcome = (posted: PostResult): Pick<DeliveryAttempt, 'status' | 'error'> => {
  if (posted.kind === 'answered') return { status: posted.status, error: null };
  const { code = '', why } = posted.kind === 'failed' ? posted : { why: 'the emulator was stopped' };
  return { status: null, error: ERROR_TEXTS[code] ?? why };
};

/** A delivery without a 2xx answer is tried twice more, at this interval (docs/service.md, Events). */
const RETRY_MS = 30 * 60_000;
const TRIES_LIMIT = 3;

type BodyParts = Pick<OutgoingDelivery, 'uid' | 'event' | 'data'>;

/** The request of a delivery: the exact bytes of its body, and headers with a new id. */
const deliveryRequest = (dialect: Dialect, { uid, event, data }: BodyParts, secret: string, rule?: DeliveryRule) => {
  const json = `{"uid":${JSON.stringify(uid)},"event":${JSON.stringify(event)},"data":${data}}`;
  const body = Buffer.from(WIRE_FORMS[dialect].answer(eventShape(event), json));
  const id = randomUUID();
  const signing = rule?.signature === 'wrong' ? `not ${secret}` : secret;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'paycli-emulator',
    'x-kwugwo-delivery-id': id,
    // Without a secret the service sends the header too, but empty.
    ...(rule?.signature === 'none' ? {} : { 'x-kwugwo-signature': signing === '' ? '' : signatureOf(signing, body) }),
  };
  return { id, headers: Object.entries(headers), body };
};

/** The request of a made-up event, about a record that no store has. */
export const sampleRequest = (event: EventName, secret: string, now: number) => {
  const uid = newServiceId('evt');
  const data = withoutFile((store) => printExact(sampleResource(store, event, undefined, now)));
  return { uid, ...deliveryRequest('documented', { uid, event, data }, secret) };
};

/** Writes a body with the faults of a rule: cut off behind some bytes, or with a pause in the middle. */
const writeBadly =
  ({ clock, closing }: Service, cut: number | undefined, slow: number) =>
  async (request: ClientRequest, body: Uint8Array): Promise<void> => {
    const middle = cut ?? body.byteLength / 2;
    request.write(body.subarray(0, middle), () => {
      if (cut !== undefined) request.destroy(new Error(`cut off behind ${cut} bytes`));
    });
    if (cut !== undefined) return;
    await clock.sleep(slow, closing);
    request.end(body.subarray(middle));
  };

const sendDelivery = async (
  service: Service,
  delivery: OutgoingDelivery,
  rule: DeliveryRule | undefined,
): Promise<DeliveryAttempt> => {
  const { id, headers, body } = deliveryRequest(service.dialect, delivery, delivery.webhook.secret, rule);
  const [at, started] = [nowOf(service), service.clock.ticks()];
  const url = new URL(delivery.webhook.url);
  const slow = parseDuration(rule?.slow ?? '') ?? 0;
  const write = rule?.cut === undefined && slow === 0 ? undefined : writeBadly(service, rule?.cut, slow);
  const posted = await post({ url, agent: false, ...lookupFor(url) }, headers, body, {
    stop: service.closing,
    limitMs: ANSWER_LIMIT_MS + slow,
    write,
  });
  return {
    delivery_id: id,
    at: utcAtom(at),
    ...deliveryOutcome(posted),
    ms: Math.round(service.clock.ticks() - started),
    ...(rule === undefined ? {} : { fault: effectOf(rule) }),
  };
};

const wasTaken = ({ status }: DeliveryAttempt): boolean => status !== null && status >= 200 && status < 300;

/** Decides the next step of a delivery after an attempt. */
const afterAttempt = ({ tries }: OutgoingDelivery, attempts: readonly DeliveryAttempt[], now: number): Next => {
  const made = tries + 1;
  if (attempts.some(wasTaken)) return { state: 'delivered', due: undefined, tries: made, putOff: undefined };
  if (made >= TRIES_LIMIT) return { state: 'failed', due: undefined, tries: made, putOff: undefined };
  return { state: 'waiting', due: now + RETRY_MS, tries: made, putOff: undefined };
};

/** Decides the next step of a delivery that a rule drops or postpones; undefined if it may be sent now. */
const withheld = ({ tries }: OutgoingDelivery, rule: DeliveryRule | undefined, now: number): Next | undefined => {
  if (rule?.never === true) return { state: 'dropped', due: undefined, tries, putOff: undefined };
  const late = rule?.late === undefined ? undefined : parseDuration(rule.late);
  if (late !== undefined) return { state: 'waiting', due: now + late, tries, putOff: 'late' };
  // Sent anyway after this time if no other delivery follows.
  if (rule?.out_of_order === true) return { state: 'waiting', due: now + RETRY_MS, tries, putOff: 'held' };
  return undefined;
};

/** Finds the rule for a delivery; a delivery that a rule has already postponed gets none. */
const ruleOf = ({ store }: Service, { event, webhook, putOff }: OutgoingDelivery): DeliveryRule | undefined => {
  if (putOff !== undefined) return undefined;
  return ruleFor(store, (rule): rule is DeliveryRule => {
    if (!isDeliveryRule(rule) || !isWanted(event, [rule.event])) return false;
    // While one delivery is held, the next one releases it and must not be held too.
    return rule.out_of_order !== true || !store.isHolding(webhook.id);
  });
};

/**
 * Attempts a delivery once, or applies a fault rule to it, and stores the outcome. If the process dies meanwhile, the
 * delivery stays in the outbox and is sent again under the same uid.
 */
const deliverOne = async (service: Service, delivery: OutgoingDelivery): Promise<void> => {
  const { store, closing } = service;
  const rule = ruleOf(service, delivery);
  const held = withheld(delivery, rule, nowOf(service));
  if (held !== undefined) {
    store.write(() => store.setNext(delivery.id, held));
    return;
  }
  const attempts = [await sendDelivery(service, delivery, rule)];
  if (rule?.twice === true && !closing.aborted) attempts.push(await sendDelivery(service, delivery, rule));
  if (closing.aborted) return;
  store.write(() => {
    for (const one of attempts) store.noteAttempt(delivery.id, one);
    store.setNext(delivery.id, afterAttempt(delivery, attempts, nowOf(service)));
    store.releaseHeld(delivery.webhook.id, delivery.id);
  });
};

/** Interval in milliseconds for checking whether another process has filled the outbox or moved the clock. */
const DELIVERY_POLL_MS = 250;

/** Maximum parallel deliveries to one webhook, each of a different payment request. */
const PARALLEL_LIMIT = 8;

/** Pause in milliseconds for a payment request whose delivery outcome could not be stored. */
const PAUSE_MS = 10_000;

type Head = QueueItem & { readonly delivery: OutgoingDelivery };

/** The deliveries to send now to a webhook. The events of one payment request arrive in order. */
const dueAt = ({ store }: Service, webhook: number, busy: Busy, now: number) => {
  const room = PARALLEL_LIMIT - [...busy.keys()].filter((key) => key.startsWith(`${webhook} `)).length;
  const found = store.dueDeliveries(webhook, now, 2 * PARALLEL_LIMIT);
  const heads = found.map((delivery): Head => ({ key: `${webhook} ${delivery.subject}`, due: now, delivery }));
  return dueOf(heads, busy, room, now).start;
};

/**
 * Delivers the outbox until the service closes, including events from other processes. For one data file, only the
 * process that holds its lock delivers.
 */
export const deliver = async (service: Service): Promise<void> => {
  const { store, clock, closing } = service;
  let release: (() => void) | undefined;
  const startDue = (busy: Busy): readonly Head[] => {
    const webhooks = store.webhooks();
    if (webhooks.length === 0) return [];
    release ??= store.holdOutbox();
    if (release === undefined) return [];
    // Activities end by the clock also while no client asks for them.
    catchUp(store, nowOf(service));
    return webhooks.flatMap(({ id }) => dueAt(service, id, busy, nowOf(service)));
  };
  // A fault of the file is reported by a client's next request.
  const next = (busy: Busy) => ({
    start: attempt(() => startDue(busy)) ?? [],
    wait: DELIVERY_POLL_MS,
  });
  // If the outcome can't be stored, the pause prevents sending it over and over.
  const handle = ({ delivery }: Head): Promise<void> =>
    deliverOne(service, delivery).catch(() => clock.sleep(PAUSE_MS, closing).catch(() => undefined));
  const { notify, ended } = consume({ next, handle }, clock, closing);
  store.onWrite(notify);
  await ended;
  release?.();
};
