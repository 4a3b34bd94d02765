import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChargeField, ChargeWords } from '../../src/commands/ugwo/charge-shared.ts';
import { readUnchecked, readWith } from '../../src/commands/ugwo/charge-shared.ts';

const AT = { ms: Date.UTC(2026, 10, 20, 12), offset: 0 };
const column = (field: ChargeField): string => field;
const read = (words: ChargeWords) => readWith(words, column);
const faultsIn = (words: ChargeWords): string[] => {
  const result = read(words);
  return 'faults' in result ? result.faults.map(({ field, what }) => `${field}: ${what}`) : [];
};

describe('readWith', () => {
  it.each<[ChargeWords, object]>([
    [{ medium: 'bank_transfer' }, { medium: 'bank_transfer', expiry: undefined }],
    [
      { medium: 'bank_transfer', expires_at: AT },
      { medium: 'bank_transfer', expiry: { at: AT } },
    ],
    [
      { medium: 'bank_transfer', expires_in: 900_000 },
      { medium: 'bank_transfer', expiry: { in: 900_000 } },
    ],
    [
      { medium: 'ussd', provider: 'gtb' },
      { medium: 'ussd', provider: 'gtb' },
    ],
    [
      { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' },
      { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' },
    ],
  ])('%j is what is charged with', (words, charge) => {
    expect(read(words)).toEqual({ charge });
  });

  it.each<[ChargeWords, string[]]>([
    [{}, ['medium: medium is required: bank_transfer, ussd, mobile_money']],
    [{ medium: 'usd' }, ['medium: "usd" is not one of bank_transfer, ussd, mobile_money (did you mean ussd?)']],
    [{ medium: 'card' }, ['medium: "card" is not one of bank_transfer, ussd, mobile_money']],
    [{ medium: 'ussd' }, ["provider: medium ussd needs provider, the bank's code such as gtb or zenith"]],
    [
      { medium: 'mobile_money' },
      [
        "provider: medium mobile_money needs provider, the provider's code",
        'phone: medium mobile_money needs phone, the number in international format',
      ],
    ],
    [
      { medium: 'bank_transfer', provider: 'gtb', phone: '+1' },
      [
        "provider: provider can't be used with medium bank_transfer, only with ussd and mobile_money",
        "phone: phone can't be used with medium bank_transfer, only with mobile_money",
      ],
    ],
    [
      { medium: 'bank_transfer', expires_at: AT, expires_in: 1000 },
      ["expires_in: expires_at and expires_in can't be used together"],
    ],
    [{ medium: 'bank_transfer', expires_in: 0 }, ['expires_in: expires_in must be between 1s and 15m (got 0s)']],
    [
      { medium: 'bank_transfer', expires_in: 900_001 },
      ['expires_in: expires_in must be between 1s and 15m (got 901s)'],
    ],
  ])('all that is wrong with %j', (words, faults) => {
    expect(faultsIn(words)).toEqual(faults);
  });

  it('never lets a parameter stand beside a medium that it is not for', () => {
    const words = fc.record(
      {
        medium: fc.constantFrom('bank_transfer', 'ussd', 'mobile_money', 'other'),
        expires_at: fc.constant(AT),
        expires_in: fc.nat(2_000_000),
        provider: fc.constant('gtb'),
        phone: fc.constant('+233201234567'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(words, (given) => {
        const result = read(given);
        if ('faults' in result) return void expect(result.faults).not.toHaveLength(0);
        const { medium, ...rest } = result.charge as unknown as Record<string, unknown>;
        const foreign = { bank_transfer: ['provider', 'phone'], ussd: ['phone', 'expiry'], mobile_money: ['expiry'] };
        expect(foreign[medium as keyof typeof foreign].filter((name) => name in rest)).toEqual([]);
        expect(Object.values(given).length).toBe(1 + Object.values(rest).filter((value) => value !== undefined).length);
      }),
    );
  });
});

describe('readUnchecked', () => {
  it('takes everything but two expiries', () => {
    expect(readUnchecked({ medium: 'x', provider: 'y', phone: '1' }, column)).toEqual({
      charge: { medium: 'unchecked', name: 'x', provider: 'y', phone: '1', expiry: undefined },
    });
    expect(readUnchecked({ expires_at: AT }, column)).toMatchObject({ charge: { expiry: { at: AT } } });
    expect(readUnchecked({ expires_in: 9_000_000 }, column)).toMatchObject({ charge: { expiry: { in: 9_000_000 } } });
    expect(readUnchecked({ expires_at: AT, expires_in: 1 }, column)).toMatchObject({
      faults: [{ field: 'expires_in' }],
    });
  });
});
