import { memo } from './async.ts';
import { spoiltWords } from './spoilt.ts';

/**
 * Money: an integer count of the currency's minor unit (kobo for NGN) and an ISO 4217 code. Never a float.
 */

/**
 * ISO 4217 currencies whose minor unit is not a hundredth. Not from Intl: its digits are CLDR's, which describe cash
 * in shops (none for COP or HUF, whose minor unit is a hundredth) and change with the version of Node.
 */
const MINOR_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
const digitsByCode = memo(
  () => new Map(MINOR_DIGITS.flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const))),
);

/** Decimal places of a currency; 2 for an unknown code. */
const minorDigits = (currency: string): number => digitsByCode().get(currency.toUpperCase()) ?? 2;

const groupByThrees = (whole: string): string => {
  const groups = [];
  for (let end = whole.length; end > 0; end -= 3) groups.push(whole.slice(Math.max(0, end - 3), end));
  return groups.reverse().join(',');
};

/** The parts of an amount in decimals; undefined if it isn't an integer. Works on text, so that no size is rounded. */
const decimalParts = (text: string, currency: string) => {
  const match = /^(-?)(\d+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', all = ''] = match;
  const digits = minorDigits(currency);
  const padded = all.padStart(digits + 1, '0');
  const whole = padded.slice(0, padded.length - digits).replace(/^0+(?=\d)/, '');
  return { sign, whole, fraction: digits === 0 ? '' : `.${padded.slice(-digits)}` };
};

/** Marks an amount that can't be written in decimals, so that nobody reads a hundred times the amount. */
export const inMinorUnit = (text: string): string => `${text} (minor unit)`;

/** Formats `500000` and `NGN` as `NGN 5,000.00`. */
export const formatMoney = (minor: string | number | bigint, currency: string): string => {
  const parts = decimalParts(String(minor), currency);
  if (parts === undefined) return inMinorUnit(`${minor} ${currency}`);
  return `${currency} ${parts.sign}${groupByThrees(parts.whole)}${parts.fraction}`;
};

/** The smallest refund, in the minor unit (docs/service.md, Refunds); it is known for one currency only. */
export const SMALLEST_REFUND: ReadonlyMap<string, number> = new Map([['NGN', 20_000]]);

/** Writes `500000` and `NGN` as `5000.00`, for programs. */
export const decimalText = (minor: string, currency: string): string => {
  const parts = decimalParts(minor, currency);
  return parts === undefined ? inMinorUnit(minor) : `${parts.sign}${parts.whole}${parts.fraction}`;
};

/** Formats sums as `NGN 5,000.00 and USD 20.00`; undefined without any sum. */
export const sumsText = (sums: ReadonlyMap<string, bigint>): string | undefined =>
  sums.size === 0 ? undefined : [...sums].map(([currency, minor]) => formatMoney(minor, currency)).join(' and ');

/** The amount as a number, or as text if a number can't hold it exactly. */
export const exactNumber = (amount: bigint): number | string =>
  Number.isSafeInteger(Number(amount)) ? Number(amount) : String(amount);

/** Result of reading an amount: a count of the minor unit, or the problem and a hint. */
export type ReadAmount = { readonly minor: number } | { readonly problem: string; readonly hint: string };

/** The names of minor units, for people; ISO 4217 has none. */
const MINOR_UNITS = new Map([
  ['NGN', 'kobo'],
  ['GHS', 'pesewas'],
  ['KES', 'cents'],
  ['USD', 'cents'],
]);

/** Digits, grouped by threes if there is a comma, with an optional fraction. */
const AMOUNT = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;

const amountProblem = (why: string, hint: string): ReadAmount => ({ problem: why, hint });

const readMinor = (digits: string): ReadAmount => {
  const minor = Number(digits);
  if (!Number.isSafeInteger(minor)) return amountProblem('is too large', 'check the number of digits');
  return minor === 0 ? amountProblem('is 0', 'an amount must be more than nothing') : { minor };
};

/** Signs, names and earlier codes of currencies. The last of a line may be signs in a wrong encoding. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  NGN: ['Nigerian naira', 'naira', '=N=', '₦', 'N', 'â‚¦', '#', '?'],
  GHS: ['GH₵', 'GH¢', 'GHC', '₵', 'GHâ‚µ', 'â‚µ'],
  KES: ['Ksh'],
  ZAR: ['R'],
  USD: ['US dollar', 'US$', '$'],
  EUR: ['€'],
  GBP: ['£'],
};

/** A currency as people and banks write it: its code or a sign, in any case. Source of a regular expression. */
export const CURRENCY_FORM = [...Object.values(SIGNS).flat(), '[A-Z]{3}'].join('|').replaceAll(/[?$]/g, '\\$&');

const codeBySign = memo(
  () =>
    new Map(Object.entries(SIGNS).flatMap(([code, signs]) => signs.map((sign) => [sign.toLowerCase(), code] as const))),
);

/** The code of a currency, from its code or a sign. */
export const currencyCode = (text: string): string => {
  const code = codeBySign().get(text.toLowerCase());
  return code ?? (/^[A-Z]{3}\b/i.exec(text)?.[0] ?? text).toUpperCase();
};

const moneyForm = memo(() => new RegExp(`^(?:(${CURRENCY_FORM})\\s*(?=\\d))?(.*)$`, 'is'));

/** The optional currency in front of an amount, as tables print it or as a sign, and the amount. */
export const splitMoney = (text: string): { readonly currency: string | undefined; readonly amount: string } => {
  const [, currency, amount = ''] = moneyForm().exec(text.trim()) ?? [];
  return { currency: currency && currencyCode(currency), amount };
};

/** Reads a count of the minor unit, as `--amount-minor` takes it: `500000`. */
export const readMinorAmount = (text: string): ReadAmount =>
  /^\d+$/.test(text)
    ? readMinor(text)
    : amountProblem(
        spoiltWords(text, '') ?? `"${text}" is not a count of minor units`,
        'use digits only, such as 500000 for NGN 5,000.00',
      );

/**
 * Reads an amount in major units as a count of the minor unit. Missing decimals are zeros: `7000` is NGN 7,000.00.
 * Undefined for a text that is no amount. Three digits behind a comma are no thousands for sure where the currency has
 * three decimals.
 */
export const readMajor = (text: string, currency: string): string | undefined => {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? [];
  const digits = minorDigits(currency);
  if (whole === undefined || fraction.length > digits || (digits === 3 && /^\d+,\d+$/.test(text))) return undefined;
  return `${whole.replaceAll(',', '')}${fraction.padEnd(digits, '0')}`;
};

/**
 * Converts an amount as people write it, `5,000.00`, to the currency's minor unit, without floats. For a currency with
 * decimals a number without them is refused, unless it `isMajor`: it could be meant in either unit, and one is a
 * hundred times the other.
 */
export const readAmount = (text: string, currency: string, isMajor = false): ReadAmount => {
  const digits = minorDigits(currency);
  const [, whole, fraction] = AMOUNT.exec(text) ?? [];
  const example = formatMoney(`5000${'0'.repeat(digits)}`, currency).slice(currency.length + 1);
  if (whole === undefined)
    return amountProblem(spoiltWords(text, '') ?? `"${text}" is not an amount`, `write it like ${example}`);
  if (fraction === undefined && digits > 0 && !isMajor) {
    const plain = whole.replaceAll(',', '');
    const major = formatMoney(`${plain}${'0'.repeat(digits)}`, currency);
    return amountProblem(
      `"${text}" could mean ${major} or ${formatMoney(plain, currency)}`,
      `write --amount ${major.slice(currency.length + 1)} or --amount-minor ${plain}`,
    );
  }
  const minor = isMajor || (fraction ?? '').length === digits ? readMajor(text, currency) : undefined;
  if (minor !== undefined) return readMinor(minor);
  const wanted = digits === 0 ? 'has no decimals' : `has ${digits} decimals`;
  return amountProblem(`"${text}" can't be an amount: ${currency} ${wanted}`, `write it like ${example}`);
};

/** Formats an amount that is about to be charged or refunded in both units: `NGN 5,000.00 (500000 kobo)`. */
export const bothUnits = (minor: number, currency: string): string =>
  minorDigits(currency) === 0
    ? formatMoney(minor, currency)
    : `${formatMoney(minor, currency)} (${minor} ${MINOR_UNITS.get(currency) ?? 'minor units'})`;

/** An amount as entered: with its flag, or a column of that name. */
export interface GivenAmount {
  readonly flag: '--amount' | '--amount-minor';
  readonly text: string;
  /** True where a number without decimals is in major units. */
  readonly isMajor?: boolean;
}

export const readGiven = ({ flag, text, isMajor }: GivenAmount, currency: string): ReadAmount =>
  flag === '--amount' ? readAmount(text, currency, isMajor) : readMinorAmount(text);
