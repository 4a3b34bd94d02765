import { readMajor } from '../core/money.ts';
import { dayIn, parseInstant, startOfDay, twoDigits, type Zone } from '../core/time.ts';

/** A currency as a statement writes it: its code, or a sign of naira, also one that was saved in a wrong encoding. */
const CURRENCY = '[A-Z]{3}|[₦N#]|=N=|[Nn]aira|NAIRA|â‚¦';

/** The code of a currency, from its code or what stands for naira. */
export const currencyCode = (text: string): string =>
  /^(?:[₦N#]|=N=|â‚¦)$|naira/i.test(text) ? 'NGN' : (/^[A-Z]{3}\b/i.exec(text)?.[0] ?? text).toUpperCase();

/** A currency in parentheses at the end of a column's name. A question mark is a sign that got lost. */
export const CURRENCY_IN_NAME = new RegExp(`\\((?:(${CURRENCY})|\\?)\\)\\s*$`);

const BLANK_AMOUNT = new RegExp(`^(?:(?:${CURRENCY})\\s*(?=\\p{Pd}))?[\\s\\p{Pd}]*$`, 'iu');

/** True for a cell that stands for no amount: empty, or a dash. */
export const isBlankAmount = (text: string): boolean => BLANK_AMOUNT.test(text);

/** Blanks beside a currency or a sign, or between thousands. Two numbers in one cell stay apart. */
const NEEDLESS_BLANKS = /(?<!\d)\s+|\s+(?!\d)|\s(?=\d{3}(?!\d))/g;
/** An account number may begin with 0, an amount doesn't. */
const AMOUNT_FORM = new RegExp(
  `^([-+(]?)(?:(${CURRENCY})|\\?)?([-+(]?)((?!0\\d)\\d[\\d.,]*)(${CURRENCY})?(?:([CD])R)?([-)]?)$`,
  'i',
);

/**
 * An amount such as `₦5,000.00`, `5.000,00 CR`, `5,000.00 NGN` and `(NGN 2,500.00)`; undefined for another text. One or
 * two digits behind a comma are decimals. A point before three digits may separate thousands, too: that has no one
 * meaning.
 */
export const writtenAmount = (text: string, currency: string) => {
  const [, before, named, inner, digits, unit, side, after] =
    AMOUNT_FORM.exec(text.replaceAll(NEEDLESS_BLANKS, '')) ?? [];
  const signs = `${before}${inner}${after}`;
  if (digits === undefined || !['', '+', '-', '()', '(-)'].includes(signs)) return undefined;
  const english = /,\d\d?$/.test(digits) ? digits.replaceAll(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')) : digits;
  const isUnclear = /^\d{1,3}\.\d{3}$/.test(digits);
  const minor = isUnclear ? Number.NaN : Number(readMajor(english, currency));
  const isNegative = /[-(]/.test(signs) || /d/i.test(side ?? '');
  const code = named ?? unit;
  return {
    /** In the minor unit; undefined for digits that are no amount in the currency. */
    minor: Number.isSafeInteger(minor) ? (isNegative ? -minor : minor) : undefined,
    isUnclear,
    currency: code === undefined ? undefined : currencyCode(code),
  };
};

/** The order of the day and the month in a date of numbers. */
export type DateOrder = 'dmy' | 'mdy';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** Parts around a date that don't count: the day of the week, and the time of day. */
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.\s]+/i;
const TIME_OF_DAY = /[T,\s]*\d\d?:\d\d[\d:.]*(?:\s*[ap]m)?[,\s]*/i;
const DATE_FORM =
  /^(\d{1,4}|[a-z]{3,9})(?:st|nd|rd|th)?[-/.,\s]+(\d{1,2}|[a-z]{3,9})(?:st|nd|rd|th)?[-/.,\s]+(\d{4}|\d\d)$/i;

/** The day that a text names with each order, such as `2026-11-25`; undefined if it names none with that order. */
export const writtenDays = (text: string, zone: Zone): Readonly<Record<DateOrder, string | undefined>> => {
  const at = parseInstant(
    text
      .replace(/^([\d-]+) /, '$1T')
      .replace(/ ?(?:UTC|GMT)$/, 'Z')
      .replace(' ', ''),
  )?.ms;
  if (at !== undefined) return { dmy: dayIn(zone, at), mdy: dayIn(zone, at) };
  const plain = text.replace(TIME_OF_DAY, ' ').trim().replace(WEEKDAY, '');
  const [, first = '', other = '', last = ''] = DATE_FORM.exec(plain) ?? [];
  const dayOf = (year: string, month: string, day: string): string | undefined => {
    const named = MONTHS.findIndex((name) => name.startsWith(month.toLowerCase())) + 1;
    const found = `${year.padStart(4, '20')}-${twoDigits(Number(month) || named)}-${day.padStart(2, '0')}`;
    return startOfDay('utc', found) === undefined ? undefined : found;
  };
  if (/^\d{4}/.test(first)) return { dmy: dayOf(first, other, last), mdy: dayOf(first, other, last) };
  const [dmy, mdy] = [dayOf(last, other, first), dayOf(last, first, other)];
  return /[a-z]/i.test(first + other) ? { dmy: dmy ?? mdy, mdy: dmy ?? mdy } : { dmy, mdy };
};
