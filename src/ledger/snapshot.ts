import { BOUNDS, cutText } from '../core/bounds.ts';
import { activitiesOf, machineValue, statusOf } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { printExact, valueAt } from '../core/json.ts';
import { type ApiRecord, servedBy } from '../core/record.ts';
import type { KeptActivity, RequestTerms } from './entry.ts';

/** What a read of a payment request showed (public-facts.md, Payment requests): of each field only what can be read. */
export interface Snapshot {
  /** The service's own clock as it answered, in milliseconds, to the second; where it said so. */
  readonly servedAt?: number;
  /** How old the answer was when it came, in milliseconds: it is a cache's. */
  readonly age?: number;
  /** The machine value; empty where it can't be read. */
  readonly status: string;
  /** As much has been paid as is asked for. */
  readonly paidInFull: boolean;
  /** It says that it has no checkout. */
  readonly noCheckout: boolean;
  readonly asked: RequestTerms;
  readonly description: string | undefined;
  readonly email: string | undefined;
  /** Undefined where the service does not list them. */
  readonly activities: readonly unknown[] | undefined;
  /** The latest one, where the service names it by itself. */
  readonly last: unknown;
}

/** An amount as a text: `500000`, or `500000.00`. */
const WHOLE = /^\d{1,15}(?:\.0+)?$/;

/** An amount in the minor unit, which may come as a text; undefined for what can't be kept exactly. */
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

/** The customer is an object, or the uid of one. */
const customerOf = (ugwo: unknown): string | undefined =>
  [textAt(ugwo, 'onye.uid'), textAt(ugwo, 'onye'), textAt(ugwo, 'onye_nzube.uid')].find(
    (uid) => uid !== undefined && isId('ony', uid),
  );

const lastOf = (ugwo: unknown): unknown => {
  // Spelled so (public-facts.md, Payment requests).
  const last = valueAt(ugwo, 'lastest_ugwo_activity');
  return statusOf(last) === '' ? undefined : last;
};

const isPaidInFull = (ugwo: unknown): boolean => {
  const [asked = 0, paid = 0] = [amountAt(ugwo, 'amount'), amountAt(ugwo, 'total_amount_paid')];
  return asked > 0 && paid >= asked;
};

/** The identifiers of all activities that a look shows; undefined where it does not show them, or one has none. */
const uidsIn = ({ activities, last }: Snapshot): ReadonlySet<unknown> | undefined => {
  if (activities === undefined) return undefined;
  const uids = [...activities, ...(last === undefined ? [] : [last])].map((one) => valueAt(one, 'uid'));
  return uids.every((uid) => typeof uid === 'string') ? new Set(uids) : undefined;
};

/** Whether a look shows the very activities that an earlier one has shown. False where that can't be told. */
export const showsTheSame = (before: Snapshot, after: Snapshot): boolean => {
  const [earlier, later] = [uidsIn(before), uidsIn(after)];
  // A cache may give the earlier answer again.
  const isLater = before.servedAt === undefined || (after.servedAt ?? 0) > before.servedAt;
  return (
    isLater && earlier?.size === later?.size && later !== undefined && [...later].every((uid) => earlier?.has(uid))
  );
};

/** What a look has shown, with how one of its activities stands by now. */
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

/** A payment request as it was received. */
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

/** How long a value is as JSON, as far as it is no longer than `most`: printed to be counted, an answer may take millions. */
const lengthUpTo = (most: number, value: unknown): number => {
  if (typeof value === 'string' && value.length > most) return value.length;
  if (typeof value !== 'object' || value === null) return printExact(value).length;
  let length = 1;
  for (const [name, member] of Object.entries(value)) {
    const named = Array.isArray(value) ? 0 : lengthUpTo(most, name) + 1;
    length += named + lengthUpTo(most - length, member) + 1;
    if (length > most) break;
  }
  return Math.max(length, 2);
};

/** What the customer must do. So much of it as nobody can do is not kept; the answer itself has been shown. */
const keptAction = (action: unknown): unknown =>
  lengthUpTo(BOUNDS.kept, action) > BOUNDS.kept ? null : (action ?? null);

/** What is kept of an activity, whatever its fields are like; `servedAt` is the service's clock as it told it. */
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

/** The other way: an activity as far as it is known here, in the service's own fields. */
export const asActivity = ({ uid, status, nextAction, createdAt }: KeptActivity): Record<string, unknown> => ({
  uid,
  activity_type: 'charge',
  status,
  next_action: nextAction,
  ...(createdAt === undefined ? {} : { created_at: createdAt }),
});
