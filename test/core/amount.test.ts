import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bothUnits, formatMoney, readAmount, readGiven, readMinorAmount } from '../../src/core/money.ts';

describe('an amount as people write it', () => {
  it.each([
    ['5,000.00', 'NGN', 500_000],
    ['5000.00', 'NGN', 500_000],
    ['0.01', 'NGN', 1],
    ['1,234,567.89', 'GHS', 123_456_789],
    ['5000', 'JPY', 5000],
    ['5,000', 'JPY', 5000],
    ['1.234', 'KWD', 1234],
    ['90071992547409.91', 'NGN', Number.MAX_SAFE_INTEGER],
  ])('%s %s is %d', (text, currency, minor) => {
    expect(readAmount(text, currency)).toEqual({ minor });
  });

  it('is refused without its decimals, with both readings', () => {
    expect(readAmount('5000', 'NGN')).toEqual({
      problem: '"5000" could mean NGN 5,000.00 or NGN 50.00',
      hint: 'write --amount 5,000.00 or --amount-minor 5000',
    });
    expect(readAmount('5,000', 'NGN')).toMatchObject({ problem: '"5,000" could mean NGN 5,000.00 or NGN 50.00' });
  });

  it.each(['', '-5.00', '+5.00', '5.000,00', '50,00.00', '5 000.00', '.50', '5.', '5e3', '0x10', '٥.00', 'NaN'])(
    '%j is none',
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

  it('reads back what is shown, in every currency', () => {
    const currency = fc.constantFrom('NGN', 'GHS', 'JPY', 'KWD', 'CLF');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), currency, (minor, code) => {
        expect(readAmount(formatMoney(minor, code).slice(4), code)).toEqual({ minor });
      }),
    );
  });
});

describe('an amount in the minor unit', () => {
  it('is digits alone', () => {
    expect(readMinorAmount('500000')).toEqual({ minor: 500_000 });
    for (const text of ['', '5,000', '5.0', '-1', '0', '9007199254740993', '1e3']) {
      expect(readMinorAmount(text), text).toHaveProperty('problem');
    }
    expect(readMinorAmount('5.0')).toEqual({
      problem: '"5.0" is not a count of minor units',
      hint: 'use digits only, such as 500000 for NGN 5,000.00',
    });
  });

  it('is told by its flag from one as people write it', () => {
    expect(readGiven({ flag: '--amount', text: '5,000.00' }, 'NGN')).toEqual({ minor: 500_000 });
    expect(readGiven({ flag: '--amount-minor', text: '5000' }, 'NGN')).toEqual({ minor: 5000 });
  });

  it('is shown in both units', () => {
    expect(bothUnits(500_000, 'NGN')).toBe('NGN 5,000.00 (500000 kobo)');
    expect(bothUnits(123, 'GHS')).toBe('GHS 1.23 (123 pesewas)');
    expect(bothUnits(123, 'KES')).toBe('KES 1.23 (123 cents)');
    expect(bothUnits(123, 'USD')).toBe('USD 1.23 (123 cents)');
    expect(bothUnits(5000, 'JPY')).toBe('JPY 5,000');
    expect(bothUnits(1234, 'KWD')).toBe('KWD 1.234 (1234 minor units)');
  });
});
