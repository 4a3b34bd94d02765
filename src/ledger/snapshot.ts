import { activityFacts, amountAt, type RequestFacts, requestFacts } from '../charge/payment.ts';
import { BOUNDS, cutText } from '../core/bounds.ts';
import { activitiesOf, latestActivityOf, machineValue, statusOf, textAt } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { definedIn, printExact, valueAt } from '../core/json.ts';
import { type ApiRecord, earliestAsked, earliestServed } from '../core/record.ts';
import type { KeptActivity, RequestTerms } from './entry.ts';

/** Result of a read of a payment request (docs/service.md, Payment requests), with the fields that could be parsed. */
export interface Snapshot {
  /** Service's `Date` of the answer, in milliseconds with a resolution of one second, if it sent one. */
  readonly servedAt?: number;
  /** Age of a cached answer on arrival, in milliseconds. */
  readonly age?: number;
  /** Start of the read, by this machine's clock, in milliseconds. */
  readonly askedAt?: number;
  /** Machine value; empty if it can't be parsed. */
  readonly status: string;
  /** Money of the payment request; undefined if only one of its activities was read. */
  readonly facts: RequestFacts | undefined;
  /** The answer says that there is no checkout. */
  readonly noCheckout: boolean;
  readonly asked: RequestTerms;
  readonly description: string | undefined;
  /** Undefined if the service does not list them. */
  readonly activities: readonly unknown[] | undefined;
  /** Latest activity, if the service names it separately. */
  readonly last: unknown;
}

const sentenceAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? cutText(found, BOUNDS.sentence) : undefined;
};

const currencyOf = (ugwo: unknown): string | undefined => {
  const currency = machineValue(valueAt(ugwo, 'currency') ?? valueAt(ugwo, 'checkout.currency'));
  return /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : undefined;
};

/** The customer field holds an object or its uid. */
const customerIn = (ugwo: unknown): string | undefined => {
  for (const path of ['onye.uid', 'onye', 'onye_nzube.uid']) {
    const uid = sentenceAt(ugwo, path);
    if (uid !== undefined && isId('ony', uid)) return uid;
  }
  return undefined;
};

/** Uids of all activities that a read shows; undefined if it shows no list, or if one has no uid. */
const uidsIn = ({ activities, last }: Snapshot): ReadonlySet<unknown> | undefined => {
  if (activities === undefined) return undefined;
  const uids = [...activities, ...(last === undefined ? [] : [last])].map((one) => valueAt(one, 'uid'));
  return uids.every((uid) => typeof uid === 'string') ? new Set(uids) : undefined;
};

/** True if a later read shows exactly the activities of an earlier one. False if that can't be told. */
export const hasSameActivities = (before: Snapshot, after: Snapshot): boolean => {
  const [earlier, later] = [uidsIn(before), uidsIn(after)];
  // A cache may repeat the earlier answer.
  const isLater = before.servedAt === undefined || (after.servedAt ?? 0) > before.servedAt;
  return (
    isLater && earlier?.size === later?.size && later !== undefined && [...later].every((uid) => earlier?.has(uid))
  );
};

/** Maximum age of an answer, in milliseconds. An older one comes from a cache and may not show the current state. */
export const MOST_AGE_MS = 1000;

type ReadTimes = Pick<ApiRecord, 'servedAt' | 'age' | 'askedAt'>;

const timesOf = ({ servedAt, age, askedAt }: ReadTimes): ReadTimes => definedIn({ servedAt, age, askedAt });

/** Updates a snapshot with a newer read of one of its activities. */
export const withActivity = (shown: Snapshot | undefined, record: ApiRecord): Snapshot => {
  const { value } = record;
  const uid = valueAt(value, 'uid');
  const others = (shown?.activities ?? []).filter((one) => valueAt(one, 'uid') !== uid);
  return {
    ...(shown ?? snapshotOf({})),
    ...timesOf(record),
    facts: undefined,
    activities: [...others, value],
  };
};

/** All activities that a read shows: the listed ones, and the latest one if it isn't listed. */
export const activitiesIn = ({ activities = [], last }: Snapshot): readonly unknown[] => {
  const uid = valueAt(last, 'uid');
  const isListed = last === undefined || activities.some((one) => valueAt(one, 'uid') === uid);
  return isListed ? activities : [...activities, last];
};

/** Parses a payment request. */
export const snapshotOf = (ugwo: unknown, read: ReadTimes = {}): Snapshot => {
  const last = latestActivityOf(ugwo);
  return {
    ...timesOf(read),
    status: statusOf(ugwo),
    facts: requestFacts(ugwo),
    noCheckout: valueAt(ugwo, 'checkout') === null,
    asked: {
      amount: amountAt(ugwo, 'amount'),
      currency: currencyOf(ugwo),
      ref: sentenceAt(ugwo, 'ref'),
      customer: customerIn(ugwo),
      email: sentenceAt(ugwo, 'onye.email') ?? sentenceAt(ugwo, 'onye_nzube.email') ?? sentenceAt(ugwo, 'onye_email'),
    },
    description: sentenceAt(ugwo, 'description'),
    activities: activitiesOf(ugwo),
    last: statusOf(last) === '' ? undefined : last,
  };
};

/** Length of a value as JSON. Stops counting beyond `most`, since printing a huge answer to count it would be slow. */
const jsonLengthUpTo = (most: number, value: unknown): number => {
  if (typeof value === 'string' && value.length > most) return value.length;
  if (typeof value !== 'object' || value === null) return printExact(value).length;
  let length = 1;
  for (const [name, member] of Object.entries(value)) {
    const named = Array.isArray(value) ? 0 : jsonLengthUpTo(most, name) + 1;
    length += named + jsonLengthUpTo(most - length, member) + 1;
    if (length > most) break;
  }
  return Math.max(length, 2);
};

const shortWordAt = (value: unknown, name: string): string | undefined => {
  const word = textAt(value, name);
  return word === '' || word.length > BOUNDS.word ? undefined : word;
};

/** Part of an activity to store, whatever the types of its fields. `read` is the read that showed it. */
export const keptActivity = (activity: unknown, read: ReadTimes = {}): KeptActivity => {
  const [uid, createdAt] = [valueAt(activity, 'uid'), valueAt(activity, 'created_at')];
  const action = valueAt(activity, 'next_action');
  return {
    uid: typeof uid === 'string' ? uid : '',
    status: statusOf(activity),
    // A longer one is for nobody to act on, and the full answer has been shown already.
    nextAction: jsonLengthUpTo(BOUNDS.kept, action) > BOUNDS.kept ? null : (action ?? null),
    createdAt: typeof createdAt === 'string' && createdAt.length <= BOUNDS.word ? createdAt : undefined,
    facts: activityFacts(activity),
    psp: shortWordAt(activity, 'psp'),
    pspReference: shortWordAt(activity, 'psp_external_id'),
    ...definedIn({ servedAt: earliestServed(read), askedAt: earliestAsked(read) }),
  };
};

/** Converts a stored activity back to the service's own fields. */
export const asActivity = ({ uid, status, nextAction, createdAt }: KeptActivity): Record<string, unknown> => ({
  uid,
  activity_type: 'charge',
  status,
  next_action: nextAction,
  ...(createdAt === undefined ? {} : { created_at: createdAt }),
});
