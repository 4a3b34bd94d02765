import { randomUUID } from 'node:crypto';
import { type DeliveryRule, isDeliveryRule } from '../../contract/fault-rule.ts';
import { parseDuration } from '../../core/duration.ts';
import { isWanted } from '../../core/event.ts';
import { signatureOf } from '../../core/signature.ts';
import { utcAtom } from '../../core/time.ts';
import { nowOf, type Service } from '../answer.ts';
import { eventShape, SPEECH } from '../dialect.ts';
import { ruleFor } from '../faults.ts';
import type { Attempt, Delivery, Next } from '../store/outbox.ts';
import { post } from './post.ts';

/** What is not answered 2xx is tried twice more, so long apart (public material, webhooks). */
const AGAIN_MS = 30 * 60_000;
const MOST_TRIES = 3;

/** What is sent, byte for byte. */
const bodyOf = ({ dialect }: Service, { uid, event, data }: Delivery): Uint8Array => {
  const json = `{"uid":${JSON.stringify(uid)},"event":${JSON.stringify(event)},"data":${data}}`;
  return Buffer.from(SPEECH[dialect].answer(eventShape(event), json));
};

/** The header is there without a secret, too, and empty then (public material, webhooks). */
const signatureHeader = ({ secret }: Delivery['webhook'], body: Uint8Array, rule: DeliveryRule | undefined) => {
  if (rule?.signature === 'none') return {};
  const signing = rule?.signature === 'wrong' ? `not ${secret}` : secret;
  return { 'x-kwugwo-signature': signing === '' ? '' : signatureOf(signing, body) };
};

/** The effect of a rule, as it is shown: `late: 10m`. */
const effectOf = (rule: DeliveryRule): string =>
  Object.entries(rule)
    .filter(([name]) => !['event', 'share', 'times'].includes(name))
    .map(([name, value]) => (value === true ? name : `${name}: ${value}`))
    .join(', ');

const sendOnce = async (service: Service, delivery: Delivery, rule: DeliveryRule | undefined): Promise<Attempt> => {
  const body = bodyOf(service, delivery);
  const [at, started, id] = [nowOf(service), service.clock.ticks(), randomUUID()];
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'paycli-emulator',
    'x-kwugwo-delivery-id': id,
    ...signatureHeader(delivery.webhook, body, rule),
  };
  const slow = rule?.slow === undefined ? undefined : parseDuration(rule.slow);
  const letter = { url: delivery.webhook.url, headers, body, cut: rule?.cut, slow };
  const answered = await post(letter, service.clock, service.closing);
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

const isTaken = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** How a delivery goes on that was just tried. */
const nextAfter = ({ tries }: Delivery, attempts: readonly Attempt[], now: number): Next => {
  const made = tries + 1;
  if (attempts.some(isTaken)) return { state: 'delivered', due: undefined, tries: made, putOff: undefined };
  if (made >= MOST_TRIES) return { state: 'failed', due: undefined, tries: made, putOff: undefined };
  return { state: 'waiting', due: now + AGAIN_MS, tries: made, putOff: undefined };
};

/** How one goes on that a rule does not let out now; undefined where it does. */
const heldBack = ({ tries }: Delivery, rule: DeliveryRule | undefined, now: number): Next | undefined => {
  if (rule?.never === true) return { state: 'dropped', due: undefined, tries, putOff: undefined };
  const late = rule?.late === undefined ? undefined : parseDuration(rule.late);
  if (late !== undefined) return { state: 'waiting', due: now + late, tries, putOff: 'late' };
  // Where nothing follows, it goes out by itself in the end.
  if (rule?.out_of_order === true) return { state: 'waiting', due: now + AGAIN_MS, tries, putOff: 'held' };
  return undefined;
};

/** The rule that a delivery meets; none that was put off by one. */
const ruleOf = ({ store }: Service, { event, webhook, putOff }: Delivery): DeliveryRule | undefined => {
  if (putOff !== undefined) return undefined;
  return ruleFor(store, (rule): rule is DeliveryRule => {
    if (!isDeliveryRule(rule) || !isWanted(event, [rule.event])) return false;
    // The one that follows what is kept back is what that waits for.
    return rule.out_of_order !== true || !store.isHolding(webhook.id);
  });
};

/**
 * Tries a delivery once, or does with it what a rule for faults says, and notes what came of it. A process that dies meanwhile
 * leaves it in the outbox as it was: it is sent again, under the same uid.
 */
export const attempt = async (service: Service, delivery: Delivery): Promise<void> => {
  const { store, closing } = service;
  const rule = ruleOf(service, delivery);
  const held = heldBack(delivery, rule, nowOf(service));
  if (held !== undefined) {
    store.write(() => store.setNext(delivery.id, held));
    return;
  }
  const attempts = [await sendOnce(service, delivery, rule)];
  if (rule?.twice === true && !closing.aborted) attempts.push(await sendOnce(service, delivery, rule));
  if (closing.aborted) return;
  store.write(() => {
    for (const one of attempts) store.noteAttempt(delivery.id, one);
    store.setNext(delivery.id, nextAfter(delivery, attempts, nowOf(service)));
    store.releaseHeld(delivery.webhook.id, delivery.id);
  });
};
