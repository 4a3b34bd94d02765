import { machineValue } from './charge.ts';
import { usageError } from './error.ts';
import { printExact, valueAt } from './json.ts';
import { readAmount, splitMoney } from './money.ts';
import { readInstant } from './time.ts';

/**
 * A record from the service: its value, checked against the contract, and the very text it came as. Values are for
 * decisions and tables; what is printed as JSON is the text.
 */
export interface ApiRecord<T = unknown> {
  readonly value: T;
  readonly text: string;
  /** The text as UTF-8, where it can be handed on as it is: printable ASCII without blanks between tokens, in which no secret is. */
  readonly bytes?: Uint8Array | undefined;
  /** The `Date` header: the service's own clock as it answered, in milliseconds since the epoch, to the second; where it said so. */
  readonly servedAt?: number;
  /** The `Age` header: how long the answer had lain in a cache, in milliseconds; absent where it came from the service itself. */
  readonly age?: number;
  /** The value is not all that the text holds, and why: a sentence. */
  readonly cut?: string;
}

/** The service's clock as it gave an answer, or earlier: what lay in a cache may have got a new `Date` on the way. */
export const servedBy = ({ servedAt, age = 0 }: Pick<ApiRecord, 'servedAt' | 'age'> = {}): number | undefined =>
  servedAt === undefined ? undefined : servedAt - age;

/** The service tells whole seconds, and its answer takes a while. */
const CLOCKS_AGREE_MS = 2000;

/** `now` by the service's clock, as an answer tells that has just come; by this machine's where they agree, or a cache answered. */
export const serviceNow = ({ servedAt, age = 0 }: Pick<ApiRecord, 'servedAt' | 'age'>, now: number): number =>
  servedAt === undefined || age > CLOCKS_AGREE_MS || Math.abs(now - servedAt) <= CLOCKS_AGREE_MS ? now : servedAt;

/**
 * One page of a list (interface.md 2.6), with the cursor that asked for it (undefined for the first). The texts of its records
 * are without blanks between tokens.
 */
export interface ApiPage<T = unknown> {
  readonly records: readonly ApiRecord<T>[];
  readonly cursor: string | undefined;
  readonly nextCursor: string | null;
}

/** A record of our own making, in the shape of one received. */
export const madeHere = <T>(value: T): ApiRecord<T> => ({ value, text: JSON.stringify(value) });

/** A record whose numbers are exact, as `parseExact` gives it. */
export const apiRecordOf = (exact: unknown): ApiRecord => {
  const text = printExact(exact);
  return { value: JSON.parse(text), text };
};

/** A moment as it was asked for: so many milliseconds ago, or an instant. */
export type RequestedTime = { readonly ago: number } | { readonly at: number };

/** What is looked for in a list; what is not given leaves nothing out. */
export interface RecordFilter {
  readonly statuses?: readonly string[];
  readonly since?: RequestedTime;
  readonly until?: RequestedTime;
  readonly ref?: string;
  readonly email?: string;
  /** The identifier of a customer, or an e-mail address. */
  readonly customer?: string;
  /** As people write it: in the currency that it names, else in whatever one a record has. */
  readonly amount?: string;
  readonly amountMinor?: number;
}

/** What a list is asked for. */
export interface ListInput {
  /** As given: whether it is a limit is the contract's to say. */
  readonly limit: string | undefined;
  readonly cursor: string | undefined;
  /** How far to go: one page, so many records, or all. */
  readonly reach: { readonly kind: 'page' } | { readonly kind: 'max'; readonly max: number } | { readonly kind: 'all' };
  readonly filter?: RecordFilter;
}

/** When a record was made, in milliseconds since the epoch; undefined where it does not say so. */
export const createdAt = (record: unknown): number | undefined => readInstant(valueAt(record, 'created_at'));

/** The instant that is meant. */
export const instantOf = (moment: RequestedTime, now: number): number =>
  'at' in moment ? moment.at : now - moment.ago;

/** Throws a usage error for a period that ends before it begins: that nothing is in it would look like news. */
export const checkPeriod = (
  { since, until }: { readonly since?: RequestedTime | undefined; readonly until?: RequestedTime | undefined },
  now: number,
): void => {
  if (since === undefined || until === undefined || instantOf(until, now) >= instantOf(since, now)) return;
  throw usageError('--until is before --since', { hint: 'swap the two times' });
};

const textAt = (record: unknown, path: string): string => machineValue(valueAt(record, path));

/** The customer of a payment request, which may come as its identifier alone; a customer is its own. */
const customerOf = (record: unknown): string => textAt(record, 'onye.uid') || textAt(record, 'onye');
const emailOf = (record: unknown): string => textAt(record, 'email') || textAt(record, 'onye.email');

const isAmount = (record: unknown, text: string): boolean => {
  const [wanted, currency] = [splitMoney(text), textAt(record, 'currency')];
  if (wanted.currency !== undefined && wanted.currency !== currency.toUpperCase()) return false;
  const read = readAmount(wanted.amount, currency);
  return 'minor' in read && textAt(record, 'amount') === String(read.minor);
};

const hasEmail = (record: unknown, email: string): boolean => emailOf(record).toLowerCase() === email.toLowerCase();

const isOf = (record: unknown, customer: string): boolean =>
  customer.includes('@') ? hasEmail(record, customer) : customerOf(record) === customer;

type Test = (record: unknown) => boolean;

/** The tests that a filter makes, at a moment that what is asked for as "ago" is counted from. */
const testsOf = (filter: RecordFilter, now: number): readonly Test[] => {
  const { statuses, since, until, ref, email, customer, amount, amountMinor } = filter;
  const tests: Test[] = [];
  if (statuses !== undefined) tests.push((record) => statuses.includes(textAt(record, 'status')));
  if (ref !== undefined) tests.push((record) => valueAt(record, 'ref') === ref);
  if (email !== undefined) tests.push((record) => hasEmail(record, email));
  if (customer !== undefined) tests.push((record) => isOf(record, customer));
  if (amount !== undefined) tests.push((record) => isAmount(record, amount));
  if (amountMinor !== undefined) tests.push((record) => textAt(record, 'amount') === String(amountMinor));
  if (since !== undefined) tests.push((record) => (createdAt(record) ?? -Infinity) >= instantOf(since, now));
  if (until !== undefined) tests.push((record) => (createdAt(record) ?? Infinity) < instantOf(until, now));
  return tests;
};

/** Whether a record is one of those that are looked for. */
export const matcher = (filter: RecordFilter, now: number): Test => {
  const tests = testsOf(filter, now);
  return (record) => tests.every((test) => test(record));
};

/** Whether a list that is newest first can hold nothing any more behind this record. */
export const endsAt = ({ since }: RecordFilter, now: number): Test => {
  if (since === undefined) return () => false;
  const from = instantOf(since, now);
  return (record) => (createdAt(record) ?? Infinity) < from;
};

/** The bounds of `limit`: interface.md section 8. */
export const PAGE_DEFAULT = 10;
export const PAGE_MAX = 100;

/** Where a page has its records, and the way on: interface.md 2.6. */
export const PAGE_FIELDS = ['data', 'next_cursor'] as const;
