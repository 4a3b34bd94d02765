import { textAt } from './charge.ts';
import { isJsonObject, printExact, valueAt } from './json.ts';
import { readAmount, splitMoney } from './money.ts';
import { dayIn, readInstant, startOfDay, type Zone } from './time.ts';

/**
 * A record from the service: its value, checked against the contract, and its exact text. Decisions and tables use the
 * value; JSON output prints the text.
 */
export interface ApiRecord<T = unknown> {
  readonly value: T;
  readonly text: string;
  /**
   * The text as UTF-8, set when it can be printed unchanged: printable ASCII without blanks between tokens, and
   * without a secret.
   */
  readonly bytes?: Uint8Array | undefined;
  /**
   * The `Date` header: the service's clock at the answer, in milliseconds since the epoch, to the second; absent
   * without the header.
   */
  readonly servedAt?: number;
  /**
   * The `Age` header: time that the answer spent in a cache, in milliseconds; absent for an answer from the service
   * itself.
   */
  readonly age?: number;
  /** Start of the request, by this machine's clock, in milliseconds since the epoch. */
  readonly askedAt?: number;
  /** Sentence about what the value lacks of the answer. */
  readonly note?: string | undefined;
}

/**
 * The service's clock when it created an answer, or an earlier time: a cached answer may have got a new `Date` on the
 * way.
 */
export const earliestServed = ({ servedAt, age = 0 }: Pick<ApiRecord, 'servedAt' | 'age'> = {}): number | undefined =>
  servedAt === undefined ? undefined : servedAt - age;

/** Start of the request of an answer, by this machine's clock, or an earlier time: a cache keeps answers. */
export const earliestAsked = ({ askedAt, age = 0 }: Pick<ApiRecord, 'askedAt' | 'age'>): number | undefined =>
  askedAt === undefined ? undefined : askedAt - age;

/** The service sends whole seconds, and its answer takes time. */
const CLOCKS_AGREE_MS = 2000;

/**
 * Current time by the service's clock, from an answer that has just arrived; this machine's clock when both agree, or
 * when a cache answered.
 */
export const serviceNow = ({ servedAt, age = 0 }: Pick<ApiRecord, 'servedAt' | 'age'>, now: number): number =>
  servedAt === undefined || age > CLOCKS_AGREE_MS || Math.abs(now - servedAt) <= CLOCKS_AGREE_MS ? now : servedAt;

/**
 * One page of a list (docs/service.md, Lists), with the cursor that requested it (undefined for the first). The texts
 * of its records have no blanks between tokens.
 */
export interface ApiPage<T = unknown> {
  readonly records: readonly ApiRecord<T>[];
  readonly cursor: string | undefined;
  readonly nextCursor: string | null;
}

/** A record created by this program, in the shape of a received one. */
export const madeHere = <T>(value: T): ApiRecord<T> => ({ value, text: JSON.stringify(value) });

/** Like `madeHere`, for a value that may hold NumberTexts. */
export const madeExactly = (value: unknown): ApiRecord => ({ value, text: printExact(value) });

export async function* pageOf(
  records: readonly ApiRecord[],
  nextCursor: string | null = null,
): AsyncGenerator<ApiPage> {
  yield { records, cursor: undefined, nextCursor };
}

export const onePage = (values: readonly unknown[]): AsyncGenerator<ApiPage> =>
  pageOf(values.map((value) => madeHere(value)));

/** A record with exact numbers, from a value of `parseExact`. */
export const apiRecordOf = (exact: unknown): ApiRecord => {
  const text = printExact(exact);
  return { value: JSON.parse(text), text };
};

/**
 * A moment as entered: a number of milliseconds ago, an instant, or the first moment of a day, counted back from
 * today.
 */
export type RequestedTime =
  | { readonly ago: number }
  | { readonly at: number }
  | { readonly daysAgo: number; readonly zone: Zone };

/** Creation time of a record, in milliseconds since the epoch; undefined if it has none. */
export const createdAt = (record: unknown): number | undefined => readInstant(valueAt(record, 'created_at'));

export const instantOf = (moment: RequestedTime, now: number): number => {
  if ('daysAgo' in moment) return startOfDay(moment.zone, dayIn(moment.zone, now), -moment.daysAgo) ?? now;
  return 'at' in moment ? moment.at : now - moment.ago;
};

/**
 * The customer of a payment request, given as an object or as its identifier. A customer record has its own e-mail
 * address.
 */
const customerUid = (record: unknown): string => textAt(record, 'onye.uid') || textAt(record, 'onye');

/**
 * True if a list shows no customers, not even that there is none: its records may have only some fields
 * (docs/service.md, Shapes).
 */
export const hidesCustomer = (record: unknown): boolean =>
  isJsonObject(record) && !('onye' in record) && !('email' in record);

const isAmount = (record: unknown, text: string): boolean => {
  const [wanted, currency] = [splitMoney(text), textAt(record, 'currency')];
  if (wanted.currency !== undefined && wanted.currency !== currency.toUpperCase()) return false;
  const read = readAmount(wanted.amount, currency);
  return 'minor' in read && textAt(record, 'amount') === String(read.minor);
};

const hasEmail = (record: unknown, email: string): boolean =>
  (textAt(record, 'email') || textAt(record, 'onye.email')).toLowerCase() === email.toLowerCase();

type Test = (record: unknown) => boolean;

/** The test of each filter of a list; `now` is the moment from which "ago" counts. */
const FILTERS = {
  status: (wanted: readonly string[]) => (record: unknown) => wanted.includes(textAt(record, 'status')),
  since: (time: RequestedTime, now: number) => (record: unknown) =>
    (createdAt(record) ?? -Infinity) >= instantOf(time, now),
  until: (time: RequestedTime, now: number) => (record: unknown) =>
    (createdAt(record) ?? Infinity) < instantOf(time, now),
  ref: (wanted: string) => (record: unknown) => valueAt(record, 'ref') === wanted,
  email: (wanted: string) => (record: unknown) => hasEmail(record, wanted),
  /** The identifier of a customer, or an e-mail address. */
  customer: (wanted: string) => (record: unknown) =>
    wanted.includes('@') ? hasEmail(record, wanted) : customerUid(record) === wanted,
  /** An amount as people write it: in the currency that it names, else in each record's own. */
  amount: (wanted: string) => (record: unknown) => isAmount(record, wanted),
  amountMinor: (wanted: number) => (record: unknown) => textAt(record, 'amount') === String(wanted),
};
type FilterName = keyof typeof FILTERS;

/** Filters of a list; a missing one excludes no record. */
export type RecordFilter = { readonly [K in FilterName]?: Parameters<(typeof FILTERS)[K]>[0] | undefined };

export interface ListInput {
  /** As entered: the contract checks it. */
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
  /** Maximum number of records. Without it and without `all`, one page is listed. */
  readonly max?: number | undefined;
  readonly all?: boolean | undefined;
  readonly filter?: RecordFilter;
}

export const matcher = (filter: RecordFilter, now: number): Test => {
  const tests = Object.entries(filter).map(([name, wanted]) => FILTERS[name as FilterName](wanted as never, now));
  return (record) => tests.every((test) => test(record));
};

/** Returns a test for a record after which a list sorted by newest first has no more matches. */
export const endsAt = ({ since }: RecordFilter, now: number): Test => {
  if (since === undefined) return () => false;
  const from = instantOf(since, now);
  return (record) => (createdAt(record) ?? Infinity) < from;
};

/** The bounds of `limit` (docs/service.md, Lists). */
export const PAGE_DEFAULT = 10;
export const PAGE_MAX = 100;

/** The fields of a page with its records and its next cursor: docs/service.md, Lists. */
export const PAGE_FIELDS = ['data', 'next_cursor'] as const;
