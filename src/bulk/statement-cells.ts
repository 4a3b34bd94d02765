import { readMajor } from '../core/money.ts';
import { dayIn, parseInstant, startOfDay, twoDigits, type Zone } from '../core/time.ts';

/** The sign before the decimals. */
export type DecimalSign = '.' | ',';

/** The order of the day and the month in a date of numbers. */
export type DateOrder = 'dmy' | 'mdy';

/** Signs of currencies; N is what a keyboard without ₦ writes. */
const SIGNS = new Map(Object.entries({ '₦': 'NGN', N: 'NGN', $: 'USD', '£': 'GBP', '€': 'EUR' }));

/** The code of a currency, from its code or sign. */
export const currencyCode = (text: string): string => SIGNS.get(text) ?? text;

/** True for a cell that stands for no amount: empty, or a dash. */
export const isBlankAmount = (text: string): boolean => /^[\s\p{Pd}]*$/u.test(text);

const CURRENCY = '[A-Z]{3}|[₦N$£€]';
const AMOUNT_FORM = new RegExp(
  `^(\\()?([-+\u2212])?(${CURRENCY})?([-+\u2212])?(\\d[\\d.,]*)([-\u2212])?(${CURRENCY})?(?:([CD])R?\\.?)?(\\))?$`,
);

/** The parts of an amount such as `₦5,000.00`, `5.000,00 CR` and `(NGN 2,500.00)`; undefined for another text. */
export const writtenAmount = (text: string) => {
  const [, open, before, left, inner, digits, after, right = left, side, close] =
    AMOUNT_FORM.exec(text.replaceAll(/\s/g, '').toUpperCase()) ?? [];
  if (digits === undefined || (open === undefined) !== (close === undefined)) return undefined;
  const negative = open !== undefined || side === 'D' || /[-\u2212]/.test([before, inner, after].join(''));
  return { digits, negative, currency: right && currencyCode(right) };
};

/**
 * The sign before the decimals, as far as one amount tells. A point before exactly three digits, `5.000`, is unclear. A
 * comma there separates thousands in the countries of these files, unless another amount tells.
 */
export const decimalIn = (digits: string): DecimalSign | 'unclear' | undefined => {
  const signs = digits.match(/[.,]/g) ?? [];
  const last = signs.at(-1) as DecimalSign | undefined;
  if (last === undefined || signs.some((sign) => sign !== last)) return last;
  if (signs.length > 1) return last === '.' ? ',' : '.';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return last;
  return last === '.' ? 'unclear' : undefined;
};

/** The count of minor units; undefined for digits that are no amount with this sign. Further decimals must be zeros. */
export const minorWritten = (digits: string, decimal: DecimalSign, currency: string): number | undefined => {
  const english = decimal === '.' ? digits : digits.replaceAll(/[.,]/g, (found) => (found === '.' ? ',' : '.'));
  const short = english.replace(/^([^.]*)\.0+$/, '$1').replace(/^([^.]*\.\d*[1-9])0+$/, '$1');
  const minor = Number(readMajor(short, currency));
  return Number.isSafeInteger(minor) ? minor : undefined;
};

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

const WEEKDAY = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?`;
const ORDINAL = '(?:st|nd|rd|th)?';
const TIME_OF_DAY = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?`;
const DATES = [
  String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`,
  String.raw`(?<first>\d{1,2})[-/.](?<other>\d{1,2})[-/.](?<year>\d{4}|\d\d)`,
  String.raw`(?<day>\d{1,2})${ORDINAL}[-/.,\s]*(?<name>[a-z]{3,9})\.?[-/.,\s]*(?<year>\d{4}|\d\d)`,
  String.raw`(?<name>[a-z]{3,9})\.?[-/.\s]*(?<day>\d{1,2})${ORDINAL}[-/.,\s]+(?<year>\d{4})`,
].map((form) => new RegExp(`^${WEEKDAY}${form}(?:(?:T|,?\\s+(?:at\\s+)?)${TIME_OF_DAY})?$`, 'i'));

/** Reads `2026-11-25T09:30:15+01:00`, also with blanks in it, or UTC in words. */
const instantIn = (text: string): number | undefined =>
  parseInstant(
    text
      .replace(/\s*(?:UTC|GMT)$/, 'Z')
      .replace(/\s+(?=[-+]\d)/, '')
      .replace(/\s+/, 'T'),
  )?.ms;

/** A date such as `25/11/2026 09:30:15`, `25-NOV-26` and `November 25th 2026`; undefined for another text. */
export const writtenDate = (text: string) => {
  const groups = DATES.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  const at = groups === undefined ? instantIn(text) : undefined;
  if (groups === undefined && at === undefined) return undefined;
  const { first, other, day, month, name = '', year = '' } = groups ?? {};
  const named = MONTHS.findIndex((full) => full.startsWith(name.toLowerCase())) + 1;
  return {
    /** In milliseconds since the epoch, if the text has an offset. */
    at,
    year: Number(year) + (year.length === 2 ? 2000 : 0),
    /** The day and the month; the other way round where the month is first. */
    numbers: [Number(first ?? day), Number(other ?? month ?? named)] as const,
    isKnown: first === undefined,
  };
};
type WrittenDate = NonNullable<ReturnType<typeof writtenDate>>;

/** The order of a date's numbers, as far as one date tells; undefined if it doesn't matter. */
export const orderIn = ({ numbers: [first, other], isKnown }: WrittenDate): DateOrder | 'unclear' | undefined => {
  if (isKnown || first === other) return undefined;
  if (first <= 12 && other <= 12) return 'unclear';
  return first > 12 ? 'dmy' : 'mdy';
};

/** The day in the zone, `2026-11-25`; undefined for a day that doesn't exist. */
export const dayWritten = ({ at, year, numbers, isKnown }: WrittenDate, order: DateOrder, zone: Zone) => {
  if (at !== undefined) return dayIn(zone, at);
  const [day, month] = isKnown || order === 'dmy' ? numbers : [numbers[1], numbers[0]];
  const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  return startOfDay('utc', text) === undefined ? undefined : text;
};
