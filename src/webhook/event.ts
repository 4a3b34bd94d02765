import { createHash } from 'node:crypto';
import { BOUNDS } from '../core/bounds.ts';
import { parseIfJson } from '../core/json.ts';
import { decodeUtf8 } from '../core/text.ts';
import { type EventState, isSignedBy, readEvent } from '../core/webhook-event.ts';

/** Name and value, in the order and spelling in which they came. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A delivery as it came, its signature checked. */
export interface Delivery {
  /** The event's own, or `sha256:…` of the body where it has none. */
  readonly uid: string;
  readonly event: string;
  readonly ugwo: string | undefined;
  readonly activity: string | undefined;
  /** The sender's name for this attempt. */
  readonly delivery: string | undefined;
  readonly signature: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly receivedAt: number;
}

/** Stands where an event came under a uid that was known with another body. Its own uid here is the digest of its bytes. */
export const OTHER_BODY = -1;

/** An event in the queue. */
export interface KeptEvent extends Delivery {
  /** Its place in the order in which events came. */
  readonly seq: number;
  /** 0, its number among the repeats that were kept, too, or `OTHER_BODY`. */
  readonly again: number;
  /** How often it came again and was dropped. */
  readonly repeats: number;
  readonly state: EventState;
  /** How often it was forwarded, to whatever end. */
  readonly attempts: number;
  /** What the target answered last. */
  readonly answer: string | undefined;
  readonly answeredAt: number | undefined;
  /** Since when the target has refused it. */
  readonly refusedSince: number | undefined;
}

/** What a list shows of it. */
export type EventSummary = Omit<KeptEvent, 'body' | 'headers'>;

/** A delivery that was turned away for its signature. */
export interface RefusedDelivery {
  readonly at: number;
  readonly why: string;
  readonly delivery: string | undefined;
  readonly signature: string;
  readonly size: number;
  readonly body: Uint8Array;
}

/** Between two machines only (RFC 9110, section 7.6.1), or said anew for the body as it is sent. */
const NOT_PASSED_ON = new Set([
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

/** Pairs out of what node:http gives as one list. */
export const pairsOf = (raw: readonly string[]): Headers =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const);

/** The sender's headers without those that were for the way to here, those that Connection names included. */
export const passedOn = (headers: Headers): Headers => {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  const dropped = new Set([...NOT_PASSED_ON, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
};

/** What deliveries are signed with: several while one takes over from another. */
export interface Secrets {
  readonly all: readonly string[];
  /** Those of events of the sandbox, whose uid ends in `_t`; where there are none, the others are its, too. */
  readonly sandbox: readonly string[];
}

export const SIGNATURE_HEADER = 'x-kwugwo-signature';
const DELIVERY_HEADER = 'x-kwugwo-delivery-id';

/** The first value of a header, by its name in small letters. */
const headerOf = (headers: Headers, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

const short = (text: string | undefined, most: number): string | undefined =>
  text !== undefined && text.length <= most ? text : undefined;

/** What stands for the uid of a body that has none. */
export const digestUid = (body: Uint8Array): string => `sha256:${createHash('sha256').update(body).digest('hex')}`;

/** What a body whose signature was checked says of itself; its digest stands for a uid that it has not. */
const readBody = (body: Uint8Array): Pick<Delivery, 'uid' | 'event' | 'ugwo' | 'activity'> => {
  const { uid, event, ugwo, activity } = readEvent(parseIfJson(decodeUtf8(body) ?? ''));
  return {
    uid: short(uid, BOUNDS.id) ?? digestUid(body),
    event: event.slice(0, BOUNDS.word),
    ugwo: short(ugwo, BOUNDS.id),
    activity: short(activity, BOUNDS.id),
  };
};

export const isSandbox = (uid: string): boolean => uid.endsWith('_t');

/** Why a delivery is turned away; undefined where its signature is right. Nothing of a body is read before its signature is. */
const problemOf = (secrets: Secrets, body: Uint8Array, signature: string): string | undefined => {
  if (signature === '') return 'no signature';
  const { all, sandbox } = secrets;
  const [main, apart] = [isSignedBy(all, body, signature), isSignedBy(sandbox, body, signature)];
  if (!main && !apart) return 'wrong signature';
  if (sandbox.length === 0) return undefined;
  const isTest = isSandbox(readBody(body).uid);
  if (isTest) return apart ? undefined : 'an event of the sandbox, signed with another secret';
  return main ? undefined : "signed with the sandbox's secret, and no event of the sandbox";
};

/** A delivery by its bytes and headers, or why it is none. */
export const verifiedDelivery = (
  secrets: Secrets,
  { body, headers, receivedAt }: Pick<Delivery, 'body' | 'headers' | 'receivedAt'>,
): { readonly delivery: Delivery } | ({ readonly problem: string } & Pick<Delivery, 'delivery' | 'signature'>) => {
  const signature = headerOf(headers, SIGNATURE_HEADER) ?? '';
  const problem = problemOf(secrets, body, signature);
  const delivery = short(headerOf(headers, DELIVERY_HEADER), BOUNDS.id);
  if (problem !== undefined) return { problem, delivery, signature };
  return { delivery: { ...readBody(body), delivery, signature, headers, body, receivedAt } };
};
