import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  areDifferent,
  buildData,
  type ChargeFields,
  findFaults,
  findUncheckedFaults,
} from '../../src/charge/mediums.ts';

const AT = { ms: Date.UTC(2026, 10, 20, 12), offset: 0 };
const column = (field: string): string => field;
const faultsIn = (fields: ChargeFields): string[] =>
  findFaults(fields, false, column).map(({ field, what }) => `${field}: ${what}`);

describe('findFaults', () => {
  it.each<ChargeFields>([
    { medium: 'bank_transfer' },
    { medium: 'bank_transfer', expires_at: AT },
    { medium: 'bank_transfer', expires_in: 900_000 },
    { medium: 'ussd', provider: 'gtb' },
    { medium: 'mobile_money', provider: 'mtn', phone: '+233201234567' },
  ])('accepts %j', (fields) => {
    expect(faultsIn(fields)).toEqual([]);
  });

  it.each<[ChargeFields, string[]]>([
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
  ])('finds all faults in %j', (fields, faults) => {
    expect(faultsIn(fields)).toEqual(faults);
  });

  it('wants a medium also where the service may have others', () => {
    expect(findFaults({ medium: 'card' }, true, column)).toEqual([]);
    expect(findFaults({ provider: 'gtb' }, true, column)).toMatchObject([{ field: 'medium' }]);
  });

  it('rejects parameters of another medium', () => {
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
        const foreign: Readonly<Record<string, readonly string[]>> = {
          bank_transfer: ['provider', 'phone'],
          ussd: ['phone', 'expires_at', 'expires_in'],
          mobile_money: ['expires_at', 'expires_in'],
        };
        const faulty = findFaults(given, false, column).map(({ field }) => field);
        const beside = (foreign[given.medium ?? ''] ?? []).filter((name) => name in given);
        expect(beside.filter((name) => !faulty.includes(name))).toEqual([]);
      }),
    );
  });
});

describe('buildData', () => {
  it.each<[what: string, fields: ChargeFields, expiry: string | undefined]>([
    ['an expiry as it was given', { expires_at: AT }, '2026-11-20T12:00:00+00:00'],
    ['a duration counted from now', { expires_in: 899_000 }, '2026-11-20T12:14:59+00:00'],
    ["no duration that is the service's default", { expires_in: 900_000 }, undefined],
  ])('sends %s', (_what, fields, expiry) => {
    expect(buildData({ medium: 'bank_transfer', ...fields }, AT.ms)['expires_at']).toBe(expiry);
  });
});

describe('areDifferent', () => {
  it.each([
    ['ussd', 'bank_transfer', true],
    ['ussd', 'ussd', false],
    ['ussd', 'card', false],
    ['card', 'ussd', false],
  ])('%s and %s: %s', (one, other, differ) => expect(areDifferent(one, other)).toBe(differ));
});

describe('findUncheckedFaults', () => {
  it('rejects only two expiries', () => {
    expect(findUncheckedFaults({ medium: 'x', provider: 'y', phone: '1' }, false, column)).toEqual([]);
    expect(findUncheckedFaults({ expires_at: AT }, false, column)).toEqual([]);
    expect(findUncheckedFaults({ expires_in: 9_000_000 }, false, column)).toEqual([]);
    expect(findUncheckedFaults({ expires_at: AT, expires_in: 1 }, false, column)).toMatchObject([
      { field: 'expires_in' },
    ]);
  });
});
