/**
 * Money: an integer count of the currency's minor unit (kobo for NGN) and an ISO 4217 code. Never a float.
 */

/** Decimal places of a currency; 2 where the code is not a known one. */
export const minorDigits = (currency: string): number => {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    return maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
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
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = digits === 0 ? '' : `.${padded.slice(-digits)}`;
  return `${currency} ${sign}${grouped}${fraction}`;
};
