import { hash } from 'node:crypto';
import { printSorted } from '../core/json.ts';
import type { Entry } from './entry.ts';

/** Number of stored digits of a phone number: enough to recognize it, too few to call it. */
const KEPT_DIGITS = 4;
/** Number of last digits that identify a phone number. Numbers are written with and without their country code. */
const TELLING_DIGITS = 7;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Formats `…4567`. */
export const lastDigits = (phone: string): string => `…${digitsOf(phone).slice(-KEPT_DIGITS)}`;

const withoutZeros = (phone: string): string => digitsOf(phone).replace(/^0+/, '');

/** True if two texts are the same number. Either may lack its country code, and then begin with a zero. */
export const isSamePhone = (one: string, other: string): boolean => {
  const [a, b] = [withoutZeros(one), withoutZeros(other)];
  return Math.min(a.length, b.length) >= TELLING_DIGITS && (a.endsWith(b) || b.endsWith(a));
};

/** Anything that may be a phone number, in any notation. */
const NUMBER = /\+?\d(?:[ ().-]{0,2}\d){6,}/g;

/** Replaces the phone number in a text, in any notation, by its last digits. */
export const withoutPhone = (text: string, phone: string | undefined): string => {
  if (phone === undefined) return text;
  const telling = digitsOf(phone).slice(-TELLING_DIGITS);
  if (telling.length < TELLING_DIGITS) return text;
  return text.replaceAll(NUMBER, (found) => (digitsOf(found).includes(telling) ? lastDigits(telling) : found));
};

/** `withoutPhone` if only the last digits are known (see `lastDigits`). */
export const withoutPhoneEnding = (text: string, last: string | undefined): string =>
  text.replaceAll(NUMBER, (found) => (lastDigits(found) === last ? last : found));

/**
 * True if an earlier charge asks the same customer by the same medium and provider as this one would. Only their
 * digests can compare phone numbers; entries of an older ledger have none.
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

/** Keyed digest that identifies a phone number. A plain digest would reveal it, since its digits can be guessed. */
export const phoneDigestOf = (phone: string, digest: (text: string) => string): string => digest(digitsOf(phone));

/** Passes every text, name and number in a JSON value through `clean`. */
export const cleaned = <T>(value: T, clean: (text: string) => string): T => {
  if (typeof value === 'string') return clean(value) as T;
  // An unchanged number stays a number.
  if (typeof value === 'number') return (clean(String(value)) === String(value) ? value : clean(String(value))) as T;
  if (Array.isArray(value)) return value.map((member) => cleaned(member, clean)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [clean(name), cleaned(member, clean)]);
  return Object.fromEntries(entries) as T;
};

/** Reduces anything that may be a phone number to its last digits. */
export const withoutNumbers = (text: string): string => text.replaceAll(NUMBER, lastDigits);

/**
 * Digest of a charge's data, independent of the order of its keys. Numbers that may be a phone's enter with their last
 * digits only: a whole one could be guessed from the digest.
 */
export const digestOf = (data: Readonly<Record<string, unknown>>): string =>
  hash('sha256', withoutNumbers(printSorted(data)));
