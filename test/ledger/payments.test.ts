import { describe, expect, it } from 'vitest';
import { PAYMENTS, type Payment } from '../../src/core/charge.ts';
import type { Charge, ServiceTime } from '../../src/ledger/entry.ts';
import { openSums, paymentOf } from '../../src/ledger/report.ts';
import { account, charge, MINUTE, momentAt, NOON } from './support/charges.ts';

const LATE = NOON + 20 * MINUTE;
const seenAt = (after: number): ServiceTime => ({ ...momentAt(NOON + after), service: NOON + after });
const ofStatus = (status: string, more: Partial<Charge> = {}): Charge =>
  charge({ activity: account({ status }), ...more });

describe('what has become of the money of a charge', () => {
  it.each<[string, Charge, Payment | undefined]>([
    ['paid', ofStatus('successful'), 'paid'],
    ['paid back in part', ofStatus('partially_refunded'), 'paid'],
    ['refunded', ofStatus('refunded'), 'refunded'],
    ['failed', ofStatus('failed'), 'failed'],
    ['expired by the service', ofStatus('expired'), 'expired'],
    ['processing', ofStatus('processing'), 'open'],
    ['of a status that nobody knows', ofStatus('on_the_moon'), 'open'],
    ['without an activity', charge({ activity: undefined }), 'open'],
    ['that a person has named', charge({ activity: account({ status: '', nextAction: null }) }), 'open'],
    ['not looked at since its account expired', charge(), 'open'],
    ['looked at when a late payment may not have shown yet', charge({ told: seenAt(15 * MINUTE + 14_000) }), 'open'],
    ['looked at late enough', charge({ told: seenAt(15 * MINUTE + 15_000) }), 'expired'],
    ['looked at since', charge({ told: { ...momentAt(LATE), service: LATE } }), 'expired'],
    ['unknown', charge({ state: 'unknown', activity: undefined }), undefined],
    ['rejected', charge({ state: 'rejected', activity: undefined }), undefined],
  ])('one that is %s', (_what, one, payment) => {
    expect(paymentOf(one, momentAt(LATE))).toBe(payment);
  });

  it('is open while its account can be paid', () => {
    expect(paymentOf(charge(), momentAt(NOON))).toBe('open');
  });

  it('that was seen expired is open again for a machine whose clock has gone back before the expiry', () => {
    const seen = charge({ told: seenAt(20 * MINUTE) });
    expect(paymentOf(seen, momentAt(NOON + 15 * MINUTE))).toBe('expired');
    expect(paymentOf(seen, momentAt(NOON + 15 * MINUTE - 1))).toBe('open');
  });
});

describe('sums', () => {
  const of = (amount: number | undefined, currency: string | undefined): Charge =>
    charge({ asked: { amount, currency, ref: undefined, customer: undefined } });

  it('are counted by payment and currency, exactly', () => {
    const sums = openSums(PAYMENTS);
    sums.add(of(Number.MAX_SAFE_INTEGER, 'NGN'), 'paid');
    sums.add(of(Number.MAX_SAFE_INTEGER, 'NGN'), 'paid');
    sums.add(of(5, 'GHS'), 'paid');
    sums.add(of(undefined, undefined), 'failed');
    sums.add(of(7, 'NGN'), 'open');
    expect(sums.all()).toEqual([
      { payment: 'paid', currency: 'NGN', count: 2, amount: 2n * BigInt(Number.MAX_SAFE_INTEGER) },
      { payment: 'paid', currency: 'GHS', count: 1, amount: 5n },
      { payment: 'open', currency: 'NGN', count: 1, amount: 7n },
      { payment: 'failed', currency: undefined, count: 1, amount: undefined },
    ]);
  });

  it('tell of what is most first', () => {
    const sums = openSums(PAYMENTS);
    for (const currency of ['GHS', 'NGN', 'KES', 'NGN']) sums.add(of(5, currency), 'paid');
    for (const currency of ['KES', 'KES', 'KES']) sums.add(of(5, currency), 'expired');
    expect(sums.all().map(({ payment, currency, count }) => [payment, currency, count])).toEqual([
      ['paid', 'NGN', 2],
      ['paid', 'GHS', 1],
      ['paid', 'KES', 1],
      ['expired', 'KES', 3],
    ]);
  });

  it('know no amount where none is known of any, and else what is known', () => {
    const sums = openSums(PAYMENTS);
    sums.add(charge(), 'paid');
    expect(sums.all()).toEqual([{ payment: 'paid', currency: undefined, count: 1, amount: undefined }]);
    sums.add(of(5, undefined), 'paid');
    sums.add(of(undefined, undefined), 'paid');
    expect(sums.all()).toEqual([{ payment: 'paid', currency: undefined, count: 3, amount: 5n }]);
  });

  it('move a charge from one kind to another', () => {
    const sums = openSums(PAYMENTS);
    sums.add(of(7, 'NGN'), 'open');
    sums.move(of(7, 'NGN'), 'open', 'open', of(7, 'NGN'));
    sums.move(of(7, 'NGN'), 'open', 'paid', of(7, 'NGN'));
    expect(sums.all()).toEqual([{ payment: 'paid', currency: 'NGN', count: 1, amount: 7n }]);
  });

  it('take away what was added, and no amount that became known since', () => {
    const sums = openSums(PAYMENTS);
    sums.add(of(5, 'NGN'), 'open');
    sums.add(of(undefined, undefined), 'open');
    sums.move(of(7, 'NGN'), 'open', 'paid', of(undefined, undefined));
    expect(sums.all()).toEqual([
      { payment: 'paid', currency: 'NGN', count: 1, amount: 7n },
      { payment: 'open', currency: 'NGN', count: 1, amount: 5n },
    ]);
  });
});
