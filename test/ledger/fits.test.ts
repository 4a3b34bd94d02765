import { describe, expect, it } from 'vitest';
import { isOtherMedium } from '../../src/charge/mediums.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { firstMismatch, isDeclinedAtOnce, isOfOther, mismatchesOf } from '../../src/ledger/match.ts';
import { NOON } from './support/charges.ts';

const TRANSFER = { type: 'user_action', headers: { account_number: '0123456789' } };
const DIAL = { type: 'user_action', headers: { ussd: '*737#' } };
const REDIRECT = { type: 'redirect_to_url', headers: { url: 'x' } };
const CARD = { last4: '4242' };

/* Cases that reconcile.test.ts and candidate-words.test.ts leave out. */

describe('isOtherMedium', () => {
  it.each<[string, string, object, boolean]>([
    ['a browser action in capitals', 'ussd', { next_action: { type: 'REDIRECT' } }, true],
    ['a similar word', 'ussd', { next_action: { type: 'no_redirect' } }, false],
    ['a next action without a type', 'ussd', { next_action: { headers: { account_number: '1' } } }, false],
    ['mobile money without a next action', 'mobile_money', { next_action: REDIRECT }, false],
    ['a stored card that is not an object', 'ussd', { ugwo_medium: 'card' }, false],
    ['a stored card that is null', 'ussd', { ugwo_medium: null }, false],
    ['any activity of an unknown medium', 'card', { medium: 'ussd', ugwo_medium: CARD }, false],
  ])('handles %s', (_what, medium, activity, other) => {
    expect(isOtherMedium(activity, medium)).toBe(other);
  });
});

describe('isOfOther and isDeclinedAtOnce', () => {
  it.each<[unknown, boolean]>([
    ['', false],
    [undefined, false],
    [7, false],
  ])('handle the payment request %j: %s', (named, other) => {
    expect(isOfOther({ ugwo_uid: named }, 'ugw.AbCd.1')).toBe(other);
  });

  const AT = '2026-11-20T12:00:00+00:00';
  it.each<[string, object, boolean]>([
    ['and never changed', { status: 'failed', created_at: AT, updated_at: AT }, true],
    ['with only one time', { status: 'failed', created_at: AT }, true],
    ['and changed at a time that is not text', { status: 'failed', created_at: AT, updated_at: 7 }, true],
    ['and was created at a time that is not text', { status: 'failed', created_at: 7, updated_at: AT }, true],
    ['with a next action', { status: 'failed', next_action: DIAL }, false],
    ['with text as next action', { status: 'failed', next_action: 'x' }, true],
  ])('handle an activity that failed %s', (_what, activity, declined) => {
    expect(isDeclinedAtOnce(activity)).toBe(declined);
  });
});

describe('firstMismatch and mismatchesOf', () => {
  type Of = Parameters<typeof firstMismatch>[0];
  const of = (some: Partial<Charge> = {}): Of => ({
    medium: 'ussd',
    provider: undefined,
    phone: undefined,
    expiresAt: undefined,
    ...some,
  });
  const until = (after: number): object => ({
    next_action: { headers: { expires_at: new Date(NOON + after).toISOString() } },
  });

  it.each<[string, Of, object, ReturnType<typeof firstMismatch>]>([
    ['nothing', of(), {}, undefined],
    ['another next action', of(), { next_action: TRANSFER }, 'another next action'],
    [
      "a next action of another medium than the activity's",
      of(),
      { medium: 'ussd', next_action: TRANSFER },
      'another next action',
    ],
    ['an expiry a minute later', of({ expiresAt: NOON }), until(60_000), undefined],
    ['an expiry later than that', of({ expiresAt: NOON }), until(60_001), 'another expiry'],
    ['an expiry a minute before', of({ expiresAt: NOON }), until(-60_000), undefined],
    ['an expiry before that', of({ expiresAt: NOON }), until(-60_001), 'another expiry'],
    ['an expiry that was not requested', of(), until(60_001), undefined],
    ['an empty expiry', of({ expiresAt: NOON }), { next_action: { headers: { expires_at: '' } } }, undefined],
    ['an unreadable expiry', of({ expiresAt: NOON }), { next_action: { headers: { expires_at: 'soon' } } }, undefined],
    ['no expiry', of({ expiresAt: NOON }), {}, undefined],
    ['the same provider', of({ provider: 'gtb' }), { provider: 'gtb' }, undefined],
    ['another provider', of({ provider: 'gtb' }), { provider: 'zenith' }, 'another provider'],
    ['another provider in its data', of({ provider: 'gtb' }), { data: { provider: 'zenith' } }, 'another provider'],
    [
      'another provider in its step',
      of({ provider: 'gtb' }),
      { next_action: { headers: { provider: 'zenith' } } },
      'another provider',
    ],
    ['a provider that was not requested', of(), { provider: 'zenith' }, undefined],
    ['an empty provider', of({ provider: 'gtb' }), { provider: '' }, undefined],
    ['a provider that is not text', of({ provider: 'gtb' }), { provider: 7 }, undefined],
    [
      'a provider after an empty one',
      of({ provider: 'gtb' }),
      { provider: '', data: { provider: 'x' } },
      'another provider',
    ],
    ['the same phone', of({ phone: '…4567' }), { phone: '+234 803 123 4567' }, undefined],
    ['another phone', of({ phone: '…4567' }), { phone: '08031234568' }, 'another phone'],
    ['another phone in its data', of({ phone: '…4567' }), { data: { phone: '08031234568' } }, 'another phone'],
    [
      'another phone in its step',
      of({ phone: '…4567' }),
      { next_action: { headers: { phone: '1' } } },
      'another phone',
    ],
    ['a phone that was not requested', of(), { phone: '08031234568' }, undefined],
    ['no phone', of({ phone: '…4567' }), {}, undefined],
  ])('handle %s', (_what, charge, activity, contradiction) => {
    expect(firstMismatch(charge, activity)).toBe(contradiction);
  });

  const PHONE = '+233240001234';
  it.each<[string, Readonly<Record<string, unknown>>, object, boolean]>([
    ['nothing', {}, {}, false],
    ['another phone', { medium: 'mobile_money', phone: PHONE }, { phone: '0550001234' }, true],
    ['the same phone without its country', { medium: 'mobile_money', phone: PHONE }, { phone: '0240001234' }, false],
    ['a phone that was not requested', { medium: 'mobile_money' }, { phone: '0240001234' }, false],
    ['no phone', { medium: 'mobile_money', phone: PHONE }, {}, false],
    ['another provider', { medium: 'ussd', provider: 'gtb' }, { provider: 'zenith' }, true],
    ['the same provider', { medium: 'ussd', provider: 'gtb' }, { provider: 'gtb' }, false],
    ['another next action', { medium: 'ussd' }, { next_action: TRANSFER }, true],
    ['the same next action', { medium: 'ussd' }, { next_action: DIAL }, false],
    ['a next action, without a medium', {}, { next_action: TRANSFER }, false],
    ['a term that is not shown', { medium: 'pay_with_bank', bank: 'gtb' }, {}, true],
    ['another term', { medium: 'pay_with_bank', bank: 'gtb' }, { data: { bank: 'x' } }, true],
    ['the same term', { medium: 'pay_with_bank', bank: 'gtb' }, { data: { bank: 'gtb' } }, false],
  ])('handle %s in new charge data: %#', (_what, data, activity, contradicts) => {
    expect(mismatchesOf(activity, data)).toBe(contradicts);
  });
});
