import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney, minorDigits } from '../../src/core/money.ts';

/** Every code whose minor unit is not a hundredth, after ISO 4217 (list one of 2026-01-01). */
const ISO_4217 = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const unusual = Object.entries(ISO_4217).flatMap(([digits, codes]) =>
  codes.split(' ').map((code) => [code, Number(digits)] as const),
);

describe('minorDigits', () => {
  it.each(unusual)('%s has %d decimal places', (code, digits) => {
    expect(minorDigits(code)).toBe(digits);
  });

  it.each(['NGN', 'GHS', 'USD', 'EUR', 'KES', 'ZAR', 'TZS'])('%s has two decimal places', (code) => {
    expect(minorDigits(code)).toBe(2);
  });

  it.each(['COP', 'HUF', 'IDR', 'MGA', 'PKR', 'SOS', 'LBP'])(
    '%s has two decimal places in the standard, although shops round it to whole units',
    (code) => {
      expect(minorDigits(code)).toBe(2);
    },
  );

  it.each(['', 'XX', 'XXX', 'naira', '₦', '__proto__', 'constructor'])('an unknown code %j counts as two', (code) => {
    expect(minorDigits(code)).toBe(2);
  });

  it('reads a code in small letters as the same currency', () => {
    expect(minorDigits('xof')).toBe(0);
  });
});

describe('formatMoney', () => {
  it.each([
    [500000, 'NGN', 'NGN 5,000.00'],
    [0, 'NGN', 'NGN 0.00'],
    [7, 'NGN', 'NGN 0.07'],
    [70, 'NGN', 'NGN 0.70'],
    [100, 'NGN', 'NGN 1.00'],
    [99_999, 'NGN', 'NGN 999.99'],
    [100_000, 'NGN', 'NGN 1,000.00'],
    [123_456_789, 'NGN', 'NGN 1,234,567.89'],
    [-123_456, 'NGN', 'NGN -1,234.56'],
    [-5, 'NGN', 'NGN -0.05'],
    [1234, 'XOF', 'XOF 1,234'],
    [0, 'JPY', 'JPY 0'],
    [-1000, 'JPY', 'JPY -1,000'],
    [1_234_567, 'KWD', 'KWD 1,234.567'],
    [5, 'KWD', 'KWD 0.005'],
    [12_345, 'CLF', 'CLF 1.2345'],
    ['0000500000', 'NGN', 'NGN 5,000.00'],
    ['12345678901234567890', 'NGN', 'NGN 123,456,789,012,345,678.90'],
    [9_007_199_254_740_993n, 'NGN', 'NGN 90,071,992,547,409.93'],
    [1, 'XXX', 'XXX 0.01'],
  ] as const)('writes %s of %s as %s', (minor, currency, text) => {
    expect(formatMoney(minor, currency)).toBe(text);
  });

  it.each([
    [0.5, '0.5 NGN (minor unit)'],
    ['500000.00', '500000.00 NGN (minor unit)'],
    ['1e400', '1e400 NGN (minor unit)'],
    [1e21, '1e+21 NGN (minor unit)'],
    [Number.NaN, 'NaN NGN (minor unit)'],
    [Number.POSITIVE_INFINITY, 'Infinity NGN (minor unit)'],
    ['', ' NGN (minor unit)'],
    ['5\n', '5\n NGN (minor unit)'],
    ['٥', '٥ NGN (minor unit)'],
  ] as const)('shows %j, which is no whole count of the minor unit, as it is', (minor, text) => {
    expect(formatMoney(minor, 'NGN')).toBe(text);
  });

  it('loses no digit of any amount in any currency', () => {
    const currency = fc.constantFrom('NGN', 'XOF', 'KWD', 'CLF', 'ZZZ');
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), currency, (minor, code) => {
        const [name, amount = ''] = formatMoney(minor, code).split(' ');
        expect(name).toBe(code);
        expect(BigInt(amount.replaceAll(/[,.]/g, ''))).toBe(minor);
        expect(amount.split('.')[1]?.length ?? 0).toBe(minorDigits(code));
      }),
    );
  });

  it('groups the whole units by threes and starts them with a zero only where they are none', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.constantFrom('NGN', 'XOF', 'KWD'), (minor, code) => {
        expect(formatMoney(minor, code)).toMatch(/^[A-Z]{3} (?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d+)?$/);
      }),
    );
  });

  it('is done at once with an amount of a hundred thousand digits, which a hostile answer may hold', () => {
    const begun = performance.now();
    const text = formatMoney('9'.repeat(300_002), 'NGN');
    expect(text).toBe(`NGN ${Array(100_000).fill('999').join(',')}.99`);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
