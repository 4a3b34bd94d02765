import { describe, expect, it } from 'vitest';
import type { Charge } from '../../src/ledger/entry.ts';
import type { RefusalReason } from '../../src/ledger/ledger.ts';
import { type Snapshot, snapshotOf } from '../../src/ledger/snapshot.ts';
import { uidOf } from '../support/ids.ts';
import { account, charge, guard, MINUTE, momentAt, NOON } from './support/charges.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** An activity as the service shows it: an account to pay into for a quarter of an hour, made at noon by somebody else. */
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

describe('what the payment request says of itself', () => {
  it.each<[string, Readonly<Record<string, unknown>>, RefusalReason | undefined, RefusalReason | undefined]>([
    ['paid', { status: 'ugwo_successful' }, 'paid', undefined],
    ['paid, as a pair', { status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'] }, 'paid', undefined],
    ['partly refunded', { status: 'partially_refunded' }, 'refunded', undefined],
    ['refunded', { status: 'refunded' }, 'refunded', undefined],
    ['cancelled', { status: 'cancelled' }, 'cancelled', 'cancelled'],
    ['without a checkout', { status: 'requires_ugwo', checkout: null }, 'no_checkout', undefined],
    ['paid by its sums', { status: 'requires_ugwo', amount: 500, total_amount_paid: '500' }, 'paid', undefined],
    ['paid by its sums with a fraction', { amount: '500.00', total_amount_paid: '500.00' }, 'paid', undefined],
    ['paid in part', { status: 'requires_ugwo', amount: 500, total_amount_paid: 499 }, undefined, undefined],
    ['open', { status: 'requires_ugwo', checkout: [] }, undefined, undefined],
    ['processing', { status: 'processing' }, undefined, undefined],
    ['of a status that nobody knows', { status: 'on_the_moon' }, undefined, undefined],
    ['of a status that can not be read', { status: { code: 4 } }, undefined, undefined],
    ['without anything', {}, undefined, undefined],
  ])('%s', (_what, ugwo, refusal, again) => {
    expect(why(look(ugwo))).toBe(refusal);
    expect(why(look(ugwo), { again: true })).toBe(again);
  });
});

describe('an activity that is not from this ledger', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string, RefusalReason | undefined]>([
    ['an account that can be paid', {}, 'bank_transfer', 'payable'],
    ['an account, before another medium', {}, 'ussd', undefined],
    ['a dial string', { next_action: DIAL }, 'ussd', 'payable'],
    ['a dial string, before another medium', { next_action: DIAL }, 'bank_transfer', undefined],
    ['a dial string, before mobile money', { next_action: DIAL }, 'mobile_money', undefined],
    ['one under way', { status: 'processing', next_action: null, medium: 'mobile_money' }, 'mobile_money', 'payable'],
    ['one under way that does not show its medium', { status: 'processing', next_action: [] }, 'ussd', 'payable'],
    ['one paid by the same medium', { status: 'successful' }, 'bank_transfer', 'paid'],
    ['one paid by another medium', { status: ['successful', 'Paid'], next_action: DIAL }, 'bank_transfer', 'paid'],
    ['one paid by a card', { status: 'successful', ugwo_medium: { last4: '4242' } }, 'bank_transfer', 'paid'],
    ['a card payment that is open', { next_action: { type: 'redirect_to_url' } }, 'bank_transfer', undefined],
    ['a stored card', { next_action: null, ugwo_medium: { last4: '4242' } }, 'ussd', undefined],
    ['a refund', { activity_type: 'refund', next_action: null }, 'bank_transfer', undefined],
    ['a failed one', { status: 'failed', next_action: null }, 'bank_transfer', undefined],
    ['one whose status can not be read', { status: 7 }, 'bank_transfer', 'payable'],
  ])('%s', (_what, some, medium, refusal) => {
    const found = guard([], medium, { again: false, shown: look({ activities: [made(some)] }) }, momentAt(NOON));
    if (refusal === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ why: refusal, by: undefined, activity: { uid: uidOf(9) } });
    expect(why(look({ activities: [made(some)] }), { medium, again: true })).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, unknown>>, RefusalReason | undefined]>([
    [
      'in an object, as a list with gaps comes',
      { activities: { '0': made(), '2': made({ uid: uidOf(8) }) } },
      'payable',
    ],
    [
      'as the latest one, without a list',
      { lastest_ugwo_activity: { uid: uidOf(9), status: 'processing' } },
      'payable',
    ],
    [
      'as the latest one, beside a list without it',
      { activities: [], lastest_ugwo_activity: { uid: uidOf(9), status: ['successful', 'Paid'] } },
      'paid',
    ],
    [
      'as the latest one, whose medium the list tells',
      {
        activities: [made({ next_action: DIAL })],
        lastest_ugwo_activity: { uid: uidOf(9), status: 'requires_action' },
      },
      undefined,
    ],
    [
      'as the latest one, beside a list of others',
      {
        activities: [made({ uid: uidOf(8), status: 'failed' })],
        lastest_ugwo_activity: { uid: uidOf(9), status: 'successful' },
      },
      'paid',
    ],
    ['as no latest one', { activities: [], lastest_ugwo_activity: [] }, undefined],
    ['without an identifier', { activities: [made({ uid: undefined })] }, 'payable'],
  ])('is seen %s', (_how, ugwo, refusal) => {
    expect(why(look(ugwo))).toBe(refusal);
  });

  it('stands in the way until its account has expired by both clocks, where both may be right', () => {
    const expiry = NOON + 15 * MINUTE;
    const at = (served: number, own: number) => why(look({ activities: [made()] }, served), { at: own });
    expect(at(expiry - 1, expiry - 1)).toBe('payable');
    expect(at(expiry, expiry)).toBeUndefined();
    // A front end that is fifteen minutes fast.
    expect(at(expiry, NOON)).toBe('payable');
    // A machine whose clock is hours off says nothing.
    expect(at(expiry, NOON - 180 * MINUTE)).toBeUndefined();
  });

  it('is judged by this machine, with two minutes to spare, where the service does not tell its time', () => {
    const expiry = NOON + 15 * MINUTE;
    const at = (own: number) => why(snapshotOf({ activities: [made()] }), { at: own });
    expect(at(expiry + 2 * MINUTE - 1)).toBe('payable');
    expect(at(expiry + 2 * MINUTE)).toBeUndefined();
  });
});

describe('a charge of this ledger that the look shows', () => {
  const own = (some: Readonly<Record<string, unknown>> = {}) => made({ uid: account().uid, ...some });
  const LATE = NOON + 20 * MINUTE;

  it('is named as the ledger knows it', () => {
    const by = charge();
    expect(
      guard([by], 'bank_transfer', { again: false, shown: look({ activities: [own()] }) }, momentAt(NOON)),
    ).toMatchObject({ why: 'payable', by: { id: by.id }, activity: { uid: account().uid } });
  });

  it('is paid, where the ledger has it as expired', () => {
    const shown = look({ activities: [own({ status: 'successful', next_action: null })] }, LATE);
    expect(why(shown, { charges: [charge()], at: LATE })).toBe('paid');
  });

  it('is over once it is seen after its expiry, and not before', () => {
    expect(why(undefined, { charges: [charge()], at: LATE })).toBe('unseen');
    expect(why(look({ activities: [own()] }, LATE), { charges: [charge()], at: LATE })).toBeUndefined();
    expect(why(look({ activities: [] }, LATE), { charges: [charge()], at: LATE })).toBe('unseen');
    expect(why(undefined, { charges: [charge()], at: LATE, again: true })).toBeUndefined();
  });

  it('is over at once where the look comes behind its expiry, be it by a moment', () => {
    const at = NOON + 15 * MINUTE + 1;
    expect(why(look({ activities: [own()] }, at), { charges: [charge()], at })).toBeUndefined();
    expect(why(look({ activities: [] }, at), { charges: [charge()], at })).toBe('unseen');
  });

  it.each([
    ['refunded', 'refunded'],
    ['cancelled', 'cancelled'],
    ['ugwo_successful', 'paid'],
  ])('is named where its payment request is %s and it was what was paid', (status, because) => {
    const paid = own({ status: 'successful', next_action: null });
    const activities = [made({ uid: uidOf(7) }), made({ uid: uidOf(8), status: 'failed' }), paid];
    expect(
      guard([charge()], 'ussd', { again: false, shown: look({ status, activities }) }, momentAt(NOON)),
    ).toMatchObject({ why: because, by: { id: charge().id }, activity: { uid: account().uid, status: 'successful' } });
  });

  it('is not named where its payment request is cancelled and another was paid', () => {
    const paid = made({ uid: uidOf(8), status: 'successful' });
    const shown = look({ status: 'cancelled', activities: [own(), paid] });
    expect(guard([charge()], 'bank_transfer', { again: false, shown }, momentAt(NOON))).toMatchObject({
      why: 'cancelled',
      by: undefined,
      activity: { uid: uidOf(8) },
    });
  });

  it('stays paid where an older word says otherwise', () => {
    const paid = charge({ activity: account({ status: 'successful' }) });
    expect(why(look({ activities: [own()] }), { charges: [paid] })).toBe('paid');
  });

  it('goes by the medium that it was charged with, which the activity may not show', () => {
    const by = charge({ medium: 'mobile_money', activity: account({ status: 'processing', nextAction: null }) });
    const shown = look({ activities: [own({ status: 'processing', next_action: null })] });
    expect(why(shown, { charges: [by], medium: 'mobile_money' })).toBe('payable');
    expect(why(shown, { charges: [by], medium: 'ussd' })).toBeUndefined();
  });

  it('never hides that another charge is unresolved', () => {
    const charges = [charge({ state: 'unknown', activity: undefined })];
    expect(why(look({ status: 'cancelled' }), { charges })).toBe('unresolved');
    expect(why(look({ status: 'ugwo_successful' }), { charges, again: true })).toBe('unresolved');
  });
});

describe('of several reasons', () => {
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
  ])('%s comes before %s', (first, _second, charges, ugwo) => {
    expect(why(look(ugwo), { charges })).toBe(first);
  });

  it('an own charge is named before what others made', () => {
    const activities = [OPEN];
    const found = guard([charge()], 'bank_transfer', { again: false, shown: look({ activities }) }, momentAt(NOON));
    expect(found).toMatchObject({ why: 'payable', by: { id: charge().id } });
  });
});

describe('what a look shows', () => {
  it.each([[null], [[]], [7], ['x'], [{ amount: 1.5, currency: 4, ref: {}, onye: [], activities: {} }]])(
    'may be nothing: %j',
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
