import { describe, expect, it } from 'vitest';
import type { Charge } from '../../src/ledger/entry.ts';
import type { RefusalReason } from '../../src/ledger/ledger.ts';
import { type Snapshot, snapshotOf } from '../../src/ledger/snapshot.ts';
import { uidOf } from '../support/ids.ts';
import { account, charge, guard, MINUTE, momentAt, NOON } from './support/charges.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** A bank account that others created at noon and that is open for 15 minutes. */
const made = (some: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  uid: uidOf(9),
  activity_type: 'charge',
  status: 'requires_action',
  next_action: account().nextAction,
  created_at: iso(NOON),
  ...some,
});
const DIAL = { type: 'user_action', instruction: 'Dial', headers: { ussd: '*737#' } };

const look = (ugwo: Readonly<Record<string, unknown>>, servedAt: number | undefined = NOON): Snapshot =>
  snapshotOf(ugwo, servedAt === undefined ? {} : { servedAt });

const why = (
  shown: Snapshot | undefined,
  { medium = 'bank_transfer', charges = [] as readonly Charge[], again = false, at = NOON } = {},
): RefusalReason | undefined => guard(charges, medium, { again, shown }, momentAt(at))?.why;

describe('the guard after a read of a payment request', () => {
  it.each<[string, Readonly<Record<string, unknown>>, RefusalReason | undefined, RefusalReason | undefined]>([
    ['paid', { status: 'ugwo_successful' }, 'paid', undefined],
    ['paid, as a pair', { status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'] }, 'paid', undefined],
    ['partly refunded', { status: 'partially_refunded' }, 'refunded', undefined],
    ['refunded', { status: 'refunded' }, 'refunded', undefined],
    ['cancelled', { status: 'cancelled' }, 'cancelled', 'cancelled'],
    ['without a checkout', { status: 'requires_ugwo', checkout: null }, 'no_checkout', undefined],
    [
      'paid according to its sums',
      { status: 'requires_ugwo', amount: 500, total_amount_paid: '500' },
      'paid',
      undefined,
    ],
    [
      'paid according to its sums, written with decimals',
      { amount: '500.00', total_amount_paid: '500.00' },
      'paid',
      undefined,
    ],
    ['paid in part', { status: 'requires_ugwo', amount: 500, total_amount_paid: 499 }, undefined, undefined],
    ['open', { status: 'requires_ugwo', checkout: [] }, undefined, undefined],
    ['processing', { status: 'processing' }, undefined, undefined],
    ['of an unknown status', { status: 'on_the_moon' }, undefined, undefined],
    ['of an unreadable status', { status: { code: 4 } }, undefined, undefined],
    ['empty', {}, undefined, undefined],
  ])('handles a request that is %s', (_what, ugwo, refusal, again) => {
    expect(why(look(ugwo))).toBe(refusal);
    expect(why(look(ugwo), { again: true })).toBe(again);
  });
});

describe('an activity of another ledger', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string, RefusalReason | undefined]>([
    ['an open account', {}, 'bank_transfer', 'payable'],
    ['an open account, before another medium', {}, 'ussd', undefined],
    ['a dial string', { next_action: DIAL }, 'ussd', 'payable'],
    ['a dial string, before another medium', { next_action: DIAL }, 'bank_transfer', undefined],
    ['a dial string, before mobile money', { next_action: DIAL }, 'mobile_money', undefined],
    ['processing', { status: 'processing', next_action: null, medium: 'mobile_money' }, 'mobile_money', 'payable'],
    ['processing without a medium', { status: 'processing', next_action: [] }, 'ussd', 'payable'],
    ['paid by the same medium', { status: 'successful' }, 'bank_transfer', 'paid'],
    ['paid by another medium', { status: ['successful', 'Paid'], next_action: DIAL }, 'bank_transfer', 'paid'],
    ['paid by card', { status: 'successful', ugwo_medium: { last4: '4242' } }, 'bank_transfer', 'paid'],
    ['an open card payment', { next_action: { type: 'redirect_to_url' } }, 'bank_transfer', undefined],
    ['a stored card', { next_action: null, ugwo_medium: { last4: '4242' } }, 'ussd', undefined],
    ['a refund', { activity_type: 'refund', next_action: null }, 'bank_transfer', undefined],
    ['failed', { status: 'failed', next_action: null }, 'bank_transfer', undefined],
    ['an unreadable status', { status: 7 }, 'bank_transfer', 'payable'],
  ])('is handled: %s', (_what, some, medium, refusal) => {
    const found = guard([], medium, { again: false, shown: look({ activities: [made(some)] }) }, momentAt(NOON));
    if (refusal === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ why: refusal, by: undefined, activity: { uid: uidOf(9) } });
    expect(why(look({ activities: [made(some)] }), { medium, again: true })).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, unknown>>, RefusalReason | undefined]>([
    ['in an object instead of a list', { activities: { '0': made(), '2': made({ uid: uidOf(8) }) } }, 'payable'],
    ['as the latest one without a list', { lastest_ugwo_activity: { uid: uidOf(9), status: 'processing' } }, 'payable'],
    [
      'as the latest one with a list that lacks it',
      { activities: [], lastest_ugwo_activity: { uid: uidOf(9), status: ['successful', 'Paid'] } },
      'paid',
    ],
    [
      'as the latest one with its medium in the list',
      {
        activities: [made({ next_action: DIAL })],
        lastest_ugwo_activity: { uid: uidOf(9), status: 'requires_action' },
      },
      undefined,
    ],
    [
      'as the latest one with a list of others',
      {
        activities: [made({ uid: uidOf(8), status: 'failed' })],
        lastest_ugwo_activity: { uid: uidOf(9), status: 'successful' },
      },
      'paid',
    ],
    ['without a latest one', { activities: [], lastest_ugwo_activity: [] }, undefined],
    ['without an id', { activities: [made({ uid: undefined })] }, 'payable'],
  ])('is found %s', (_how, ugwo, refusal) => {
    expect(why(look(ugwo))).toBe(refusal);
  });

  it('blocks until its account has expired by both clocks', () => {
    const expiry = NOON + 15 * MINUTE;
    const at = (served: number, own: number) => why(look({ activities: [made()] }, served), { at: own });
    expect(at(expiry - 1, expiry - 1)).toBe('payable');
    expect(at(expiry, expiry)).toBeUndefined();
    // A gateway clock that is fifteen minutes fast.
    expect(at(expiry, NOON)).toBe('payable');
    // A local clock that is hours off is ignored.
    expect(at(expiry, NOON - 180 * MINUTE)).toBeUndefined();
  });

  it('blocks until two minutes after the expiry by the local clock if the service sends no time', () => {
    const expiry = NOON + 15 * MINUTE;
    const at = (own: number) => why(snapshotOf({ activities: [made()] }), { at: own });
    expect(at(expiry + 2 * MINUTE - 1)).toBe('payable');
    expect(at(expiry + 2 * MINUTE)).toBeUndefined();
  });
});

describe('a charge of this ledger in a read', () => {
  const own = (some: Readonly<Record<string, unknown>> = {}) => made({ uid: account().uid, ...some });
  const LATE = NOON + 20 * MINUTE;

  it('is named by its ledger id', () => {
    const by = charge();
    expect(
      guard([by], 'bank_transfer', { again: false, shown: look({ activities: [own()] }) }, momentAt(NOON)),
    ).toMatchObject({ why: 'payable', by: { id: by.id }, activity: { uid: account().uid } });
  });

  it('counts as paid, even if the ledger has it as expired', () => {
    const shown = look({ activities: [own({ status: 'successful', next_action: null })] }, LATE);
    expect(why(shown, { charges: [charge()], at: LATE })).toBe('paid');
  });

  it('blocks until a read after its expiry', () => {
    expect(why(undefined, { charges: [charge()], at: LATE })).toBe('unseen');
    expect(why(look({ activities: [own()] }, LATE), { charges: [charge()], at: LATE })).toBeUndefined();
    expect(why(look({ activities: [] }, LATE), { charges: [charge()], at: LATE })).toBe('unseen');
    expect(why(undefined, { charges: [charge()], at: LATE, again: true })).toBeUndefined();
  });

  it('stops blocking at the first read after its expiry', () => {
    const at = NOON + 15 * MINUTE + 1;
    expect(why(look({ activities: [own()] }, at), { charges: [charge()], at })).toBeUndefined();
    expect(why(look({ activities: [] }, at), { charges: [charge()], at })).toBe('unseen');
  });

  it.each([
    ['refunded', 'refunded'],
    ['cancelled', 'cancelled'],
    ['ugwo_successful', 'paid'],
  ])('is named if the request is %s and this charge was paid', (status, because) => {
    const paid = own({ status: 'successful', next_action: null });
    const activities = [made({ uid: uidOf(7) }), made({ uid: uidOf(8), status: 'failed' }), paid];
    expect(
      guard([charge()], 'ussd', { again: false, shown: look({ status, activities }) }, momentAt(NOON)),
    ).toMatchObject({ why: because, by: { id: charge().id }, activity: { uid: account().uid, status: 'successful' } });
  });

  it('is not named if the request is cancelled and another activity was paid', () => {
    const paid = made({ uid: uidOf(8), status: 'successful' });
    const shown = look({ status: 'cancelled', activities: [own(), paid] });
    expect(guard([charge()], 'bank_transfer', { again: false, shown }, momentAt(NOON))).toMatchObject({
      why: 'cancelled',
      by: undefined,
      activity: { uid: uidOf(8) },
    });
  });

  it('stays paid after an older answer', () => {
    const paid = charge({ activity: account({ status: 'successful' }) });
    expect(why(look({ activities: [own()] }), { charges: [paid] })).toBe('paid');
  });

  it("is compared by the ledger's medium if the activity has none", () => {
    const by = charge({ medium: 'mobile_money', activity: account({ status: 'processing', nextAction: null }) });
    const shown = look({ activities: [own({ status: 'processing', next_action: null })] });
    expect(why(shown, { charges: [by], medium: 'mobile_money' })).toBe('payable');
    expect(why(shown, { charges: [by], medium: 'ussd' })).toBeUndefined();
  });

  it('never hides another charge that is unknown', () => {
    const charges = [charge({ state: 'unknown', activity: undefined })];
    expect(why(look({ status: 'cancelled' }), { charges })).toBe('unresolved');
    expect(why(look({ status: 'ugwo_successful' }), { charges, again: true })).toBe('unresolved');
  });
});

describe('with several reasons, the guard', () => {
  const [sending, unknown] = [charge({ state: 'sending' }), charge({ state: 'unknown' })];
  const [PAID, OPEN] = [made({ uid: uidOf(8), status: 'successful' }), made({ uid: uidOf(9) })];
  const EXPIRED = charge({ told: undefined, activity: account({}, -20 * MINUTE) });
  it.each<[RefusalReason, RefusalReason, readonly Charge[], Readonly<Record<string, unknown>>]>([
    ['unresolved', 'in_progress', [sending, unknown], {}],
    ['in_progress', 'cancelled', [sending], { status: 'cancelled' }],
    ['in_progress', 'refunded', [sending], { status: 'refunded' }],
    ['cancelled', 'paid', [], { status: 'cancelled', activities: [PAID] }],
    ['refunded', 'paid', [], { status: 'refunded', activities: [PAID] }],
    ['paid', 'payable', [], { activities: [OPEN, PAID] }],
    ['payable', 'unseen', [EXPIRED], { activities: [OPEN] }],
    ['unseen', 'no_checkout', [EXPIRED], { checkout: null }],
    ['payable', 'no_checkout', [], { checkout: null, activities: [OPEN] }],
  ])('names %s before %s', (first, _second, charges, ugwo) => {
    expect(why(look(ugwo), { charges })).toBe(first);
  });

  it("names this ledger's charge before an activity of others", () => {
    const activities = [OPEN];
    const found = guard([charge()], 'bank_transfer', { again: false, shown: look({ activities }) }, momentAt(NOON));
    expect(found).toMatchObject({ why: 'payable', by: { id: charge().id } });
  });
});

describe('snapshotOf', () => {
  it.each([[null], [[]], [7], ['x'], [{ amount: 1.5, currency: 4, ref: {}, onye: [], activities: {} }]])(
    'accepts an unusable value: %j',
    (value) => {
      expect(snapshotOf(value)).toMatchObject({
        status: '',
        paidInFull: false,
        noCheckout: false,
        asked: { amount: undefined, currency: undefined, ref: undefined, customer: undefined },
        activities: undefined,
      });
    },
  );
});
