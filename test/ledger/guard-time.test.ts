import { describe, expect, it } from 'vitest';
import { payableFor } from '../../src/ledger/clock.ts';
import type { Charge, Moment } from '../../src/ledger/entry.ts';
import { MINUTE, SECOND } from '../support/units.ts';
import { guard } from './support/charges.ts';
import { ACCOUNT, OLD_BOOT } from './support/looks.ts';
import { charge, markAt, momentAt, SENT } from './support/memory.ts';

const EXPIRY = SENT + 15 * MINUTE;

const TRANSFER = { type: 'user_action', instruction: 'Pay', headers: ACCOUNT };

const ACTIVITY = {
  uid: 'act.AbCd.000000000000000000000001',
  status: 'requires_action',
  nextAction: TRANSFER,
  createdAt: '2026-11-20T12:00:00+00:00',
};

/** Accepted at SENT by the service's clock; the local clock was `ahead`. */
const accepted = (ahead: number, boot?: string, some: Partial<Charge> = {}): Charge =>
  charge({
    state: 'accepted',
    medium: 'bank_transfer',
    createdAt: SENT + ahead,
    begun: markAt(SENT, boot),
    told: { service: SENT, ...momentAt(SENT, ahead, boot) },
    activity: ACTIVITY,
    ...some,
  });

const refusal = (by: Charge, moment: Moment, medium = 'bank_transfer', again = false): string | undefined =>
  guard([by], medium, { again }, moment)?.why;

const FAST = 20 * MINUTE;
const AHEAD = [-FAST, 0, FAST];

describe('a machine without a restart', () => {
  it.each(AHEAD.flatMap((then) => AHEAD.map((now) => [then, now] as const)))(
    'whose clock was off by %i ms and is now off by %i ms refuses until the expiry, and no longer',
    (then, now) => {
      const by = accepted(then);
      for (const left of [15 * MINUTE, MINUTE, SECOND, 1]) {
        expect(refusal(by, momentAt(EXPIRY - left, now)), `${left} ms before`).toBe('payable');
        expect(payableFor(by, momentAt(EXPIRY - left, now))).toBe(left);
      }
      // From then on the outcome is unknown until the next read.
      expect(refusal(by, momentAt(EXPIRY, now))).toBe('unseen');
      expect(refusal(by, momentAt(EXPIRY + SECOND, now))).toBe('unseen');
      // The activity may have been created within the ten seconds of sending; a late payment may take another
      // fifteen.
      const look = EXPIRY + 25 * SECOND;
      const seen = { ...by, told: { service: look, ...momentAt(look, now) } };
      expect(refusal(seen, momentAt(look, now))).toBeUndefined();
    },
  );

  it("uses the service's latest time, not its first", () => {
    const later = SENT + 10 * MINUTE;
    const by = accepted(0, undefined, { told: { service: later - 30 * SECOND, ...momentAt(later) } });
    expect(payableFor(by, momentAt(EXPIRY))).toBe(30 * SECOND);
    expect(refusal(by, momentAt(EXPIRY + 30 * SECOND - 1))).toBe('payable');
    expect(refusal(by, momentAt(EXPIRY + 30 * SECOND))).toBe('unseen');
  });
});

describe('after a restart, or without a boot id,', () => {
  // A clock that was slow or right at the charge and is fast now looks like a right one.
  const told = AHEAD.flatMap((then) => AHEAD.map((now) => [then, now] as const)).filter(
    ([then, now]) => now <= 0 || now === then,
  );
  it.each(told)('a machine with a clock off by %i ms before and by %i ms now refuses until the expiry', (then, now) => {
    for (const left of [15 * MINUTE, MINUTE, SECOND, 1]) {
      expect(refusal(accepted(then, OLD_BOOT), momentAt(EXPIRY - left, now))).toBe('payable');
      expect(refusal(accepted(then, ''), momentAt(EXPIRY - left, now, ''))).toBe('payable');
    }
  });

  it.each([
    ['right', 0, 0, 0],
    ['fast at the charge', FAST, 0, FAST],
    ['slow at the charge', -FAST, 0, 0],
    ['slow all along', -FAST, -FAST, FAST],
    ['fast all along', FAST, FAST, 0],
    ['fast at the charge and slow now', FAST, -FAST, 2 * FAST],
  ])('a machine with a clock that was %s stops refusing once both estimates allow', (_what, then, now, late) => {
    const by = accepted(then, OLD_BOOT);
    expect(refusal(by, momentAt(EXPIRY + late - 1, now))).toBe('payable');
    expect(refusal(by, momentAt(EXPIRY + late, now))).toBe('unseen');
  });
});

describe('without any time of the service, the guard', () => {
  it('allows the local clock to be two minutes fast', () => {
    const by = accepted(0, undefined, { told: undefined });
    expect(refusal(by, momentAt(EXPIRY + 2 * MINUTE - 1))).toBe('payable');
    expect(refusal(by, momentAt(EXPIRY + 2 * MINUTE))).toBe('unseen');
  });
});

describe("a gateway whose Date differs from the service's", () => {
  const fast = (by: number, some: Partial<Charge> = {}): Charge =>
    accepted(0, undefined, { told: { service: SENT + by, ...momentAt(SENT) }, ...some });

  it.each([5 * MINUTE, 15 * MINUTE, 60 * MINUTE])('by %i ms never ends the block early', (by) => {
    expect(refusal(fast(by), momentAt(SENT))).toBe('payable');
    expect(refusal(fast(by), momentAt(EXPIRY - 1))).toBe('payable');
    expect(payableFor(fast(by), momentAt(EXPIRY - MINUTE))).toBe(MINUTE);
  });

  it('never ends the block early after a read through it', () => {
    const later = SENT + 5 * MINUTE;
    const seen = fast(15 * MINUTE, { told: { service: later + 15 * MINUTE, ...momentAt(later) } });
    expect(refusal(seen, momentAt(later))).toBe('payable');
  });

  it('makes the deadline the latest creation time if the sending process died', () => {
    const died = { took: undefined, deadline: SENT + MINUTE };
    const look = EXPIRY + MINUTE;
    const seen = fast(0, { ...died, told: { service: look + 15 * MINUTE, ...momentAt(look - 1) } });
    expect(refusal(seen, momentAt(look - 1))).toBe('payable');
    expect(refusal(seen, momentAt(look + 15 * SECOND))).not.toBe('payable');
  });

  it('by days is trusted: a constant answer was not created now', () => {
    const fixed = fast(0, { activity: { ...ACTIVITY, createdAt: '2020-01-01T00:00:00+00:00' } });
    expect(payableFor(fixed, momentAt(SENT + MINUTE))).toBe(14 * MINUTE);
  });

  it('and is slow: the later estimate counts', () => {
    expect(payableFor(fast(-10 * MINUTE), momentAt(SENT))).toBe(25 * MINUTE);
  });
});

describe('an expiry is ignored', () => {
  const LATE = momentAt(EXPIRY + 365 * 24 * 60 * MINUTE);
  const standing = (status: string, nextAction: unknown = TRANSFER): Charge => {
    const by = accepted(0);
    return { ...by, activity: { uid: '', createdAt: undefined, ...by.activity, status, nextAction } };
  };
  it.each(['processing', 'on_hold', '', 'REQUIRES_ACTION'])('for the status "%s"', (status) => {
    expect(refusal(standing(status), LATE)).toBe('payable');
    expect(payableFor(standing(status), LATE)).toBeUndefined();
    expect(refusal(standing(status), LATE, 'bank_transfer', true)).toBeUndefined();
  });

  it.each([
    ['a dial string', { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737*1#' } }],
    ['nothing', null],
    ['an account without an expiry', { ...TRANSFER, headers: { ...ACCOUNT, expires_at: undefined } }],
    ['an account with an unreadable expiry', { ...TRANSFER, headers: { ...ACCOUNT, expires_at: 'soon' } }],
  ])('if the next action is %s', (_what, action) => {
    expect(refusal(standing('requires_action', action), LATE)).toBe('payable');
  });
});

describe('an earlier charge by another medium', () => {
  const now = momentAt(SENT + MINUTE);
  it.each([
    ['bank_transfer', 'bank_transfer', 'payable'],
    ['bank_transfer', 'ussd', 'other_medium'],
    ['ussd', 'mobile_money', 'other_medium'],
    ['card', 'bank_transfer', 'payable'],
    ['bank_transfer', 'card', 'payable'],
    ['card', 'pay_with_bank', 'payable'],
    ['', 'ussd', 'payable'],
    ['Bank_Transfer', 'ussd', 'payable'],
  ])('"%s" before "%s" blocks: %s', (earlier, medium, why) => {
    expect(refusal(accepted(0, undefined, { medium: earlier }), now, medium)).toBe(why);
  });

  it('blocks no longer than its account is open', () => {
    const by = accepted(0, undefined, { medium: 'bank_transfer' });
    expect(refusal(by, momentAt(EXPIRY - 1), 'ussd')).toBe('other_medium');
    expect(refusal(by, momentAt(EXPIRY), 'ussd')).toBeUndefined();
  });
});
