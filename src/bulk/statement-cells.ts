import { readMajor } from '../core/money.ts';
import { dayIn, HOUR_MS, MINUTE_MS, SECOND_MS, startOfDay, twoDigits, type Zone } from '../core/time.ts';

/** Amounts and dates as statements of banks and providers write them. */

/** The character before the decimals. */
export type Mark = '.' | ',';

/** The order of the day and the month in a date of numbers. */
export type DateOrder = 'dmy' | 'mdy';

/** Signs of currencies; N is what a keyboard without ₦ writes. */
const SIGNS = new Map([
  ['₦', 'NGN'],
  ['N', 'NGN'],
  ['$', 'USD'],
  ['£', 'GBP'],
  ['€', 'EUR'],
]);

/** The code of a currency, from its code or sign. */
export const currencyOf = (text: string): string => SIGNS.get(text) ?? text;

/** An amount before its marks are understood. */
export interface WrittenAmount {
  /** Digits, points and commas. */
  readonly digits: string;
  readonly negative: boolean;
  /** The currency next to it, if there is one. */
  readonly currency: string | undefined;
}

/** A cell that stands for no amount: empty, or a dash. */
export const isBlankAmount = (text: string): boolean => /^[\s\p{Pd}]*$/u.test(text);

const CURRENCY = '[A-Z]{3}|[₦N$£€]';
const AMOUNT = new RegExp(
  `^(\\()?([-+\u2212])?(${CURRENCY})?([-+\u2212])?(\\d[\\d.,]*)([-\u2212])?(${CURRENCY})?(?:([CD])R?)?(\\))?$`,
);

/** The parts of an amount such as `₦5,000.00`, `NGN 5,000.00`, `5.000,00 CR` and `(2,500.00)`. */
export const writtenAmount = (text: string): WrittenAmount | undefined => {
  const match = AMOUNT.exec(text.replaceAll(/\s/g, '').toUpperCase());
  if (match === null) return undefined;
  const [, open, before, left, inner, digits = '', after, right, side, close] = match;
  if ((open === undefined) !== (close === undefined)) return undefined;
  const negative = open !== undefined || [before, inner, after].some((sign) => sign === '-' || sign === '\u2212');
  const currency = left ?? right;
  return { digits, negative: negative || side === 'D', currency: currency && currencyOf(currency) };
};

/**
 * The mark before the decimals, as far as one amount tells. A point before exactly three digits, `5.000`, tells nothing:
 * `unclear`. A comma there is a thousands separator in the countries of these files, unless another amount tells.
 */
export const markIn = (digits: string): Mark | 'unclear' | undefined => {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) as Mark | undefined;
  if (last === undefined) return undefined;
  if (marks.some((mark) => mark !== last)) return last;
  if (marks.length > 1) return last === '.' ? ',' : '.';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return last;
  return last === '.' ? 'unclear' : undefined;
};

/** The count of minor units of an amount without its sign; undefined if it can't be read with this mark. */
export const minorOf = (digits: string, mark: Mark, currency: string): number | undefined => {
  const english = mark === '.' ? digits : digits.replaceAll(/[.,]/g, (found) => (found === '.' ? ',' : '.'));
  // Some programs write four decimals, of which the last are zeros.
  const short = english.replace(/^([^.]*)\.0+$/, '$1').replace(/^([^.]*\.\d*[1-9])0+$/, '$1');
  const minor = readMajor(short, currency);
  return minor !== undefined && Number.isSafeInteger(Number(minor)) ? Number(minor) : undefined;
};

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

const WEEKDAY = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?`;
const ORDINAL = '(?:st|nd|rd|th)?';
const TIME = String.raw`(?:(?:T|,?\s+(?:at\s+)?)(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:[.,]\d+)?)?\s*(?:(?<half>[ap])\.?m\.?)?\s*(?<offset>Z|(?:UTC|GMT)?[+-]\d\d:?\d\d|UTC|GMT)?(?:\s*\(.*\))?)?`;

const dateForm = (form: string): RegExp => new RegExp(`^${WEEKDAY}${form}${TIME}$`, 'i');
const DATES = [
  dateForm(String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`),
  dateForm(String.raw`(?<first>\d{1,2})[-/.](?<other>\d{1,2})[-/.](?<year>\d{4}|\d\d)`),
  dateForm(String.raw`(?<day>\d{1,2})${ORDINAL}[-/.,\s]*(?<name>[a-z]{3,9})\.?[-/.,\s]*(?<year>\d{4}|\d\d)`),
  dateForm(String.raw`(?<name>[a-z]{3,9})\.?[-/.\s]*(?<day>\d{1,2})${ORDINAL}[-/.,\s]+(?<year>\d{4})`),
];

/** A date before the order of its numbers is known. */
export interface WrittenDate {
  readonly year: number;
  /** The day and the month, or the month and the day. */
  readonly numbers: readonly [number, number];
  /** True if the form says that the day is first, as a month's name does. */
  readonly isKnown: boolean;
  /** The time after midnight in UTC, in milliseconds; undefined without an offset. */
  readonly inUtc: number | undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

const utcTime = ({ hour = '0', minute = '0', second = '0', half, offset }: Parts): number | undefined => {
  if (offset === undefined) return undefined;
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)/.exec(offset) ?? [];
  const east = (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  const hourOfDay = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return hourOfDay * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS - east;
};

const monthOf = ({ name, month }: Parts): number =>
  name === undefined ? Number(month) : MONTHS.findIndex((full) => full.startsWith(name.toLowerCase())) + 1;

/** Reads a date such as `25/11/2026 09:30:15`, `25-NOV-26` and `November 25th 2026`; undefined for another text. */
export const writtenDate = (text: string): WrittenDate | undefined => {
  const parts = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { first, other, day, year = '' } = parts as Parts;
  return {
    year: year.length === 2 ? 2000 + Number(year) : Number(year),
    numbers: first === undefined ? [Number(day), monthOf(parts)] : [Number(first), Number(other)],
    isKnown: first === undefined,
    inUtc: utcTime(parts),
  };
};

/** The order of a date's numbers, as far as one date tells; undefined if it doesn't matter. */
export const orderIn = ({ numbers: [first, other], isKnown }: WrittenDate): DateOrder | 'unclear' | undefined => {
  if (isKnown || first === other) return undefined;
  if (first <= 12 && other <= 12) return 'unclear';
  return first > 12 ? 'dmy' : 'mdy';
};

/** The day in the zone, `2026-11-25`; undefined for a day that doesn't exist. */
export const dayOf = (
  { year, numbers: [first, other], isKnown, inUtc }: WrittenDate,
  order: DateOrder,
  zone: Zone,
): string | undefined => {
  const [day, month] = isKnown || order === 'dmy' ? [first, other] : [other, first];
  const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  const start = startOfDay('utc', text);
  if (start === undefined) return undefined;
  return inUtc === undefined ? text : dayIn(zone, start + inUtc);
};
