import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bothUnits,
  decimalText,
  formatMoney,
  readAmount,
  readGiven,
  readMajor,
  readMinorAmount,
  splitMoney,
} from '../../src/core/money.ts';

/** Currencies whose minor unit is not a hundredth, from ISO 4217 (list one of 2026-01-01). */
const ISO_4217 = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const unusual = Object.entries(ISO_4217).flatMap(([digits, codes]) =>
  codes.split(' ').map((code) => [code, Number(digits)] as const),
);

/** Decimal places of an amount. */
const placesOf = (code: string): number => formatMoney(0, code).split('.')[1]?.length ?? 0;

describe('the decimal places of a currency', () => {
  it.each(unusual)('%s has %d decimal places', (code, digits) => {
    expect(placesOf(code)).toBe(digits);
  });

  it.each(['NGN', 'GHS', 'USD', 'EUR', 'KES', 'ZAR', 'TZS'])('%s has two decimal places', (code) => {
    expect(placesOf(code)).toBe(2);
  });

  it.each(['COP', 'HUF', 'IDR', 'MGA', 'PKR', 'SOS', 'LBP'])(
    '%s has two decimal places in the standard, although shops round to whole units',
    (code) => {
      expect(placesOf(code)).toBe(2);
    },
  );

  it.each(['', 'XX', 'XXX', 'naira', '₦', '__proto__', 'constructor'])('an unknown code %j has two', (code) => {
    expect(placesOf(code)).toBe(2);
  });

  it('ignores case', () => {
    expect(placesOf('xof')).toBe(0);
  });
});

describe('decimalText', () => {
  it.each([
    ['150000', 'NGN', '1500.00'],
    ['12345678901234567890', 'NGN', '123456789012345678.90'],
    ['7', 'BHD', '0.007'],
    ['1500', 'JPY', '1500'],
    ['-5', 'NGN', '-0.05'],
    ['500.00', 'NGN', '500.00 (minor unit)'],
    ['1e400', 'NGN', '1e400 (minor unit)'],
  ])('writes %s of %s as %s', (minor, currency, text) => {
    expect(decimalText(minor, currency)).toBe(text);
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
  ] as const)('prints %s of %s as %s', (minor, currency, text) => {
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
  ] as const)('prints %j, which is not an integer in the minor unit, unchanged', (minor, text) => {
    expect(formatMoney(minor, 'NGN')).toBe(text);
  });

  it('preserves all digits in any currency', () => {
    const currency = fc.constantFrom('NGN', 'XOF', 'KWD', 'CLF', 'ZZZ');
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), currency, (minor, code) => {
        const [name, amount = ''] = formatMoney(minor, code).split(' ');
        expect(name).toBe(code);
        expect(BigInt(amount.replaceAll(/[,.]/g, ''))).toBe(minor);
        expect(amount.split('.')[1]?.length ?? 0).toBe(placesOf(code));
      }),
    );
  });

  it('groups the whole units and has no leading zeros', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.constantFrom('NGN', 'XOF', 'KWD'), (minor, code) => {
        expect(formatMoney(minor, code)).toMatch(/^[A-Z]{3} (?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d+)?$/);
      }),
    );
  });

  it('is fast for a hundred thousand digits, which a hostile answer may contain', () => {
    const begun = performance.now();
    const text = formatMoney('9'.repeat(300_002), 'NGN');
    expect(text).toBe(`NGN ${Array(100_000).fill('999').join(',')}.99`);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

describe('readAmount', () => {
  it.each([
    ['5,000.00', 'NGN', 500_000],
    ['5000.00', 'NGN', 500_000],
    ['0.01', 'NGN', 1],
    ['1,234,567.89', 'GHS', 123_456_789],
    ['5000', 'JPY', 5000],
    ['5,000', 'JPY', 5000],
    ['1.234', 'KWD', 1234],
    ['90071992547409.91', 'NGN', Number.MAX_SAFE_INTEGER],
  ])('reads %s %s as %d', (text, currency, minor) => {
    expect(readAmount(text, currency)).toEqual({ minor });
  });

  it('rejects an amount without decimals and names both meanings', () => {
    expect(readAmount('5000', 'NGN')).toEqual({
      problem: '"5000" could mean NGN 5,000.00 or NGN 50.00',
      hint: 'write --amount 5,000.00 or --amount-minor 5000',
    });
    expect(readAmount('5', 'KWD')).toMatchObject({ problem: '"5" could mean KWD 5.000 or KWD 0.005' });
    expect(readAmount('5,000', 'NGN')).toMatchObject({ problem: '"5,000" could mean NGN 5,000.00 or NGN 50.00' });
  });

  it.each(['', '-5.00', '+5.00', '5.000,00', '50,00.00', '5 000.00', '.50', '5.', '5e3', '0x10', '٥.00', 'NaN'])(
    'rejects %j',
    (text) => {
      expect(readAmount(text, 'NGN')).toHaveProperty('problem');
    },
  );

  it.each([
    ['5.0', 'NGN', '"5.0" can\'t be an amount: NGN has 2 decimals', 'write it like 5,000.00'],
    ['5.00', 'JPY', '"5.00" can\'t be an amount: JPY has no decimals', 'write it like 5,000'],
    ['five', 'KWD', '"five" is not an amount', 'write it like 5,000.000'],
    ['0.00', 'NGN', 'is 0', 'an amount must be more than nothing'],
    ['90071992547409.92', 'NGN', 'is too large', 'check the number of digits'],
  ])('%s %s: %s', (text, currency, problem, hint) => {
    expect(readAmount(text, currency)).toEqual({ problem, hint });
  });

  it('reverses formatMoney in every currency', () => {
    const currency = fc.constantFrom('NGN', 'GHS', 'JPY', 'KWD', 'CLF');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), currency, (minor, code) => {
        expect(readAmount(formatMoney(minor, code).slice(4), code)).toEqual({ minor });
      }),
    );
  });
});

/** What each form is in major units, in a currency with two decimals, none and three; undefined for no amount. */
type Form = readonly [text: string, ...minor: (number | undefined)[]];
const NO_AMOUNTS: readonly string[] = [
  ...['7,00', '7,0', '70,00', '7000,00', '7.000,00', '80,00', '8,0000', '8,00,000', ',800', '8,000,00'],
  ...['7 000', '7\u00a0000', '7\u202f000', "7'000", '7_000', '7000 ', ' 7000', '?7000', '#7000'],
  ...['-7000', '+7000', '\u22127000', '(7000)', '7000-', '7000 CR', '\u20a67000', 'NGN 7000', '7000 NGN'],
  ...['', '.', '.50', '7000.', '7.0.0', '7e3', '0x7', '7k', '7/2', '\u0667', 'NaN', 'all'],
];
const FORMS: readonly Form[] = [
  ['7000', 700_000, 7000, 7_000_000],
  ['7', 700, 7, 7000],
  ['8,000', 800_000, 8000, undefined],
  ['1,234,567', 123_456_700, 1_234_567, 1_234_567_000],
  ['8,000.00', 800_000, undefined, 8_000_000],
  ['8,000.000', undefined, undefined, 8_000_000],
  ['7000.5', 700_050, undefined, 7_000_500],
  ['7000.25', 700_025, undefined, 7_000_250],
  ['7.000', undefined, undefined, 7000],
  ...NO_AMOUNTS.map((text): Form => [text]),
];

describe('an amount of a CSV file', () => {
  it.each(FORMS.map((form) => [form] as const))('%j', ([text, ...wanted]) => {
    for (const [index, currency] of ['NGN', 'JPY', 'KWD'].entries()) {
      const minor = wanted[index];
      const read = readAmount(text, currency, true);
      if (minor === undefined) {
        expect(read, currency).toEqual({
          problem: expect.any(String),
          hint: expect.stringMatching(/^write it like [\d,.]+$/),
        });
        expect(JSON.stringify(read), currency).not.toContain('could mean');
      } else expect(read, currency).toEqual({ minor });
      // Files of charges and statements read the same.
      expect(readMajor(text, currency)?.replace(/^0+/, ''), currency).toBe(minor?.toString());
    }
  });

  it.each(['0', '0.00', '00'])('rejects %s', (text) => {
    expect(readAmount(text, 'NGN', true)).toMatchObject({ problem: 'is 0' });
  });

  it('is never too large to be exact', () => {
    expect(readAmount('90071992547409.91', 'NGN', true)).toEqual({ minor: Number.MAX_SAFE_INTEGER });
    expect(readAmount('90071992547410', 'NGN', true)).toMatchObject({ problem: 'is too large' });
  });

  it('is the same with and without groups and decimals, in every currency', () => {
    const currency = fc.constantFrom('NGN', 'JPY', 'KWD', 'CLF');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), currency, (whole, code) => {
        const minor = whole * 10 ** placesOf(code);
        const full = formatMoney(minor, code).slice(4);
        const bare = full.replaceAll(',', '');
        for (const text of [full, bare, String(whole)]) expect(readAmount(text, code, true)).toEqual({ minor });
      }),
    );
  });
});

describe('an amount in the minor unit', () => {
  it('contains only digits', () => {
    expect(readMinorAmount('500000')).toEqual({ minor: 500_000 });
    for (const text of ['', '5,000', '5.0', '-1', '0', '9007199254740993', '1e3']) {
      expect(readMinorAmount(text), text).toHaveProperty('problem');
    }
    expect(readMinorAmount('5.0')).toEqual({
      problem: '"5.0" is not a count of minor units',
      hint: 'use digits only, such as 500000 for NGN 5,000.00',
    });
  });

  it('is recognised by its option', () => {
    expect(readGiven({ flag: '--amount', text: '5,000.00' }, 'NGN')).toEqual({ minor: 500_000 });
    expect(readGiven({ flag: '--amount-minor', text: '5000' }, 'NGN')).toEqual({ minor: 5000 });
    expect(readGiven({ flag: '--amount', text: '5000', isMajor: true }, 'NGN')).toEqual({ minor: 500_000 });
    expect(readGiven({ flag: '--amount', text: '5000' }, 'NGN')).toHaveProperty('problem');
  });

  it('is printed in both units', () => {
    expect(bothUnits(500_000, 'NGN')).toBe('NGN 5,000.00 (500000 kobo)');
    expect(bothUnits(123, 'GHS')).toBe('GHS 1.23 (123 pesewas)');
    expect(bothUnits(123, 'KES')).toBe('KES 1.23 (123 cents)');
    expect(bothUnits(123, 'USD')).toBe('USD 1.23 (123 cents)');
    expect(bothUnits(5000, 'JPY')).toBe('JPY 5,000');
    expect(bothUnits(1234, 'KWD')).toBe('KWD 1.234 (1234 minor units)');
  });
});

it.each([
  ['₦5,000.00', 'NGN'],
  ['N 5,000.00', 'NGN'],
  ['GH₵ 5,000.00', 'GHS'],
  ['₵5,000.00', 'GHS'],
  ['ghc5,000.00', 'GHS'],
  ['Ksh 5,000.00', 'KES'],
  ['R5,000.00', 'ZAR'],
  ['usd 5,000.00', 'USD'],
  ['5,000.00', undefined],
])('the currency in front of %s is %s', (text, currency) => {
  expect(splitMoney(text)).toEqual({ currency, amount: '5,000.00' });
});
