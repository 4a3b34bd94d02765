import { createHash } from 'node:crypto';
import { BOUNDS } from '../core/bounds.ts';
import { parseIfJson } from '../core/json.ts';
import { decodeUtf8 } from '../core/text.ts';
import { type EventState, isSignedBy, readEvent } from '../core/webhook-event.ts';

/** Names and values in their original order and spelling. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A delivery with a verified signature. */
export interface Delivery {
  /** The event's uid, or `sha256:…` of the body if it has none. */
  readonly uid: string;
  readonly event: string;
  readonly ugwo: string | undefined;
  readonly activity: string | undefined;
  /** The sender's id of this attempt. */
  readonly deliveryId: string | undefined;
  readonly signature: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly receivedAt: number;
}

/**
 * The value of `again` for an event with a known uid but another body. Its uid in the queue is the digest of its bytes.
 */
export const OTHER_BODY = -1;

export interface KeptEvent extends Delivery {
  /** Its position in order of arrival. */
  readonly seq: number;
  /** 0, its number among the stored repeats, or `OTHER_BODY`. */
  readonly again: number;
  readonly repeats: number;
  readonly state: EventState;
  /** The number of attempts to forward it, whatever the outcome. */
  readonly attempts: number;
  readonly answer: string | undefined;
  readonly answeredAt: number | undefined;
  /** The instant of the target's first refusal. */
  readonly refusedSince: number | undefined;
}

/** An event in a list: in place of its body, what that is about. */
export type EventSummary = Omit<KeptEvent, 'body' | 'headers'> & {
  readonly ref: string | undefined;
  /** In the minor unit. */
  readonly amount: number | undefined;
  readonly currency: string | undefined;
};

/** A delivery that was refused for its signature. */
export interface RefusedDelivery {
  readonly receivedAt: number;
  readonly why: string;
  readonly deliveryId: string | undefined;
  readonly signature: string;
  readonly size: number;
  readonly body: Uint8Array;
}

/** Headers for a single hop (RFC 9110, section 7.6.1), and headers that are set again for the forwarded body. */
const NOT_FORWARDED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Converts the flat header list of node:http to pairs. */
export const headerPairs = (raw: readonly string[]): Headers =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const);

/** The sender's headers without those for a single hop, including those that Connection names. */
export const passedOn = (headers: Headers): Headers => {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  const dropped = new Set([...NOT_FORWARDED, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
};

/** The signing secrets: several while a new one replaces an old one. */
export interface Secrets {
  readonly all: readonly string[];
  /** The secrets for sandbox events, whose uid ends in `_t`; where there are none, the others apply to them, too. */
  readonly sandbox: readonly string[];
}

export const SIGNATURE_HEADER = 'x-kwugwo-signature';
const DELIVERY_HEADER = 'x-kwugwo-delivery-id';

/** The first value of a header; `wanted` is in lower case. */
const headerOf = (headers: Headers, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

const short = (text: string | undefined, most: number): string | undefined =>
  text !== undefined && text.length <= most ? text : undefined;

/** The substitute uid of a body without one. */
export const digestUid = (body: Uint8Array): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;

/** Parses a body with a verified signature. Its digest replaces a missing uid. */
const readDeliveryBody = (body: Uint8Array): Pick<Delivery, 'uid' | 'event' | 'ugwo' | 'activity'> => {
  const { uid, event, ugwo, activity } = readEvent(parseIfJson(decodeUtf8(body) ?? ''));
  return {
    uid: short(uid, BOUNDS.id) ?? digestUid(body),
    event: event.slice(0, BOUNDS.word),
    ugwo: short(ugwo, BOUNDS.id),
    activity: short(activity, BOUNDS.id),
  };
};

/**
 * The reason to refuse a delivery; undefined if its signature is valid. Nothing of a body is parsed before its
 * signature is verified.
 */
const problemOf = (secrets: Secrets, body: Uint8Array, signature: string): string | undefined => {
  if (signature === '') return 'no signature';
  const { all, sandbox } = secrets;
  const [isMain, isSandbox] = [isSignedBy(all, body, signature), isSignedBy(sandbox, body, signature)];
  if (!isMain && !isSandbox) return 'wrong signature';
  if (sandbox.length === 0) return undefined;
  const isTest = readDeliveryBody(body).uid.endsWith('_t');
  if (isTest) return isSandbox ? undefined : 'an event of the sandbox, signed with another secret';
  return isMain ? undefined : "signed with the sandbox's secret, and no event of the sandbox";
};

/** The delivery for these bytes and headers, or the reason to refuse it. */
export const verifiedDelivery = (
  secrets: Secrets,
  { body, headers, receivedAt }: Pick<Delivery, 'body' | 'headers' | 'receivedAt'>,
): { readonly delivery: Delivery } | ({ readonly problem: string } & Pick<Delivery, 'deliveryId' | 'signature'>) => {
  const signature = headerOf(headers, SIGNATURE_HEADER) ?? '';
  const problem = problemOf(secrets, body, signature);
  const deliveryId = short(headerOf(headers, DELIVERY_HEADER), BOUNDS.id);
  if (problem !== undefined) return { problem, deliveryId, signature };
  return { delivery: { ...readDeliveryBody(body), deliveryId, signature, headers, body, receivedAt } };
};
