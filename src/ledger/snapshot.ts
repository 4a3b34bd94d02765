import { BOUNDS, cutText } from '../core/bounds.ts';
import { activitiesOf, machineValue, statusOf } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { printExact, valueAt } from '../core/json.ts';
import { type ApiRecord, servedBy } from '../core/record.ts';
import type { KeptActivity, RequestTerms } from './entry.ts';

/** Result of a read of a payment request (public-facts.md, Payment requests), with the fields that could be parsed. */
export interface Snapshot {
  /** Service's `Date` of the answer, in milliseconds with a resolution of one second, if it sent one. */
  readonly servedAt?: number;
  /** Age of a cached answer on arrival, in milliseconds. */
  readonly age?: number;
  /** Machine value; empty if it can't be parsed. */
  readonly status: string;
  /** At least the asked amount has been paid. */
  readonly paidInFull: boolean;
  /** The answer says that there is no checkout. */
  readonly noCheckout: boolean;
  readonly asked: RequestTerms;
  readonly description: string | undefined;
  readonly email: string | undefined;
  /** Undefined if the service does not list them. */
  readonly activities: readonly unknown[] | undefined;
  /** Latest activity, if the service names it separately. */
  readonly last: unknown;
}

/** Amount as a text: `500000`, or `500000.00`. */
const WHOLE = /^\d{1,15}(?:\.0+)?$/;

/** Amount in the minor unit, from a number or a text; undefined if it can't be represented exactly. */
const amountAt = (value: unknown, path: string): number | undefined => {
  const found = valueAt(value, path);
  if (typeof found === 'string') return WHOLE.test(found) ? Number(found) : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
};

const textAt = (value: unknown, path: string): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? cutText(found, BOUNDS.sentence) : undefined;
};

const currencyOf = (ugwo: unknown): string | undefined => {
  const currency = machineValue(valueAt(ugwo, 'currency') ?? valueAt(ugwo, 'checkout.currency'));
  return /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : undefined;
};

/** The customer field holds an object or its uid. */
const customerOf = (ugwo: unknown): string | undefined =>
  [textAt(ugwo, 'onye.uid'), textAt(ugwo, 'onye'), textAt(ugwo, 'onye_nzube.uid')].find(
    (uid) => uid !== undefined && isId('ony', uid),
  );

const lastOf = (ugwo: unknown): unknown => {
  // The service spells it so (public-facts.md, Payment requests).
  const last = valueAt(ugwo, 'lastest_ugwo_activity');
  return statusOf(last) === '' ? undefined : last;
};

const isPaidInFull = (ugwo: unknown): boolean => {
  const [asked = 0, paid = 0] = [amountAt(ugwo, 'amount'), amountAt(ugwo, 'total_amount_paid')];
  return asked > 0 && paid >= asked;
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

/** Updates a snapshot with a newer read of one of its activities. */
export const withActivity = (shown: Snapshot | undefined, record: ApiRecord): Snapshot => {
  const { value } = record;
  const servedAt = servedBy(record);
  const uid = valueAt(value, 'uid');
  const others = (shown?.activities ?? []).filter((one) => valueAt(one, 'uid') !== uid);
  return {
    ...(shown ?? snapshotOf({})),
    ...(servedAt === undefined ? {} : { servedAt }),
    activities: [...others, value],
  };
};

/** Parses a payment request. */
export const snapshotOf = (
  ugwo: unknown,
  { servedAt, age }: { readonly servedAt?: number; readonly age?: number } = {},
): Snapshot => {
  return {
    ...(servedAt === undefined ? {} : { servedAt }),
    ...(age === undefined ? {} : { age }),
    status: statusOf(ugwo),
    paidInFull: isPaidInFull(ugwo),
    noCheckout: valueAt(ugwo, 'checkout') === null,
    asked: {
      amount: amountAt(ugwo, 'amount'),
      currency: currencyOf(ugwo),
      ref: textAt(ugwo, 'ref'),
      customer: customerOf(ugwo),
    },
    description: textAt(ugwo, 'description'),
    email: textAt(ugwo, 'onye.email') ?? textAt(ugwo, 'onye_nzube.email'),
    activities: activitiesOf(ugwo),
    last: lastOf(ugwo),
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

/** Next action to store; null if it is too long for anyone to act on. The full answer has been shown already. */
const keptAction = (action: unknown): unknown =>
  jsonLengthUpTo(BOUNDS.kept, action) > BOUNDS.kept ? null : (action ?? null);

/** Part of an activity to store, whatever the types of its fields. `servedAt` is the service's clock at that answer. */
export const keptActivity = (activity: unknown, servedAt?: number): KeptActivity => {
  const [uid, createdAt] = ['uid', 'created_at'].map((name) => valueAt(activity, name));
  return {
    uid: typeof uid === 'string' ? uid : '',
    status: statusOf(activity),
    nextAction: keptAction(valueAt(activity, 'next_action')),
    createdAt: typeof createdAt === 'string' && createdAt.length <= BOUNDS.word ? createdAt : undefined,
    ...(servedAt === undefined ? {} : { servedAt }),
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
