import { createHmac, timingSafeEqual } from 'node:crypto';
import { textAt } from './charge.ts';
import { valueAt } from './json.ts';

/** Days for which `webhook listen` stores a finished event by default. */
export const KEEP_DAYS = 90;

/** The customer has paid twice. */
export const DOUBLE_CHARGE = 'ugwo.activity.double_charge_detected';

/** The known events (docs/service.md, Events). An unknown one is accepted like any other. */
export const EVENTS = [
  'nzube.onye.created',
  'nzube.onye.updated',
  'nzube.onye.deleted',
  'ugwo.created',
  'ugwo.updated',
  'ugwo.successful',
  'ugwo.activity.created',
  'ugwo.activity.updated',
  DOUBLE_CHARGE,
  'refund.successful',
  'refund.failed',
] as const;
export type EventName = (typeof EVENTS)[number];

interface EventRead {
  /** The same in every delivery of an event; undefined if the body has none, and then repeats can't be detected. */
  readonly uid: string | undefined;
  /** Its name; empty if there is none. */
  readonly event: string;
  /** The resource, as its GET shows it. */
  readonly data: unknown;
  /** The payment request of the event, if there is one. */
  readonly ugwo: string | undefined;
  /** The activity of the event, if there is one. */
  readonly activity: string | undefined;
}

/** The first identifier with this prefix at one of the paths. */
const idAt = (prefix: string, data: unknown, ...paths: readonly string[]): string | undefined =>
  paths.map((path) => textAt(data, path)).find((text) => text.startsWith(prefix));

/**
 * Reads an event's body (docs/service.md, Events). A payment request has its own identifier; an activity names its
 * payment request in `ugwo_uid`, or in `ugwo` as an object or a text, as a refund does.
 */
export const readEvent = (body: unknown): EventRead => {
  const data = valueAt(body, 'data');
  return {
    uid: textAt(body, 'uid') || undefined,
    event: textAt(body, 'event'),
    data,
    ugwo: idAt('ugw.', data, 'uid', 'ugwo_uid', 'ugwo.uid', 'ugwo'),
    activity: idAt('act.', data, 'uid', 'ugwo_activity.uid', 'ugwo_activity'),
  };
};

/** True if an event's name matches one of the patterns. In a pattern `*` stands for any text: `ugwo.activity.*`. */
export const isWanted = (event: string, wanted: readonly string[]): boolean =>
  wanted.some((pattern) =>
    new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`, 's').test(event),
  );

/** Files in the data folder: the queue of received events, and the lock of the listening process. */
export const QUEUE_FILE_NAME = 'webhooks.db';
export const LOCK_FILE_NAME = 'webhooks.lock';

/** Changes of a charge and of its refunds for which `watch --exec` runs its program. */
export const CHANGES =
  'paid,underpaid,overpaid,paid_twice,reversed,expired,failed,unknown,refunded,refund_failed'.split(',');
/** Start of the names of the files that store the events of `watch --exec`: a queue and a lock for each program. */
export const WATCH_FILE_START = 'watch-';

/** State of a received event: stored only, waiting to be forwarded, forwarded, or given up after days of refusals. */
export const EVENT_STATES = ['kept', 'waiting', 'forwarded', 'failed'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** Signature of a delivery: hex HMAC-SHA256 of the raw body with the endpoint's secret (docs/service.md, Events). */
export const signatureOf = (secret: string, body: Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/**
 * True if one of the secrets made this signature of these bytes, in either case of its hex digits. The time it takes
 * reveals neither.
 */
export const isSignedBy = (secrets: readonly string[], body: Uint8Array, signature: string): boolean => {
  const given = Buffer.from(signature.toLowerCase(), 'latin1');
  let signed = false;
  for (const secret of secrets) {
    const wanted = Buffer.from(signatureOf(secret, body), 'latin1');
    // All secrets are tried, even after a match.
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) signed = true;
  }
  return signed;
};
