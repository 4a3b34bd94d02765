import { CURRENCY_FORM, currencyCode, readMajor } from '../core/money.ts';
import { dayIn, parseInstant, startOfDay, twoDigits, type Zone } from '../core/time.ts';

/** A currency, or the sign of an unknown one, in parentheses at the end of a column's name. */
export const CURRENCY_IN_NAME = new RegExp(`\\((${CURRENCY_FORM}|\\p{Sc})\\)\\s*$`, 'iu');

/** Blanks beside a currency or a sign, or between thousands. Two numbers in one cell stay apart. */
const NEEDLESS_BLANKS = /(?<!\d)\s+|\s+(?!\d)|\s(?=\d{3}(?!\d))/g;
/** A cell that stands for no amount: empty, or a dash. */
const NO_AMOUNT = new RegExp(`^(?:(?:${CURRENCY_FORM})?\\p{Pd}+)?$`, 'iu');
/** A currency whose amounts are counts. */
const WITHOUT_MINOR_UNIT = 'JPY';
/** An account number may begin with 0, an amount doesn't. */
const AMOUNT_FORM = new RegExp(
  `^([-+(]?)(${CURRENCY_FORM})?([-+(]?)((?!0\\d)\\d[\\d.,]*)((?!N[CD]R)(?:${CURRENCY_FORM}))?(?:([CD])R)?([-)]?)$`,
  'i',
);

/**
 * An amount such as `₦5,000.00`, `5.000,00 CR`, `5,000.00 NGN` and `(NGN 2,500.00)`, or 0 for none; undefined for
 * another text. One or two digits behind a comma are decimals. A point before three digits may separate thousands, too:
 * that has no one meaning. `isCount`: the digits count the minor unit.
 */
export const writtenAmount = (text: string, currency: string, isCount = false) => {
  const bare = text.replaceAll(NEEDLESS_BLANKS, '').replaceAll(/[\p{Pd}−]/gu, '-');
  const [, before = '', named, inner = '', digits, unit = named, side = '', after = ''] =
    AMOUNT_FORM.exec(NO_AMOUNT.test(bare) ? '0' : bare) ?? [];
  const signs = before + inner + after;
  if (digits === undefined || !/^(?:[-+]|\(-?\))?$/.test(signs)) return undefined;
  const isUnclear = /^\d{1,3}\.\d{3}$/.test(digits);
  const english = /,\d\d?$/.test(digits) ? digits.replaceAll(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')) : digits;
  const minor = isUnclear ? Number.NaN : Number(readMajor(english, isCount ? WITHOUT_MINOR_UNIT : currency));
  return {
    /** In the minor unit; not a number for digits that are no amount in the currency. */
    minor: /[-(D]/i.test(signs + side) ? -minor : minor,
    isUnclear,
    currency: unit && currencyCode(unit),
  };
};

/** True for a cell whose decimals or thousands show that it is money, not a number of something. */
export const hasAmountSigns = (text: string): boolean => /[.,]\d\d?\D*$|\d,\d{3}/.test(text);

/** True for an amount in the currency of most statements, also for one with two meanings. */
export const isWrittenAmount = (text: string): boolean => {
  const { minor = Number.NaN, isUnclear = false } = writtenAmount(text, 'NGN') ?? {};
  return isUnclear || !Number.isNaN(minor);
};

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** The day of the week, and the time of day. */
const BESIDE_DATE =
  /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.\s]+|(?:(?<![T,\s])[T,\s]+|(?<![\d:]))\d\d?:\d\d[\d:.]*(?:\s*[ap]m)?[,\s]*/gi;
/** The name of a zone behind a time, such as `WAT` and `GMT+0100 (West Africa Standard Time)`. The day is as written. */
const ZONE = /(?<=\d:\d\d[\d:.]{0,20}(?:\s?[ap]m)?)\s+(?:(?:GMT|UTC)[+-]\d[\d:]*(?:\s*\([^)]*\))?|[A-Z]{3,4})$/i;
const DATE_FORM =
  /^(\d{1,4}|[a-z]{3,9})(?:st|nd|rd|th)?[-/.,\s]+(\d{1,2}|[a-z]{3,9})(?:st|nd|rd|th)?[-/.,\s]+(\d{4}|\d\d)$/i;

/** The day that a text names with each order, such as `2026-11-25`; undefined if it names none. */
const writtenDays = (text: string, zone: Zone) => {
  const iso = text.replace(/^([\d-]+) /, '$1T').replace(/ ?(?:UTC|GMT)$/, 'Z');
  const at = parseInstant(iso.replace(' ', ''))?.ms;
  if (at !== undefined) return { dmy: dayIn(zone, at), mdy: dayIn(zone, at) };
  const parted = text
    .replace(ZONE, '')
    .replace(/^(\d{4})(\d\d)(\d\d)$|^(\d\d?)([a-z]{3,9})(\d{4}|\d\d)\b/i, '$1$4-$2$5-$3$6')
    .replaceAll(BESIDE_DATE, ' ');
  const [, first = '', other = '', last = ''] = DATE_FORM.exec(parted.trim()) ?? [];
  const dayOf = (year: string, month: string, day: string): string | undefined => {
    const named = MONTHS.findIndex((name) => name.startsWith(month.toLowerCase())) + 1;
    const found = `${year.padStart(4, '20')}-${twoDigits(Number(month) || named)}-${day.padStart(2, '0')}`;
    return startOfDay('utc', found) === undefined ? undefined : found;
  };
  const isYearFirst = /^\d{4}/.test(first);
  const [year, day, month] = isYearFirst ? [first, last, other] : [last, first, other];
  const [dmy, mdy] = [dayOf(year, month, day), isYearFirst ? undefined : dayOf(year, day, month)];
  const sure = isYearFirst || /[a-z]/i.test(first + other) ? (dmy ?? mdy) : undefined;
  return (dmy ?? mdy) === undefined ? undefined : { dmy: sure ?? dmy, mdy: sure ?? mdy };
};

/** Texts whose days are kept. */
const MOST_DATES = 1000;

/** A reader of days that keeps the last ones: lines of a statement share their dates, and each is read repeatedly. */
export const daysReader = (zone: Zone) => {
  const known = new Map<string, ReturnType<typeof writtenDays>>();
  return (text: string) => {
    const kept = known.get(text);
    if (kept !== undefined || known.has(text)) return kept;
    if (known.size === MOST_DATES) known.clear();
    const days = writtenDays(text, zone);
    known.set(text, days);
    return days;
  };
};
