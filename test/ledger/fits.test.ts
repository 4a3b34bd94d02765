import { describe, expect, it } from 'vitest';
import { isOtherMedium } from '../../src/charge/mediums.ts';
import type { Charge } from '../../src/ledger/entry.ts';
import { mismatchesOf, sortActivities } from '../../src/ledger/match.ts';
import { charge, momentAt, NOON } from './support/charges.ts';

const TRANSFER = { type: 'user_action', headers: { account_number: '0123456789' } };
const DIAL = { type: 'user_action', headers: { ussd: '*737#' } };
const REDIRECT = { type: 'redirect_to_url', headers: { url: 'x' } };
const CARD = { last4: '4242' };

/** The reason why an activity does not fit a charge; undefined if it may. */
const unfit = (activity: object, some: Partial<Charge> = {}): string | undefined => {
  const sent = charge({ medium: 'ussd', ...some });
  const read = { ...momentAt(NOON), askedAt: NOON, servedAt: NOON };
  return sortActivities(sent, read, [activity], new Set()).excluded[0]?.why;
};

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

describe('an activity', () => {
  it.each(['', undefined, 7])('that names the payment request %j may be of any', (named) => {
    expect(unfit({ ugwo_uid: named })).toBeUndefined();
  });

  const AT = '2026-11-20T12:00:00+00:00';
  it.each<[string, object, boolean]>([
    ['and never changed', { status: 'failed', created_at: AT, updated_at: AT }, true],
    ['with only one time', { status: 'failed', created_at: AT }, true],
    ['and changed at a time that is not text', { status: 'failed', created_at: AT, updated_at: 7 }, true],
    ['and was created at a time that is not text', { status: 'failed', created_at: 7, updated_at: AT }, true],
    ['with a next action', { status: 'failed', next_action: DIAL }, false],
    ['with text as next action', { status: 'failed', next_action: 'x' }, true],
  ])('that failed %s', (_what, activity, declined) => {
    expect(unfit(activity)).toBe(declined ? 'declined at once' : undefined);
  });
});

describe('a contradiction', () => {
  const until = (after: number): object => ({
    next_action: { headers: { expires_at: new Date(NOON + after).toISOString() } },
  });

  it.each<[string, Partial<Charge>, object, string | undefined]>([
    ['nothing', {}, {}, undefined],
    [
      "a next action of another medium than the activity's",
      {},
      { medium: 'ussd', next_action: TRANSFER },
      'another next action',
    ],
    ['an expiry a minute later', { expiresAt: NOON }, until(60_000), undefined],
    ['an expiry later than that', { expiresAt: NOON }, until(60_001), 'another expiry'],
    ['an expiry a minute before', { expiresAt: NOON }, until(-60_000), undefined],
    ['an expiry before that', { expiresAt: NOON }, until(-60_001), 'another expiry'],
    ['an expiry that was not requested', {}, until(60_001), undefined],
    ['an empty expiry', { expiresAt: NOON }, { next_action: { headers: { expires_at: '' } } }, undefined],
    ['an unreadable expiry', { expiresAt: NOON }, { next_action: { headers: { expires_at: 'soon' } } }, undefined],
    ['no expiry', { expiresAt: NOON }, {}, undefined],
    ['the same provider', { provider: 'gtb' }, { provider: 'gtb' }, undefined],
    ['another provider', { provider: 'gtb' }, { provider: 'zenith' }, 'another provider'],
    ['another provider in its data', { provider: 'gtb' }, { data: { provider: 'zenith' } }, 'another provider'],
    [
      'another provider in its step',
      { provider: 'gtb' },
      { next_action: { headers: { provider: 'zenith' } } },
      'another provider',
    ],
    ['a provider that was not requested', {}, { provider: 'zenith' }, undefined],
    ['an empty provider', { provider: 'gtb' }, { provider: '' }, undefined],
    ['a provider that is not text', { provider: 'gtb' }, { provider: 7 }, undefined],
    [
      'a provider after an empty one',
      { provider: 'gtb' },
      { provider: '', data: { provider: 'x' } },
      'another provider',
    ],
    ['the same phone', { phone: '…4567' }, { phone: '+234 803 123 4567' }, undefined],
    ['another phone', { phone: '…4567' }, { phone: '08031234568' }, 'another phone'],
    ['another phone in its data', { phone: '…4567' }, { data: { phone: '08031234568' } }, 'another phone'],
    ['another phone in its step', { phone: '…4567' }, { next_action: { headers: { phone: '1' } } }, 'another phone'],
    ['a phone that was not requested', {}, { phone: '08031234568' }, undefined],
    ['no phone', { phone: '…4567' }, {}, undefined],
  ])('to a charge: %s', (_what, some, activity, contradiction) => {
    expect(unfit(activity, some)).toBe(contradiction);
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
  ])('to new charge data: %s (%#)', (_what, data, activity, contradicts) => {
    expect(mismatchesOf(activity, data)).toBe(contradicts);
  });
});
