import { hash } from 'node:crypto';
import { printSorted } from '../core/json.ts';
import type { Entry } from './entry.ts';

/** So many digits of a phone number are kept: enough to know it by, too few to call. */
const KEPT_DIGITS = 4;
/** Numbers are written with and without their country code; what agrees in so many last digits is the same one. */
const TELLING_DIGITS = 7;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** `…4567` */
export const lastDigits = (phone: string): string => `…${digitsOf(phone).slice(-KEPT_DIGITS)}`;

const withoutZeros = (phone: string): string => digitsOf(phone).replace(/^0+/, '');

/** Whether two numbers are one: either may be without its country code, and begin with a zero then. */
export const isSamePhone = (one: string, other: string): boolean => {
  const [a, b] = [withoutZeros(one), withoutZeros(other)];
  return Math.min(a.length, b.length) >= TELLING_DIGITS && (a.endsWith(b) || b.endsWith(a));
};

/** Whatever may be a phone number, however it is written. */
const NUMBER = /\+?\d(?:[ ().-]{0,2}\d){6,}/g;

/** A text in which the phone number, however it is written, shows its last digits only. */
export const withoutPhone = (text: string, phone: string | undefined): string => {
  if (phone === undefined) return text;
  const telling = digitsOf(phone).slice(-TELLING_DIGITS);
  if (telling.length < TELLING_DIGITS) return text;
  return text.replaceAll(NUMBER, (found) => (digitsOf(found).includes(telling) ? lastDigits(telling) : found));
};

/** As `withoutPhone` where no more than the last digits are known any more (see `lastDigits`). */
export const withoutPhoneEnding = (text: string, last: string | undefined): string =>
  text.replaceAll(NUMBER, (found) => (lastDigits(found) === last ? last : found));

/**
 * Whether an earlier charge asks the same customer by the same medium and provider as this one would. Of two phone numbers
 * only their digests tell; an older ledger has none.
 */
export const asksTheSame = (
  { medium, provider, phone, phoneDigest }: Entry,
  data: Readonly<Record<string, unknown>>,
  digest: (text: string) => string,
): boolean => {
  const asked = data['phone'] === undefined ? undefined : phoneDigestOf(String(data['phone']), digest);
  return (
    medium === data['medium'] &&
    provider === (data['provider'] === undefined ? undefined : String(data['provider'])) &&
    (phone === undefined) === (asked === undefined) &&
    phoneDigest === asked
  );
};

/** What is kept to know a phone number by, made by the ledger's own key: its digits could be guessed from a plain digest. */
export const phoneDigestOf = (phone: string, digest: (text: string) => string): string => digest(digitsOf(phone));

/** A value of JSON with every text, name and number in it passed through `clean`. */
export const cleaned = <T>(value: T, clean: (text: string) => string): T => {
  if (typeof value === 'string') return clean(value) as T;
  // What is not changed stays a number.
  if (typeof value === 'number') return (clean(String(value)) === String(value) ? value : clean(String(value))) as T;
  if (Array.isArray(value)) return value.map((member) => cleaned(member, clean)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [clean(name), cleaned(member, clean)]);
  return Object.fromEntries(entries) as T;
};

/** Whatever may be a phone number shows its last digits only. */
export const withoutNumbers = (text: string): string => text.replaceAll(NUMBER, lastDigits);

/**
 * A digest of what is charged with, whatever the order of its keys. Of a number that may be a phone's only the last digits
 * go in: it has few enough digits to be guessed from a digest.
 */
export const digestOf = (data: Readonly<Record<string, unknown>>): string =>
  hash('sha256', withoutNumbers(printSorted(data)));
