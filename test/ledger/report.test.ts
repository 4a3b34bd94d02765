import { describe, expect, it } from 'vitest';
import { PAYMENT_NAMES, type Payment } from '../../src/charge/payment.ts';
import type { Charge, Entry, KeptActivity, RequestTerms, ServiceTime } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  countsByCharge,
  countsByPayment,
  openLedgerReport,
  openSums,
  type ReportLine,
} from '../../src/ledger/report.ts';
import { paymentIn } from '../../src/ledger/transitions.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, beginCharge, begunOf, charge, intent, MINUTE, momentAt, NOON } from './support/charges.ts';
import { shown } from './support/shown.ts';

interface Made {
  readonly asked?: RequestTerms;
  readonly medium?: string;
  readonly profile?: string;
}

/** Begins a charge and returns its id. */
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
    { started: begun },
    openLedgerReport(
      countsByCharge,
      (charge) => (by === undefined ? [] : [charge[by]]),
      () => true,
    ),
  );

const short = ({ groups, currency, reported, count, amount, withoutAmount }: ReportLine): string =>
  [...groups, currency, reported, count, amount, withoutAmount].filter((one) => one !== undefined).join(' ');

describe.each(BACKENDS)('ledger report with a ledger %s', (_where, newPlace) => {
  it('counts charged, paid and possibly charged requests', async () => {
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
      'NGN open 1 300 0',
      'NGN expired 1 400 0',
      'NGN failed 1 500 0',
      'NGN refunded 1 200 0',
      'NGN unknown 1 600 0',
      'NGN sending 1 700 0',
    ]);
  });

  it('preserves the digits of large sums', async () => {
    const ledger = await open(newPlace());
    for (const number of [1, 2, 3]) {
      await accepted(ledger, number, { status: 'successful' }, ngn(Number.MAX_SAFE_INTEGER));
    }
    const paid = (await reportOf(ledger)).find(({ reported }) => reported === 'paid');
    expect(paid?.amount).toBe(27_021_597_764_222_973n);
  });

  it('counts unknown amounts separately and sums the others by currency', async () => {
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

  it('groups charges, with ungrouped ones last', async () => {
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

  it('includes the start of the period and excludes its end', async () => {
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

  it('counts each open charge of a payment request, and its amount once', async () => {
    const ledger = await open(newPlace());
    await accepted(ledger, 1, {}, { ...ngn(100), medium: 'ussd' });
    const again = intent({ about: ugwoOf(1), ...ngn(100) });
    const second = begunOf(await ledger.begin(again, { again: true })).id;
    await ledger.record(second, { state: 'accepted', exitCode: 0, activity: account({ uid: uidOf(2) }) });
    expect((await reportOf(ledger, 'medium')).map(short)).toEqual([
      'bank_transfer NGN charged 1 100 0',
      'bank_transfer NGN open 1 100 0',
      'ussd NGN charged 1 0 0',
      'ussd NGN open 1 0 0',
    ]);
  });

  it('keeps the sums of a day by payment time when a later day takes the money back', async () => {
    const place = newPlace();
    const days = [0, 1, 2].map((day) => NOON + day * 24 * 60 * MINUTE);
    const at = async (day: number, status: string): Promise<Ledger> => {
      const now = days[day] ?? NOON;
      const ledger = await open(place, { now: () => now });
      if (day === 0) await accepted(ledger, 1, {}, ngn(100));
      const read = { askedAt: now, servedAt: now };
      await ledger.observe(shown([account({ uid: uidOf(1), status, ...read })]));
      return ledger;
    };
    const onDay = async (ledger: Ledger, day: number): Promise<string[]> => {
      const paid = { since: days[day], until: days[day + 1] };
      const isIn = (moment: number) => moment >= (paid.since ?? 0) && moment < (paid.until ?? Infinity);
      const counts = (one: Entry) => countsByPayment(one).filter(({ at: moment }) => isIn(moment));
      const lines = await ledger.walk(
        { paid },
        openLedgerReport(
          counts,
          () => [],
          () => true,
        ),
      );
      return lines.map(({ reported, count, received }) => `${reported} ${count} ${received}`);
    };
    await at(0, 'requires_action');
    const paid = await at(1, 'successful');
    expect([await onDay(paid, 0), await onDay(paid, 1), await onDay(paid, 2)]).toEqual([[], ['paid 1 100'], []]);
    const reversed = await at(2, 'failed');
    expect([await onDay(reversed, 0), await onDay(reversed, 1), await onDay(reversed, 2)]).toEqual([
      [],
      ['paid 1 100'],
      ['reversed 1 -100'],
    ]);
  });

  it('covers more charges than one batch', async () => {
    const ledger = await open(newPlace());
    await Promise.all(Array.from({ length: 1203 }, (_none, number) => begin(ledger, number, ngn(1))));
    expect((await reportOf(ledger)).map(short)).toEqual(['NGN sending 1203 1203 0']);
  });
});

const LATE = NOON + 20 * MINUTE;
const seenAt = (after: number): ServiceTime => ({ ...momentAt(NOON + after), service: NOON + after });
const ofStatus = (status: string, more: Partial<Charge> = {}): Charge =>
  charge({ activity: account({ status }), ...more });

describe('the payment of an entry of an older version', () => {
  it.each<[string, Charge, Payment | undefined]>([
    ['paid', ofStatus('successful'), 'paid'],
    ['partially refunded', ofStatus('partially_refunded'), 'partially_refunded'],
    ['refunded', ofStatus('refunded'), 'refunded'],
    ['failed', ofStatus('failed'), 'failed'],
    ['expired by the service', ofStatus('expired'), 'expired'],
    ['processing', ofStatus('processing'), 'open'],
    ['of an unknown status', ofStatus('on_the_moon'), 'open'],
    ['without an activity', charge({ activity: undefined }), 'open'],
    ['resolved by a person', charge({ activity: account({ status: '', nextAction: null }) }), 'open'],
    ['not read since its account expired', charge(), 'open'],
    ['read too soon after its expiry', charge({ told: seenAt(15 * MINUTE + 14_000) }), 'open'],
    ['read late enough after its expiry', charge({ told: seenAt(15 * MINUTE + 15_000) }), 'expired'],
    ['read since', charge({ told: { ...momentAt(LATE), service: LATE } }), 'expired'],
    ['unknown', charge({ state: 'unknown', activity: undefined }), undefined],
    ['rejected', charge({ state: 'rejected', activity: undefined }), undefined],
  ])('maps a charge that is %s', (_what, one, payment) => {
    expect(paymentIn(one)).toBe(payment);
  });
});

describe('openSums', () => {
  const of = (amount: number | undefined, currency: string | undefined): Charge =>
    charge({ asked: { amount, currency, ref: undefined, customer: undefined } });

  it('counts exactly by payment and currency', () => {
    const sums = openSums(PAYMENT_NAMES);
    sums.add(of(Number.MAX_SAFE_INTEGER, 'NGN'), 'paid');
    sums.add(of(Number.MAX_SAFE_INTEGER, 'NGN'), 'paid');
    sums.add(of(5, 'GHS'), 'paid');
    sums.add(of(undefined, undefined), 'failed');
    sums.add(of(7, 'NGN'), 'open');
    expect(sums.all()).toMatchObject([
      { payment: 'paid', currency: 'NGN', count: 2, amount: 2n * BigInt(Number.MAX_SAFE_INTEGER) },
      { payment: 'paid', currency: 'GHS', count: 1, amount: 5n },
      { payment: 'open', currency: 'NGN', count: 1, amount: 7n },
      { payment: 'failed', currency: undefined, count: 1, amount: undefined },
    ]);
  });

  it('lists the most frequent first', () => {
    const sums = openSums(PAYMENT_NAMES);
    for (const currency of ['GHS', 'NGN', 'KES', 'NGN']) sums.add(of(5, currency), 'paid');
    for (const currency of ['KES', 'KES', 'KES']) sums.add(of(5, currency), 'expired');
    expect(sums.all().map(({ payment, currency, count }) => [payment, currency, count])).toEqual([
      ['paid', 'NGN', 2],
      ['paid', 'GHS', 1],
      ['paid', 'KES', 1],
      ['expired', 'KES', 3],
    ]);
  });

  it('has no amount if none is known, else the known part', () => {
    const sums = openSums(PAYMENT_NAMES);
    sums.add(charge(), 'paid');
    expect(sums.all()).toMatchObject([{ payment: 'paid', currency: undefined, count: 1, amount: undefined }]);
    sums.add(of(5, undefined), 'paid');
    sums.add(of(undefined, undefined), 'paid');
    expect(sums.all()).toMatchObject([{ payment: 'paid', currency: undefined, count: 3, amount: 5n }]);
  });

  it('moves a charge to another payment state', () => {
    const sums = openSums(PAYMENT_NAMES);
    sums.add(of(7, 'NGN'), 'open');
    sums.move(of(7, 'NGN'), 'open', 'open', of(7, 'NGN'));
    sums.move(of(7, 'NGN'), 'open', 'paid', of(7, 'NGN'));
    expect(sums.all()).toMatchObject([{ payment: 'paid', currency: 'NGN', count: 1, amount: 7n }]);
  });

  it('subtracts what was added, even if the amount became known later', () => {
    const sums = openSums(PAYMENT_NAMES);
    sums.add(of(5, 'NGN'), 'open');
    sums.add(of(undefined, undefined), 'open');
    sums.move(of(7, 'NGN'), 'open', 'paid', of(undefined, undefined));
    expect(sums.all()).toMatchObject([
      { payment: 'paid', currency: 'NGN', count: 1, amount: 7n },
      { payment: 'open', currency: 'NGN', count: 1, amount: 5n },
    ]);
  });
});
