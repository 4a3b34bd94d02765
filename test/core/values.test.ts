import { describe, expect, it } from 'vitest';
import { EXPIRY_LIMIT_MS, isMedium, MEDIUMS, machineValue } from '../../src/core/charge.ts';
import { unreachable } from '../../src/core/error.ts';
import { madeHere } from '../../src/core/record.ts';

describe('mediums', () => {
  it('are those of interface.md 4.2', () => {
    expect(MEDIUMS).toEqual(['bank_transfer', 'ussd', 'mobile_money']);
  });

  it.each(MEDIUMS)('%s is a medium', (medium) => {
    expect(isMedium(medium)).toBe(true);
  });

  it.each(['', 'card', 'USSD', 'ussd ', 'pay_with_bank', 'length', '0', '__proto__'])('%j is no medium', (text) => {
    expect(isMedium(text)).toBe(false);
  });

  it('an account lives fifteen minutes at most', () => {
    expect(EXPIRY_LIMIT_MS).toBe(900_000);
  });

  it('an enum is its machine value, written alone or with a label', () => {
    expect(machineValue('processing')).toBe('processing');
    expect(machineValue(['processing', 'Being processed'])).toBe('processing');
  });
});

it.each([
  [5, '5'],
  [[5, 'five'], '5'],
  [true, ''],
  [null, ''],
  [{}, ''],
  [[], ''],
  [[['a']], ''],
])('the machine value of %j is %j', (value, text) => {
  expect(machineValue(value)).toBe(text);
});

describe('madeHere', () => {
  it('has the text that its value would come as', () => {
    const made = madeHere({ uid: 'ony.Kw9a.8Zp3', meta: { 'a"b': null } });
    expect(made.text).toBe('{"uid":"ony.Kw9a.8Zp3","meta":{"a\\"b":null}}');
    expect(JSON.parse(made.text)).toEqual(made.value);
  });
});

describe('unreachable', () => {
  it('throws when a case slips through, and names it', () => {
    expect(() => unreachable({ medium: 'card' } as never)).toThrow('unreachable: {"medium":"card"}');
  });
});
