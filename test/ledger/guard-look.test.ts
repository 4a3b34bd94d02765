import { describe, expect, it } from 'vitest';
import type { RefusalReason } from '../../src/charge/refusals.ts';
import type { Charge } from '../../src/ledger/entry.ts';
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
    ['paid', { status: 'ugwo_successful' }, 'paid', 'paid'],
    ['paid, as a pair', { status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'] }, 'paid', 'paid'],
    ['partly refunded', { status: 'partially_refunded' }, 'refunded', 'refunded'],
    ['refunded', { status: 'refunded' }, 'refunded', 'refunded'],
    ['cancelled', { status: 'cancelled' }, 'cancelled', 'cancelled'],
    ['without a checkout', { status: 'requires_ugwo', checkout: null }, undefined, undefined],
    ['paid according to its sums', { status: 'requires_ugwo', amount: 500, total_amount_paid: '500' }, 'paid', 'paid'],
    [
      'paid according to its sums, written with decimals',
      { amount: '500.00', total_amount_paid: '500.00' },
      'paid',
      'paid',
    ],
    ['overpaid', { status: 'requires_ugwo', amount: 500, total_amount_paid: 501 }, 'paid', 'paid'],
    ['paid, without what it asks', { status: 'requires_ugwo', total_amount_paid: 1 }, 'paid', 'paid'],
    ['paid in part', { status: 'requires_ugwo', amount: 500, total_amount_paid: 499 }, 'underpaid', 'underpaid'],
    ['not paid according to its sums', { amount: 500, total_amount_paid: 0 }, undefined, undefined],
    ['open', { status: 'requires_ugwo', checkout: [] }, undefined, undefined],
    ['processing', { status: 'processing' }, 'processing', undefined],
    ['processing without a checkout', { status: ['processing', 'x'], checkout: null }, 'processing', undefined],
    ['of an unknown status', { status: 'on_the_moon' }, undefined, undefined],
    ['of an unreadable status', { status: { code: 4 } }, undefined, undefined],
    ['empty', {}, undefined, undefined],
  ])('handles a request that is %s', (_what, ugwo, refusal, again) => {
    expect(why(look(ugwo))).toBe(refusal);
    expect(why(look(ugwo), { again: true })).toBe(again);
  });
});

describe('a request that is processing', () => {
  const PROCESSING = { status: 'processing' };
  const others = (...some: Readonly<Record<string, unknown>>[]) => look({ ...PROCESSING, activities: some.map(made) });
  const AT_EXPIRY = NOON + 16 * MINUTE;

  it.each<[string, Snapshot, readonly Charge[], number, RefusalReason | undefined]>([
    ['nothing', others(), [], NOON, 'processing'],
    ['a failed activity', others({ status: 'failed', next_action: null }), [], NOON, 'processing'],
    ['a refund', others({ activity_type: 'refund', status: 'processing' }), [], NOON, 'processing'],
    ['a failed charge', others(), [charge({ activity: account({ status: 'failed' }) })], NOON, 'processing'],
    ['a rejected charge', others(), [charge({ state: 'rejected', activity: undefined })], NOON, 'processing'],
    ['an open activity', others({}), [], NOON, 'payable'],
    ['an open activity by another medium', others({ next_action: DIAL }), [], NOON, 'other_medium'],
    [
      'the latest activity',
      look({ ...PROCESSING, latest_ugwo_activity: made({ next_action: DIAL }) }),
      [],
      NOON,
      'other_medium',
    ],
    [
      'an activity whose account has expired',
      look({ ...PROCESSING, activities: [made()] }, AT_EXPIRY),
      [],
      AT_EXPIRY,
      undefined,
    ],
    ['a charge of this ledger', others(), [charge()], NOON, 'payable'],
  ])('is refused unless something explains it: %s', (_what, shown, charges, at, refusal) => {
    expect(why(shown, { charges, at })).toBe(refusal);
    expect(why(shown, { charges, at, again: true })).toBeUndefined();
  });
});

describe('with remaining, the guard', () => {
  const PART = { status: 'requires_ugwo', amount: 900, total_amount_paid: 400 };
  const paidPart = made({ uid: uidOf(8), status: 'successful', charged_amount: 400, next_action: null });
  const rest = (ugwo: Readonly<Record<string, unknown>> | undefined, charges: readonly Charge[] = []) =>
    guard(charges, 'bank_transfer', { again: false, remaining: true, shown: ugwo && look(ugwo) }, momentAt(NOON));

  it.each<[string, Readonly<Record<string, unknown>>, RefusalReason | undefined]>([
    ['paid in part', PART, undefined],
    ['paid in part by its activities', { amount: 900, activities: [paidPart] }, undefined],
    ['paid in part, with an open account', { ...PART, activities: [paidPart, made()] }, 'payable'],
    [
      'paid in part, with an open code',
      { ...PART, activities: [paidPart, made({ next_action: DIAL })] },
      'other_medium',
    ],
    ['not paid', { status: 'requires_ugwo', amount: 900, total_amount_paid: 0 }, 'not_underpaid'],
    ['not paid, with an open account', { amount: 900, activities: [made()] }, 'not_underpaid'],
    ['paid', { ...PART, total_amount_paid: 900 }, 'paid'],
    ['paid by its status', { ...PART, status: 'ugwo_successful' }, 'paid'],
    ['refunded', { ...PART, status: 'refunded' }, 'refunded'],
    ['cancelled', { ...PART, status: 'cancelled' }, 'cancelled'],
  ])('handles a request that is %s', (_what, ugwo, refusal) => {
    expect(rest(ugwo)?.why).toBe(refusal);
  });

  const underpaid = charge({
    activity: account({ uid: uidOf(8), status: 'successful' }),
    money: { payment: 'underpaid', received: 400, receivedAssumed: false, refunded: 0, readAt: NOON },
  });

  it("lets a charge pass the ledger's own part, and never without a read", () => {
    expect(rest(PART, [underpaid])).toBeUndefined();
    expect(rest(undefined, [underpaid])?.why).toBe('not_underpaid');
    expect(rest(PART, [charge({ state: 'unknown' })])?.why).toBe('unresolved');
  });

  it('names what is missing by the read, not by the ledger', () => {
    const shown = look({ ...PART, total_amount_paid: 700 });
    expect(guard([underpaid], 'ussd', { again: false, shown }, momentAt(NOON))).toMatchObject({
      why: 'underpaid',
      by: { id: underpaid.id },
      missing: 200,
    });
  });

  it('names what is missing by the ledger if the read shows neither an amount nor money', () => {
    const part = { ...underpaid, asked: { amount: 900 } };
    expect(guard([part], 'ussd', { again: false, shown: look({}) }, momentAt(NOON))).toMatchObject({
      why: 'underpaid',
      missing: 500,
    });
  });

  it("counts a part that the read shows of the ledger's open charge", () => {
    const activities = [made({ uid: account().uid, status: 'successful' })];
    expect(rest({ ...PART, activities }, [charge()])).toBeUndefined();
  });
});

describe('an activity of another ledger', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string, RefusalReason | undefined]>([
    ['an open account', {}, 'bank_transfer', 'payable'],
    ['an open account, before another medium', {}, 'ussd', 'other_medium'],
    ['a dial string', { next_action: DIAL }, 'ussd', 'payable'],
    ['a dial string, before another medium', { next_action: DIAL }, 'bank_transfer', 'other_medium'],
    ['a dial string, before mobile money', { next_action: DIAL }, 'mobile_money', 'other_medium'],
    [
      'a dial string of 29 minutes ago, before another medium',
      { next_action: DIAL, created_at: iso(NOON - 29 * MINUTE) },
      'bank_transfer',
      'other_medium',
    ],
    [
      'a dial string of 30 minutes ago, before another medium',
      { next_action: DIAL, created_at: iso(NOON - 30 * MINUTE) },
      'bank_transfer',
      undefined,
    ],
    [
      'a dial string of an unknown time, before another medium',
      { next_action: DIAL, created_at: 'x' },
      'bank_transfer',
      'other_medium',
    ],
    ['processing', { status: 'processing', next_action: null, medium: 'mobile_money' }, 'mobile_money', 'payable'],
    ['processing without a medium', { status: 'processing', next_action: [] }, 'ussd', 'payable'],
    ['paid by the same medium', { status: 'successful' }, 'bank_transfer', 'paid'],
    ['paid by another medium', { status: ['successful', 'Paid'], next_action: DIAL }, 'bank_transfer', 'paid'],
    ['paid by card', { status: 'successful', ugwo_medium: { last4: '4242' } }, 'bank_transfer', 'paid'],
    ['an open card payment', { next_action: { type: 'redirect_to_url' } }, 'bank_transfer', 'other_medium'],
    ['a stored card', { next_action: null, ugwo_medium: { last4: '4242' } }, 'ussd', 'other_medium'],
    ['a refund', { activity_type: 'refund', next_action: null }, 'bank_transfer', undefined],
    ['failed', { status: 'failed', next_action: null }, 'bank_transfer', undefined],
    ['an unreadable status', { status: 7 }, 'bank_transfer', 'payable'],
  ])('is handled: %s', (_what, some, medium, refusal) => {
    const found = guard([], medium, { again: false, shown: look({ activities: [made(some)] }) }, momentAt(NOON));
    if (refusal === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ why: refusal, by: undefined, activity: { uid: uidOf(9) } });
    const again = why(look({ activities: [made(some)] }), { medium, again: true });
    expect(again).toBe(refusal === 'paid' ? 'paid' : undefined);
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
      'other_medium',
    ],
    ['as the latest one in the other spelling', { latest_ugwo_activity: made() }, 'payable'],
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

  it('is disputed after a later answer that shows it as failed', () => {
    const paid = charge({ activity: account({ status: 'successful' }) });
    const failed = snapshotOf({ activities: [own({ status: 'failed' })] }, { askedAt: NOON + MINUTE });
    expect(why(failed, { charges: [paid] })).toBe('disputed');
  });

  it("is compared by the ledger's medium if the activity has none", () => {
    const by = charge({ medium: 'mobile_money', activity: account({ status: 'processing', nextAction: null }) });
    const shown = look({ activities: [own({ status: 'processing', next_action: null })] });
    expect(why(shown, { charges: [by], medium: 'mobile_money' })).toBe('payable');
    expect(why(shown, { charges: [by], medium: 'ussd' })).toBe('other_medium');
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
  const PART = made({ uid: uidOf(7), status: 'successful', charged_amount: 400 });
  const CODE = made({ uid: uidOf(6), next_action: DIAL });
  const EXPIRED = charge({ told: undefined, activity: account({}, -20 * MINUTE) });
  it.each<[RefusalReason, RefusalReason, readonly Charge[], Readonly<Record<string, unknown>>]>([
    ['unresolved', 'in_progress', [sending, unknown], {}],
    ['in_progress', 'cancelled', [sending], { status: 'cancelled' }],
    ['in_progress', 'refunded', [sending], { status: 'refunded' }],
    ['cancelled', 'paid', [], { status: 'cancelled', activities: [PAID] }],
    ['refunded', 'paid', [], { status: 'refunded', activities: [PAID] }],
    ['paid', 'payable', [], { activities: [OPEN, PAID] }],
    ['paid', 'underpaid', [], { status: 'ugwo_successful', amount: 900, activities: [PART] }],
    ['payable', 'underpaid', [], { amount: 900, activities: [OPEN, PART] }],
    ['payable', 'other_medium', [], { activities: [CODE, OPEN] }],
    ['other_medium', 'unseen', [EXPIRED], { activities: [CODE] }],
    ['payable', 'unseen', [EXPIRED], { activities: [OPEN] }],
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
        facts: { status: '', amount: undefined, total: undefined, activities: undefined },
        noCheckout: false,
        asked: { amount: undefined, currency: undefined, ref: undefined, customer: undefined },
        activities: undefined,
      });
    },
  );
});
