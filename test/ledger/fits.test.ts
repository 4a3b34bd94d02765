import { describe, expect, it } from 'vitest';
import type { Charge } from '../../src/ledger/entry.ts';
import { firstMismatch, isDeclinedAtOnce, isOfOther, isOtherMedium, mismatchesOf } from '../../src/ledger/match.ts';
import { NOON } from './support/charges.ts';

const TRANSFER = { type: 'user_action', headers: { account_number: '0123456789' } };
const DIAL = { type: 'user_action', headers: { ussd: '*737#' } };
const REDIRECT = { type: 'redirect_to_url', headers: { url: 'x' } };
const CARD = { last4: '4242' };

/* Only what reconcile.test.ts and candidate-words.test.ts leave out. */

describe('the medium of an activity', () => {
  it.each<[string, string, object, boolean]>([
    ['what goes on in a browser, in capitals', 'ussd', { next_action: { type: 'REDIRECT' } }, true],
    ['what only sounds like it', 'ussd', { next_action: { type: 'no_redirect' } }, false],
    ['a step without a type', 'ussd', { next_action: { headers: { account_number: '1' } } }, false],
    ['mobile money, whose step is not written', 'mobile_money', { next_action: REDIRECT }, false],
    ['a stored card that is no object', 'ussd', { ugwo_medium: 'card' }, false],
    ['a stored card that is null', 'ussd', { ugwo_medium: null }, false],
    ['anything, of a medium that we do not know', 'card', { medium: 'ussd', ugwo_medium: CARD }, false],
  ])('%s', (_what, medium, activity, other) => {
    expect(isOtherMedium(activity, medium)).toBe(other);
  });
});

describe('what an activity is', () => {
  it.each<[unknown, boolean]>([
    ['', false],
    [undefined, false],
    [7, false],
  ])('of another payment request, named %j: %s', (named, other) => {
    expect(isOfOther({ ugwo_uid: named }, 'ugw.AbCd.1')).toBe(other);
  });

  const AT = '2026-11-20T12:00:00+00:00';
  it.each<[string, object, boolean]>([
    ['and never changed', { status: 'failed', created_at: AT, updated_at: AT }, true],
    ['with one time', { status: 'failed', created_at: AT }, true],
    ['at a time that is no text', { status: 'failed', created_at: AT, updated_at: 7 }, true],
    ['and was made at a time that is no text', { status: 'failed', created_at: 7, updated_at: AT }, true],
    ['with something to do', { status: 'failed', next_action: DIAL }, false],
    ['with a step that is a text', { status: 'failed', next_action: 'x' }, true],
  ])('declined as it was made: failed %s', (_what, activity, declined) => {
    expect(isDeclinedAtOnce(activity)).toBe(declined);
  });
});

describe('what contradicts a charge', () => {
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
    ['another next action than it names', of(), { medium: 'ussd', next_action: TRANSFER }, 'another next action'],
    ['an expiry a minute later', of({ expiresAt: NOON }), until(60_000), undefined],
    ['an expiry later than that', of({ expiresAt: NOON }), until(60_001), 'another expiry'],
    ['an expiry a minute before', of({ expiresAt: NOON }), until(-60_000), undefined],
    ['an expiry before that', of({ expiresAt: NOON }), until(-60_001), 'another expiry'],
    ['an expiry where none was asked for', of(), until(60_001), undefined],
    ['an expiry that is empty', of({ expiresAt: NOON }), { next_action: { headers: { expires_at: '' } } }, undefined],
    [
      'an expiry that can not be read',
      of({ expiresAt: NOON }),
      { next_action: { headers: { expires_at: 'soon' } } },
      undefined,
    ],
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
    ['a provider where none was asked for', of(), { provider: 'zenith' }, undefined],
    ['a provider that is empty', of({ provider: 'gtb' }), { provider: '' }, undefined],
    ['a provider that is no text', of({ provider: 'gtb' }), { provider: 7 }, undefined],
    [
      'a provider behind one that is empty',
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
    ['a phone where none was asked for', of(), { phone: '08031234568' }, undefined],
    ['no phone', of({ phone: '…4567' }), {}, undefined],
  ])('%s', (_what, charge, activity, contradiction) => {
    expect(firstMismatch(charge, activity)).toBe(contradiction);
  });

  const PHONE = '+233240001234';
  it.each<[string, Readonly<Record<string, unknown>>, object, boolean]>([
    ['nothing', {}, {}, false],
    ['another phone', { medium: 'mobile_money', phone: PHONE }, { phone: '0550001234' }, true],
    ['the same phone without its country', { medium: 'mobile_money', phone: PHONE }, { phone: '0240001234' }, false],
    ['a phone where none is asked for', { medium: 'mobile_money' }, { phone: '0240001234' }, false],
    ['no phone', { medium: 'mobile_money', phone: PHONE }, {}, false],
    ['another provider', { medium: 'ussd', provider: 'gtb' }, { provider: 'zenith' }, true],
    ['the same provider', { medium: 'ussd', provider: 'gtb' }, { provider: 'gtb' }, false],
    ['another next action', { medium: 'ussd' }, { next_action: TRANSFER }, true],
    ['the same next action', { medium: 'ussd' }, { next_action: DIAL }, false],
    ['a next action, without a medium', {}, { next_action: TRANSFER }, false],
  ])('%s contradicts what would be charged with: %#', (_what, data, activity, contradicts) => {
    expect(mismatchesOf(activity, data)).toBe(contradicts);
  });
});
