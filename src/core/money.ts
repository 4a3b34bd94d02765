/**
 * Money: an integer count of the currency's minor unit (kobo for NGN) and an ISO 4217 code. Never a float.
 */

/**
 * ISO 4217 where the minor unit is not a hundredth. Not from Intl: its digits are CLDR's, which are about cash in shops
 * (none for COP or HUF, whose minor unit is a hundredth) and change with the version of Node.
 */
const DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
const DIGITS_OF = new Map(DIGITS.flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const)));

/** Decimal places of a currency; 2 where the code is not a known one. */
export const minorDigits = (currency: string): number => DIGITS_OF.get(currency.toUpperCase()) ?? 2;

const groupByThrees = (whole: string): string => {
  const groups = [];
  for (let end = whole.length; end > 0; end -= 3) groups.push(whole.slice(Math.max(0, end - 3), end));
  return groups.reverse().join(',');
};

/** `500000` and `NGN` give `NGN 5,000.00`. The digits are grouped as text, so no size is rounded. */
export const formatMoney = (minor: string | number | bigint, currency: string): string => {
  const text = String(minor);
  const match = /^(-?)(\d+)$/.exec(text);
  if (match === null) return `${text} ${currency} (minor unit)`;
  const [, sign = '', all = ''] = match;
  const digits = minorDigits(currency);
  const padded = all.padStart(digits + 1, '0');
  const whole = padded.slice(0, padded.length - digits).replace(/^0+(?=\d)/, '');
  const fraction = digits === 0 ? '' : `.${padded.slice(-digits)}`;
  return `${currency} ${sign}${groupByThrees(whole)}${fraction}`;
};

/** `NGN 5,000.00 and USD 20.00`; undefined where nothing was added up. */
export const sumsText = (sums: ReadonlyMap<string, bigint>): string | undefined =>
  sums.size === 0 ? undefined : [...sums].map(([currency, minor]) => formatMoney(minor, currency)).join(' and ');
