import { describe, expect, it } from 'vitest';
import { PAYMENTS, type Payment } from '../../src/core/charge.ts';
import type { Charge, KeptActivity, RequestTerms, ServiceTime } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openReport, openSums, paymentOf, type ReportLine } from '../../src/ledger/report.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, charge, MINUTE, momentAt, NOON } from './support/charges.ts';

interface Made {
  readonly asked?: RequestTerms;
  readonly medium?: string;
  readonly profile?: string;
}

/** Begins a charge; gives its identifier. */
const begin = (ledger: Ledger, number: number, { asked, ...more }: Made = {}): Promise<string> =>
  beginCharge(ledger, { about: ugwoOf(number), asked: asked ?? {}, ...more });

const accepted = async (
  ledger: Ledger,
  number: number,
  activity: Partial<KeptActivity>,
  made?: Made,
): Promise<void> => {
  const id = await begin(ledger, number, made);
  await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid: uidOf(number), ...activity }) });
};

const ngn = (amount: number): Made => ({ asked: { amount, currency: 'NGN' } });

const reportOf = (ledger: Ledger, by: 'medium' | 'profile' | undefined = undefined, begun = {}) =>
  ledger.walk(
    begun,
    openReport(
      (charge) => (by === undefined ? [] : [charge[by]]),
      () => true,
      ledger.moment(),
    ),
  );

const short = ({ groups, currency, reported, count, amount, withoutAmount }: ReportLine): string =>
  [...groups, currency, reported, count, amount, withoutAmount].filter((one) => one !== undefined).join(' ');

describe.each(BACKENDS)('a report of a ledger %s', (_where, newPlace) => {
  it('counts what was charged, what has become of it, and what may have been charged', async () => {
    const ledger = await open(newPlace());
    await accepted(ledger, 1, { status: 'successful' }, ngn(100));
    await accepted(ledger, 2, { status: 'refunded' }, ngn(200));
    await accepted(ledger, 3, {}, ngn(300));
    await accepted(ledger, 4, { status: 'expired' }, ngn(400));
    await accepted(ledger, 5, { status: 'failed' }, ngn(500));
    const unknown = await begin(ledger, 6, ngn(600));
    await ledger.record(unknown, { state: 'unknown', exitCode: 6 });
    await begin(ledger, 7, ngn(700));
    const refused = await begin(ledger, 8, ngn(800));
    await ledger.record(refused, { state: 'rejected', exitCode: 3 });
    expect((await reportOf(ledger)).map(short)).toEqual([
      'NGN charged 5 1500 0',
      'NGN paid 1 100 0',
      'NGN refunded 1 200 0',
      'NGN open 1 300 0',
      'NGN expired 1 400 0',
      'NGN failed 1 500 0',
      'NGN unknown 1 600 0',
      'NGN sending 1 700 0',
    ]);
  });

  it('keeps every digit of sums that no number can hold', async () => {
    const ledger = await open(newPlace());
    for (const number of [1, 2, 3]) {
      await accepted(ledger, number, { status: 'successful' }, ngn(Number.MAX_SAFE_INTEGER));
    }
    const paid = (await reportOf(ledger)).find(({ reported }) => reported === 'paid');
    expect(paid?.amount).toBe(27_021_597_764_222_973n);
  });

  it('says of how many no amount is known, and adds up the others by currency', async () => {
    const ledger = await open(newPlace());
    await accepted(ledger, 1, { status: 'successful' }, ngn(100));
    await accepted(ledger, 2, { status: 'successful' }, { asked: { currency: 'NGN' } });
    await accepted(ledger, 3, { status: 'successful' }, { asked: { amount: 7, currency: 'GHS' } });
    await accepted(ledger, 4, { status: 'successful' });
    expect((await reportOf(ledger)).map(short)).toEqual([
      'GHS charged 1 7 0',
      'GHS paid 1 7 0',
      'NGN charged 2 100 1',
      'NGN paid 2 100 1',
      'charged 1 1',
      'paid 1 1',
    ]);
  });

  it('groups charges, what has no group last', async () => {
    const ledger = await open(newPlace());
    await accepted(ledger, 1, {}, { ...ngn(1), medium: 'ussd' });
    await accepted(ledger, 2, {}, ngn(2));
    const groups = await reportOf(ledger, 'medium');
    expect(groups.map(({ groups: [medium], amount }) => `${medium} ${amount}`)).toEqual([
      'bank_transfer 2',
      'bank_transfer 2',
      'ussd 1',
      'ussd 1',
    ]);
  });

  it('counts what was begun from its first moment on, up to its end and not at it', async () => {
    const place = newPlace();
    const hours = [0, 1, 2, 3].map((hour) => NOON + hour * 60 * MINUTE);
    for (const [index, now] of hours.entries())
      await accepted(await open(place, { now: () => now }), index, {}, ngn(1));
    const ledger = await open(place);
    const counted = async (begun: object) => (await reportOf(ledger, undefined, begun))[0]?.count;
    expect(await counted({ since: hours[1], until: hours[3] })).toBe(2);
    expect(await counted({ since: hours[1] })).toBe(3);
    expect(await counted({ until: hours[1] })).toBe(1);
  });

  it('shows more than one step of a walk, each once', async () => {
    const ledger = await open(newPlace());
    await Promise.all(Array.from({ length: 1203 }, (_none, number) => begin(ledger, number, ngn(1))));
    expect((await reportOf(ledger)).map(short)).toEqual(['NGN sending 1203 1203 0']);
  });
});

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
