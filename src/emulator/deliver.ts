import { randomUUID } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { type DeliveryRule, isDeliveryRule } from '../contract/fault-rule.ts';
import { reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { lookupFor } from '../core/origin.ts';
import { parseDuration, utcAtom } from '../core/time.ts';
import { isWanted, signatureOf } from '../core/webhook-event.ts';
import { eventShape, SPEECH } from './dialect.ts';
import { effectOf, ruleFor } from './faults.ts';
import { randomText } from './ids.ts';
import { catchUp } from './payments.ts';
import { nowOf, type Service } from './service.ts';
import type { DeliveryAttempt, EmulatorStore, Next, OutgoingDelivery } from './store.ts';

/** Time limit for an answer, in milliseconds. */
const ANSWER_LIMIT_MS = 15_000;

/** Maximum bytes read of an answer; its content is ignored. */
const ANSWER_LIMIT = 64 * 1024;

interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Cuts the connection after this many bytes of the body. */
  readonly cut?: number | undefined;
  /** Delays the second half of the body by this many milliseconds. */
  readonly slow?: number | undefined;
}

/** The status of the answer, or the reason why there is none. */
type DeliveryResult = { readonly status: number } | { readonly error: string };

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'the host was not found',
};

const errorText = (thrown: unknown): string =>
  ERROR_TEXTS[(thrown as NodeJS.ErrnoException).code ?? ''] ?? reasonOf(thrown);

const open = ({ url, headers, body }: DeliveryRequest): ClientRequest => {
  const target = new URL(url);
  const sized = { ...headers, 'content-length': body.byteLength };
  const how = { method: 'POST', agent: false as const, headers: sized, ...lookupFor(target) };
  return target.protocol === 'https:' ? overHttps(target, how) : overHttp(target, how);
};

/** Resolves to the status once the answer has ended or enough of it was read. */
const statusOf = (answer: IncomingMessage): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let size = 0;
  answer.on('data', (chunk: Uint8Array) => {
    size += chunk.byteLength;
    if (size > ANSWER_LIMIT) answer.destroy();
  });
  answer.on('error', () => undefined);
  answer.on('close', () => resolve(answer.statusCode ?? 0));
  return promise;
};

const answerOf = (outgoing: ClientRequest): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  outgoing.on('response', (answer) => resolve(statusOf(answer)));
  outgoing.on('error', reject);
  outgoing.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  return promise;
};

const flushed = (outgoing: ClientRequest, bytes: Uint8Array): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  outgoing.write(bytes, () => resolve());
  return promise;
};

const sendBody = async (
  outgoing: ClientRequest,
  { body, cut, slow }: DeliveryRequest,
  clock: Clock,
  stop: AbortSignal,
) => {
  if (cut !== undefined) {
    await flushed(outgoing, body.subarray(0, cut));
    outgoing.destroy();
    return;
  }
  if (slow !== undefined) {
    outgoing.write(body.subarray(0, body.byteLength / 2));
    await clock.sleep(slow, stop);
    outgoing.end(body.subarray(body.byteLength / 2));
    return;
  }
  outgoing.end(body);
};

/** Sends the request once; follows no redirect. */
const post = async (request: DeliveryRequest, clock: Clock, stop: AbortSignal): Promise<DeliveryResult> => {
  const outgoing = open(request);
  const late = AbortSignal.timeout(ANSWER_LIMIT_MS + (request.slow ?? 0));
  const leave = (): void => void outgoing.destroy();
  stop.addEventListener('abort', leave, { once: true });
  late.addEventListener('abort', leave, { once: true });
  try {
    const answered = answerOf(outgoing);
    const [status] = await Promise.all([answered, sendBody(outgoing, request, clock, stop)]);
    return { status };
  } catch (thrown) {
    if (request.cut !== undefined) return { error: `cut off behind ${request.cut} bytes` };
    return { error: late.aborted ? `no answer in ${ANSWER_LIMIT_MS / 1000} s` : errorText(thrown) };
  } finally {
    outgoing.destroy();
    stop.removeEventListener('abort', leave);
  }
};

/** A delivery without a 2xx answer is tried twice more, at this interval (public material, webhooks). */
const RETRY_MS = 30 * 60_000;
const TRIES_LIMIT = 3;

/** Returns the exact bytes of the request body. */
const bodyOf = ({ dialect }: Service, { uid, event, data }: OutgoingDelivery): Uint8Array => {
  const json = `{"uid":${JSON.stringify(uid)},"event":${JSON.stringify(event)},"data":${data}}`;
  return Buffer.from(SPEECH[dialect].answer(eventShape(event), json));
};

/** Without a secret the header is present but empty (public material, webhooks). */
const signatureHeader = ({ secret }: OutgoingDelivery['webhook'], body: Uint8Array, rule: DeliveryRule | undefined) => {
  if (rule?.signature === 'none') return {};
  const signing = rule?.signature === 'wrong' ? `not ${secret}` : secret;
  return { 'x-kwugwo-signature': signing === '' ? '' : signatureOf(signing, body) };
};

const sendOnce = async (
  service: Service,
  delivery: OutgoingDelivery,
  rule: DeliveryRule | undefined,
): Promise<DeliveryAttempt> => {
  const body = bodyOf(service, delivery);
  const [at, started, id] = [nowOf(service), service.clock.ticks(), randomUUID()];
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'paycli-emulator',
    'x-kwugwo-delivery-id': id,
    ...signatureHeader(delivery.webhook, body, rule),
  };
  const slow = rule?.slow === undefined ? undefined : parseDuration(rule.slow);
  const request = { url: delivery.webhook.url, headers, body, cut: rule?.cut, slow };
  const answered = await post(request, service.clock, service.closing);
  return {
    delivery_id: id,
    at: utcAtom(at),
    status: null,
    error: null,
    ...answered,
    ms: Math.round(service.clock.ticks() - started),
    ...(rule === undefined ? {} : { fault: effectOf(rule) }),
  };
};

const isTaken = ({ status }: DeliveryAttempt): boolean => status !== null && status >= 200 && status < 300;

/** Decides the next step of a delivery after an attempt. */
const afterAttempt = ({ tries }: OutgoingDelivery, attempts: readonly DeliveryAttempt[], now: number): Next => {
  const made = tries + 1;
  if (attempts.some(isTaken)) return { state: 'delivered', due: undefined, tries: made, putOff: undefined };
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
const attempt = async (service: Service, delivery: OutgoingDelivery): Promise<void> => {
  const { store, closing } = service;
  const rule = ruleOf(service, delivery);
  const held = withheld(delivery, rule, nowOf(service));
  if (held !== undefined) {
    store.write(() => store.setNext(delivery.id, held));
    return;
  }
  const attempts = [await sendOnce(service, delivery, rule)];
  if (rule?.twice === true && !closing.aborted) attempts.push(await sendOnce(service, delivery, rule));
  if (closing.aborted) return;
  store.write(() => {
    for (const one of attempts) store.noteAttempt(delivery.id, one);
    store.setNext(delivery.id, afterAttempt(delivery, attempts, nowOf(service)));
    store.releaseHeld(delivery.webhook.id, delivery.id);
  });
};

/** Interval in milliseconds for checking whether another process has filled the outbox or moved the clock. */
const POLL_MS = 250;

/** Maximum parallel deliveries to one webhook, each of a different payment request. */
const PARALLEL_LIMIT = 8;

/** Pause in milliseconds for a payment request whose delivery outcome could not be stored. */
const PAUSE_MS = 10_000;

/** Time in milliseconds after which another process takes over from a dead deliverer. */
const LEASE_MS = 3000;

/**
 * True if this process holds the lease to deliver for this data file, so that each event is sent by one process only.
 */
const holdsLease = (store: EmulatorStore, clock: Clock, owner: string): boolean => {
  const now = clock.now();
  const current = store.deliverer();
  // A later end of the lease comes from a clock that was set back since.
  const isHeld = current !== undefined && current.until > now && current.until <= now + LEASE_MS;
  if (isHeld && current.owner !== owner) return false;
  if (isHeld && current.until > now + LEASE_MS / 2) return true;
  return store.write(() => {
    if (store.deliverer()?.until !== current?.until) return false;
    store.setDeliverer(owner, now + LEASE_MS);
    return true;
  });
};

const orderKey = ({ webhook, subject }: OutgoingDelivery): string => `${webhook.id} ${subject}`;

/** Selects the next deliveries to a webhook: one per payment request, so that its events arrive in order. */
const nextOf = (
  store: EmulatorStore,
  webhook: number,
  now: number,
  inFlight: ReadonlyMap<string, unknown>,
): OutgoingDelivery[] => {
  const busy = new Set(inFlight.keys());
  const free = PARALLEL_LIMIT - [...busy].filter((key) => key.startsWith(`${webhook} `)).length;
  if (free === 0) return [];
  const found = store.dueDeliveries(webhook, now, 2 * PARALLEL_LIMIT).filter((delivery) => {
    const isFirst = !busy.has(orderKey(delivery));
    busy.add(orderKey(delivery));
    return isFirst;
  });
  return found.slice(0, free);
};

/**
 * Starts the deliveries that are due. First ends activities that are due by the clock, since no client may ask for
 * them.
 */
const startDue = (service: Service, owner: string, inFlight: Map<string, Promise<void>>, wake: () => void): void => {
  const { store, clock } = service;
  const webhooks = store.webhooks();
  if (webhooks.length === 0 || !holdsLease(store, clock, owner)) return;
  catchUp(store, nowOf(service));
  for (const { id } of webhooks) {
    for (const delivery of nextOf(store, id, nowOf(service), inFlight)) {
      const key = orderKey(delivery);
      const done = (): void => {
        inFlight.delete(key);
        wake();
      };
      // If the outcome can't be stored, the pause prevents sending it over and over.
      const sent = attempt(service, delivery).catch(() =>
        clock.sleep(PAUSE_MS, service.closing).catch(() => undefined),
      );
      inFlight.set(key, sent.then(done));
    }
  }
};

/**
 * Delivers the outbox until the service closes, including events from other processes; only one process delivers for a
 * data file. Retries after a failure, such as a busy file.
 */
export const deliver = async (service: Service): Promise<void> => {
  const { store, clock, closing } = service;
  const [owner, inFlight] = [randomText(12), new Map<string, Promise<void>>()];
  let waiting = new AbortController();
  const wake = (): void => waiting.abort();
  store.onWrite(wake);
  closing.addEventListener('abort', wake, { once: true });
  while (!closing.aborted) {
    waiting = new AbortController();
    try {
      startDue(service, owner, inFlight, wake);
    } catch {
      // A client's next request reports the error.
    }
    await clock.sleep(POLL_MS, waiting.signal).catch((thrown) => {
      if (!waiting.signal.aborted) throw thrown;
    });
  }
  await Promise.all(inFlight.values());
  try {
    store.write(() => store.removeDeliverer(owner));
  } catch {
    // The next deliverer waits until this lease ends.
  }
};
