import { describe, expect, it } from 'vitest';
import type { KeptActivity, RequestTerms } from '../../src/ledger/entry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openReport, type ReportLine } from '../../src/ledger/report.ts';
import { BACKENDS, open } from './support/backends.ts';
import { account, intent, MINUTE, NOON } from './support/charges.ts';

const ugwo = (number: number): string => `ugw.AbCd.${String(number).padStart(24, '0')}`;
const uid = (number: number): string => `act.AbCd.${String(number).padStart(24, '0')}`;

interface Made {
  readonly asked?: RequestTerms;
  readonly medium?: string;
  readonly profile?: string;
}

/** Begins a charge; gives its identifier. */
const begin = async (ledger: Ledger, number: number, { asked, ...more }: Made = {}): Promise<string> => {
  const begun = await ledger.begin(intent({ about: ugwo(number), asked: asked ?? {}, ...more }), { again: false });
  if (begun.kind !== 'begun') throw new Error(`refused: ${begun.why}`);
  return begun.id;
};

const accepted = async (
  ledger: Ledger,
  number: number,
  activity: Partial<KeptActivity>,
  made?: Made,
): Promise<void> => {
  const id = await begin(ledger, number, made);
  await ledger.record(id, { state: 'accepted', exitCode: 0, activity: account({ uid: uid(number), ...activity }) });
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
