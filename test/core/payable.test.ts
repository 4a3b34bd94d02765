import { describe, expect, it } from 'vitest';
import { payableUntil } from '../../src/core/charge.ts';

const account = (expiresAt: unknown): object => ({
  type: 'user_action',
  headers: { bank_name: 'Test Bank', account_name: 'Shop', account_number: '0123456789', expires_at: expiresAt },
});
const EXPIRES = '2026-11-20T12:15:00+01:00';
const AT = Date.parse(EXPIRES);

describe('until when a customer can pay', () => {
  it.each(['requires_action', ['requires_action', 'Requires action']] as const)(
    'is said by the account: %j',
    (status) => {
      expect(payableUntil({ status, next_action: account(EXPIRES) })).toBe(AT);
    },
  );

  it.each(['processing', 'successful', 'failed', 'expired', 'on_hold', ''])(
    'is said by nothing where nothing is asked, or what it means is not known: %j',
    (status) => {
      expect(payableUntil({ status, next_action: account(EXPIRES) })).toBeUndefined();
    },
  );

  it.each([
    ['no action', null],
    ['a code to dial', { type: 'user_action', headers: { ussd: '*737#', expires_at: EXPIRES } }],
    ['another action', { type: 'redirect', headers: { expires_at: EXPIRES } }],
    ['an account without an end', account(undefined)],
    ['an end without an offset', account('2026-11-20 12:15:00')],
    ['an end that is a number', account(1_795_179_900)],
  ])('is not said by %s', (_what, action) => {
    expect(payableUntil({ status: 'requires_action', next_action: action })).toBeUndefined();
  });
});
