import { createHash } from 'node:crypto';
import { BOUNDS } from '../core/bounds.ts';
import { readEvent } from '../core/event.ts';
import { parseIfJson } from '../core/json.ts';
import { isSignedBy } from '../core/signature.ts';
import { decodeUtf8 } from '../core/utf8.ts';
import type { Delivery, Headers } from './kept.ts';

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
export const readDelivery = (
  secrets: Secrets,
  { body, headers, receivedAt }: Pick<Delivery, 'body' | 'headers' | 'receivedAt'>,
): { readonly delivery: Delivery } | ({ readonly problem: string } & Pick<Delivery, 'delivery' | 'signature'>) => {
  const signature = headerOf(headers, SIGNATURE_HEADER) ?? '';
  const problem = problemOf(secrets, body, signature);
  const delivery = short(headerOf(headers, DELIVERY_HEADER), BOUNDS.id);
  if (problem !== undefined) return { problem, delivery, signature };
  return { delivery: { ...readBody(body), delivery, signature, headers, body, receivedAt } };
};
