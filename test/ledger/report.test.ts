import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYMENT_NAMES, type Payment } from '../../src/charge/payment.ts';
import { dayIn } from '../../src/core/time.ts';
import {
  type Charge,
  type Entry,
  isInScope,
  type KeptActivity,
  type RequestTerms,
  type Scope,
} from '../../src/ledger/entry.ts';
import type { ChargeSum, Ledger, Period, SumColumn, SumQuery } from '../../src/ledger/ledger.ts';
import { insertStatement } from '../../src/ledger/postgres/statements.ts';
import {
  countsByCharge,
  countsByPayment,
  openLedgerReport,
  openSums,
  type ReportLine,
} from '../../src/ledger/report.ts';
import { snapshotOf } from '../../src/ledger/snapshot.ts';
import { moneyKnown, paymentIn } from '../../src/ledger/transitions.ts';
import { ugwoOf, uidOf } from '../support/ids.ts';
import { DAY, HOUR } from '../support/units.ts';
import { BACKENDS, open } from './support/backends.ts';
import {
  account,
  beginCharge,
  begunOf,
  beside,
  charge,
  intent,
  MINUTE,
  NOON,
  newPath,
  open as openFile,
} from './support/charges.ts';
import { newSharedPlace } from './support/postgres.ts';
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

const reportOf = (ledger: Ledger, by: readonly SumColumn[] = [], period: Period = {}) =>
  ledger.sum(
    { time: 'created_at', period, by, unit: 0 },
    openLedgerReport(countsByCharge, (sum) => by.map((name) => sum[name])),
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
    const groups = await reportOf(ledger, ['medium']);
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
    const counted = async (period: Period) => (await reportOf(ledger, [], period))[0]?.count;
    expect(await counted({ since: hours[1], until: hours[3] })).toBe(2);
    expect(await counted({ since: hours[1] })).toBe(3);
    expect(await counted({ until: hours[1] })).toBe(1);
  });

  it('counts an open payment request once, with its last charge', async () => {
    const ledger = await open(newPlace());
    await accepted(ledger, 1, {}, { ...ngn(100), medium: 'ussd' });
    const again = intent({ about: ugwoOf(1), ...ngn(100) });
    const second = begunOf(await ledger.begin(again, { again: true })).id;
    await ledger.record(second, { state: 'accepted', exitCode: 0, activity: account({ uid: uidOf(2) }) });
    expect((await reportOf(ledger, ['medium'])).map(short)).toEqual([
      'bank_transfer NGN charged 1 100 0',
      'bank_transfer NGN open 1 100 0',
      'ussd NGN charged 0 0 0',
      'ussd NGN open 0 0 0',
    ]);
    expect((await reportOf(ledger)).map(short)).toEqual(['NGN charged 1 100 0', 'NGN open 1 100 0']);
  });

  it.each([
    ['a part that was paid, and is successful', 40, 67],
    ['a part that was paid, and is partially_refunded', 40, 67],
    ['no whole that was paid, and is partially_refunded', 100, 107],
  ])('leaves %s, out of what is open', async (what, charged_amount, left) => {
    const status = what.split(' ').at(-1) ?? '';
    const ledger = await open(newPlace());
    await accepted(ledger, 1, {}, { ...ngn(100), medium: 'ussd' });
    const rest = begunOf(await ledger.begin(intent({ about: ugwoOf(1), ...ngn(100) }), { again: true })).id;
    await ledger.record(rest, { state: 'accepted', exitCode: 0, activity: account({ uid: uidOf(2) }) });
    const half = { uid: uidOf(1), status, amount: 100, charged_amount };
    const request = {
      uid: ugwoOf(1),
      amount: 100,
      total_amount_paid: charged_amount,
      status: 'requires_ugwo',
      activities: [half],
    };
    await ledger.observe(snapshotOf(request, account({})));
    await accepted(ledger, 3, {}, ngn(7));
    const counts = (sum: ChargeSum) => [{ ...sum, reported: 'open' as const }];
    const query = { time: 'open', period: {}, by: [], unit: 0 } as const;
    const lines = await ledger.sum(
      query,
      openLedgerReport(counts, () => []),
    );
    expect(lines.map(short)).toEqual([`NGN open 2 ${left} 0`]);
    expect((await reportOf(ledger)).map(short)).toContain('NGN open 2 107 0');
  });

  it('keeps the sums of a day by payment time when a later day takes the money back', async () => {
    const place = newPlace();
    const days = [0, 1, 2].map((day) => NOON + day * 24 * 60 * MINUTE);
    const at = async (day: number, status: string): Promise<Ledger> => {
      const now = days[day] ?? NOON;
      const ledger = await open(place, { now: () => now });
      if (day === 0) await accepted(ledger, 1, {}, ngn(100));
      const facts = { uid: uidOf(1), status, updatedAt: now };
      await ledger.observe(shown([account({ uid: uidOf(1), status, askedAt: now, servedAt: now, facts })]));
      return ledger;
    };
    const onDay = async (ledger: Ledger, day: number): Promise<string[]> => {
      const paid: Period = { since: days[day], until: days[day + 1] };
      const query = { time: 'paid_at', period: paid, by: [], unit: 0 } as const;
      const lines = await ledger.sum(
        query,
        openLedgerReport(countsByPayment(paid), () => []),
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

  it('tells each payment apart, with its moment and what names it', async () => {
    const place = newPlace();
    const paidAt = NOON - 1;
    const asked = { amount: 100, currency: 'NGN', ref: 'INV-1' };
    const kept = { uid: uidOf(1), status: 'successful', pspReference: 'T-1', servedAt: paidAt, askedAt: paidAt };
    const ledger = await open(place);
    await accepted(ledger, 1, kept, { asked });
    await accepted(ledger, 2, { ...kept, uid: uidOf(2), servedAt: NOON, pspReference: undefined }, { asked });
    const by = ['id', 'ugwo', 'ref', 'psp_reference', 'account_digest'] as const;
    const found = await ledger.sum({ time: 'paid_at', period: { until: NOON }, by, unit: 1 }, () => {
      const all: ChargeSum[] = [];
      return { take: (some) => void all.push(...some), end: () => all };
    });
    expect(found).toEqual([
      expect.objectContaining({
        ...{ id: expect.stringMatching(/^chg-/), ugwo: ugwoOf(1), ref: 'INV-1', at: paidAt },
        ...{ psp_reference: 'T-1', account_digest: ledger.digest('0123456789'), received: 100n, count: 1 },
      }),
    ]);
  });

  it('covers more charges than one batch', async () => {
    const ledger = await open(newPlace());
    await Promise.all(Array.from({ length: 1203 }, (_none, number) => begin(ledger, number, ngn(1))));
    expect((await reportOf(ledger)).map(short)).toEqual(['NGN sending 1203 1203 0']);
  });
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const moments = fc.oneof(
  oneOf(NOON, NOON + 13 * HOUR),
  fc.integer({ min: -3 * DAY, max: 3 * DAY }).map((ms) => NOON + ms),
);
const sums = fc.oneof(oneOf(0, 100, Number.MAX_SAFE_INTEGER), fc.nat(100_000));

/** Money that no reading makes, too. */
const monies = fc.record({
  payment: oneOf<Payment>(...PAYMENT_NAMES, 'open', 'reversed'),
  received: maybe(sums),
  refunded: maybe(oneOf(0, 50)),
  paidAt: maybe(moments),
  excess: maybe(oneOf(1, 900)),
});
const reversals = fc.record({ payment: oneOf<Payment>('paid', 'underpaid'), received: maybe(sums), at: moments });

/** Charges whose clock went back, of several services and profiles, and of payment requests with many open ones. */
const odd = fc
  .record({
    kind: oneOf('charge', 'charge', 'charge', 'refund'),
    state: oneOf<Charge['state']>('accepted', 'accepted', 'accepted', 'accepted', 'unknown', 'sending', 'rejected'),
    number: fc.nat(200),
    service: oneOf('https://api.example', 'https://other.example'),
    workspace: oneOf(undefined, 'AbCd', 'EfGh'),
    profile: oneOf(undefined, '', 'shop', 'local'),
    medium: oneOf('ussd', 'bank_transfer'),
    job: oneOf(undefined, 'job-1', 'job-2'),
    operator: oneOf(undefined, 'ada', "o'bi"),
    createdAt: moments,
    asked: fc.record({ amount: maybe(sums), currency: oneOf(undefined, 'NGN', 'GHS') }),
    status: oneOf('requires_action', 'successful', 'refunded', 'partially_refunded', 'expired'),
    money: maybe(fc.tuple(monies, maybe(reversals))),
  })
  .map(({ kind, number, status, money: drawn, ...more }) => (index: number): Entry => {
    const { state, job, service } = more;
    const isOpen = state === 'unknown' || state === 'sending';
    const [money, reversed] = drawn ?? [];
    return {
      ...charge({ ...more, origin: service }),
      ...{ kind, id: `chg-${index}`, about: isOpen ? ugwoOf(1000 + index) : ugwoOf(number) },
      row: job === undefined ? undefined : index,
      recordedAt: state === 'sending' ? undefined : NOON,
      activity: state === 'accepted' ? account({ status }) : undefined,
      money:
        state === 'accepted' && kind === 'charge' && money
          ? {
              ...money,
              receivedAssumed: false,
              isPaidTwice: money.excess !== undefined,
              reversed: money.payment === 'reversed' ? reversed : undefined,
            }
          : undefined,
    };
  });
const ODD = fc.sample(odd, { numRuns: 2000, seed: 7 }).map((at, index) => at(index));

type GroupName = (SumColumn & keyof Entry) | 'day';
interface Asked {
  readonly time: SumQuery['time'];
  readonly period: Period;
  readonly names: readonly GroupName[];
  readonly scope: Scope;
}

/** Counters of a charge, one by one. */
const countersOf = (
  one: Entry,
  time: SumQuery['time'],
): [reported: string, at: number, received: number | undefined][] => {
  const { payment, paidAt, received, reversed } = moneyKnown(one) ?? {};
  if (time === 'created_at') {
    if (one.state === 'unknown' || one.state === 'sending') return [[one.state, one.createdAt, undefined]];
    if (payment === undefined) return [];
    return [
      ['charged', one.createdAt, received],
      [payment, one.createdAt, received],
    ];
  }
  if (payment === undefined || paidAt === undefined) return [];
  if (reversed === undefined) return [[payment, paidAt, received]];
  return [
    [reversed.payment, paidAt, reversed.received],
    ['reversed', reversed.at, reversed.received && -reversed.received],
  ];
};

const requestOf = ({ service, about }: Entry): string => `${service} ${about}`;

/** True if a charge of a request that was paid twice is the last one of those. */
const isLastPaid = (one: Entry, time: SumQuery['time'], ofRequest: readonly Entry[]): boolean => {
  const paidAt = ({ money }: Entry): number => (time === 'paid_at' ? (money?.paidAt ?? -Infinity) : 0);
  const isAfter = (other: Entry): boolean =>
    paidAt(other) === paidAt(one) ? other.seq > one.seq : paidAt(other) > paidAt(one);
  const hasExcess = (other: Entry): boolean =>
    other.money?.isPaidTwice === true && (time === 'created_at' || paymentIn(other) !== 'reversed');
  return !ofRequest.some((other) => hasExcess(other) && isAfter(other));
};

/** Money of a charge that came too much; undefined for none. */
const excessOf = (one: Entry, time: SumQuery['time'], groups: Map<string, Entry[]>): number | undefined => {
  const { payment, received = 0, refunded, excess } = moneyKnown(one) ?? {};
  if (payment === undefined || (time === 'paid_at' && payment === 'reversed')) return undefined;
  if (excess !== undefined) return isLastPaid(one, time, groups.get(requestOf(one)) ?? []) ? excess : undefined;
  const isOver = payment === 'overpaid' || payment === 'partially_refunded';
  const left = isOver && refunded !== undefined ? received - refunded - (one.asked?.amount ?? Infinity) : 0;
  return left > 0 ? left : undefined;
};

/** The report as a plain sum over entries. */
const plainReport = (entries: readonly Entry[], { time, period, names, scope }: Asked): string[] => {
  const { since = -Infinity, until = Infinity } = period;
  const groups = Map.groupBy(entries, requestOf);
  const counted = entries
    .filter((one) => one.kind === 'charge' && isInScope(scope)(one))
    .flatMap((one) => countersOf(one, time).map(([reported, at, received]) => ({ one, reported, at, received })))
    .filter(({ at }) => at >= since && at < until);
  const groupsFor = (one: Entry, at: number) => names.map((name) => (name === 'day' ? dayIn('utc', at) : one[name]));
  const sameFor = (one: Entry): string => JSON.stringify([one.service, one.about, paymentIn(one)]);
  const last = new Map(counted.map(({ one }) => [sameFor(one), one]));
  const lines = new Map<string, { count: number; charges: number; amounts: bigint[]; receiveds: bigint[] }>();
  for (const { one, reported, at, received } of counted) {
    const key = JSON.stringify([groupsFor(one, at), one.asked?.currency, reported]);
    const line = lines.get(key) ?? { count: 0, charges: 0, amounts: [], receiveds: [] };
    lines.set(key, line);
    line.charges += 1;
    const payment = paymentIn(one);
    const { received: brought, isPaidTwice } = moneyKnown(one) ?? {};
    const isWhole = payment === 'paid' && brought === one.asked?.amount && isPaidTwice !== true;
    const isEach = (payment === 'reversed' && time === 'paid_at') || names.includes('id');
    const counts = payment === undefined || isWhole || isEach || last.get(sameFor(one)) === one;
    line.count += counts ? 1 : 0;
    if (one.asked?.amount !== undefined) line.amounts.push(counts ? BigInt(one.asked.amount) : 0n);
    if (received !== undefined) line.receiveds.push(BigInt(received));
    const excess = names.includes('id') || reported !== payment ? undefined : excessOf(one, time, groups);
    if (excess === undefined) continue;
    const over = JSON.stringify([groupsFor(one, at), one.asked?.currency, 'too_much']);
    const much = lines.get(over) ?? { count: 0, charges: 0, amounts: [], receiveds: [] };
    lines.set(over, much);
    much.count += 1;
    much.charges += 1;
    much.amounts.push(BigInt(excess));
  }
  const total = (some: readonly bigint[]) =>
    some.length === 0 ? undefined : some.reduce((sum, amount) => sum + amount, 0n);
  return [...lines]
    .map(([key, { count, charges, amounts, receiveds }]) =>
      [
        key,
        count,
        charges,
        total(amounts),
        total(receiveds),
        key.endsWith('"too_much"]') ? 0 : charges - receiveds.length,
      ].join(' '),
    )
    .sort();
};

const reportAs = async (ledger: Ledger, { time, period, names, scope }: Asked): Promise<string[]> => {
  const by = names.filter((name) => name !== 'day');
  const groupsOf = (sum: ChargeSum) => names.map((name) => (name === 'day' ? dayIn('utc', sum.at) : sum[name]));
  const query = { ...scope, time, period, by, unit: names.includes('day') ? 15 * MINUTE : 0 };
  const counts = time === 'created_at' ? countsByCharge : countsByPayment(period);
  const lines = await ledger.sum(query, openLedgerReport(counts, groupsOf));
  return lines
    .map(({ groups, currency, reported, count, charges, amount, received, withoutReceived }) =>
      [JSON.stringify([groups, currency, reported]), count, charges, amount, received, withoutReceived].join(' '),
    )
    .sort();
};

const PERIODS: readonly Period[] = [
  {},
  { since: NOON },
  { since: NOON - DAY - 7, until: NOON + 13 * HOUR },
  { until: NOON },
];
const GROUPS: readonly (readonly GroupName[])[] = [
  ...[[], ['day'], ['job'], ['operator', 'medium'], ['profile', 'origin']],
  ['id'],
] as const;
const SCOPES: readonly Scope[] = [
  {},
  { service: 'https://api.example', workspace: 'AbCd' },
  { otherThan: 'local' },
  { profile: 'local' },
];
const ASKED = (['created_at', 'paid_at'] as const).flatMap((time) =>
  PERIODS.flatMap((period, at) =>
    GROUPS.map((names, group): Asked => ({ time, period, names, scope: SCOPES[(at + group) % SCOPES.length] ?? {} })),
  ),
);

const insertInto = (path: string, entries: readonly Entry[]): void => {
  const db = new DatabaseSync(path);
  db.exec(`BEGIN; ${entries.map((one) => insertStatement(one).replace('paycli.', '')).join(';\n')}; COMMIT`);
  db.close();
};

/** A ledger with these entries. */
const withEntries: Readonly<Record<string, (entries: readonly Entry[]) => Promise<Ledger>>> = {
  'a file': async (entries) => {
    const path = newPath();
    const ledger = await openFile(path);
    insertInto(path, entries);
    return ledger;
  },
  PostgreSQL: async (entries) => {
    const place = newSharedPlace();
    await place.sql(entries.map((one) => insertStatement(one)).join(';\n'));
    return place.open();
  },
};

// The tests have no PostgreSQL on Windows.
it.each(process.platform === 'win32' ? ['a file'] : Object.keys(withEntries))(
  'sums odd charges as a plain sum over them, in %s',
  async (where) => {
    const ledger = (await withEntries[where]?.(ODD)) as Ledger;
    const entries = await ledger.list({ limit: -1, oldestFirst: true });
    expect(entries).toHaveLength(ODD.length);
    for (const asked of ASKED) {
      expect([asked, await reportAs(ledger, asked)]).toEqual([asked, plainReport(entries, asked)]);
    }
  },
);

it('sums a ledger as of one moment, and handles signals meanwhile', async () => {
  const path = newPath();
  const ledger = await openFile(path);
  const charges = Array.from({ length: 1500 }, (_none, index) =>
    charge({
      id: `chg-${index}`,
      about: ugwoOf(index),
      createdAt: NOON + index,
      asked: { amount: 1, currency: 'NGN' },
    }),
  );
  insertInto(path, charges);
  const counts: number[] = [];
  let turns = 0;
  const lines = await ledger.sum({ time: 'created_at', period: {}, by: [], unit: 0 }, () => {
    const reducer = openLedgerReport(countsByCharge, () => [])();
    const take = (sums: readonly ChargeSum[]): void => {
      expect(turns).toBe(counts.length);
      setImmediate(() => (turns += 1));
      if (counts.length === 0) beside(path, 'UPDATE charge SET amount = 1000');
      counts.push(sums.reduce((all, { count }) => all + count, 0));
      reducer.take(sums);
    };
    return { ...reducer, take };
  });
  expect(counts).toEqual([1000, 500]);
  expect(lines.map(short)).toEqual(['NGN charged 1500 1500 0', 'NGN open 1500 1500 0']);
});

it('finds that the days of every time zone begin with a quarter hour', () => {
  const moments = [2024, 2026, 2030].flatMap((year) => [0, 3, 6, 9].map((month) => Date.UTC(year, month, 15)));
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    for (const moment of moments) expect(format.format(moment)).toMatch(/GMT(?:[+-]\d\d:(?:00|15|30|45))?$/);
  }
});

describe('the payment of an entry', () => {
  const money = { payment: 'paid', received: 5, receivedAssumed: false, refunded: 0 } as const;
  it.each<[string, Charge, Payment | undefined]>([
    ['paid', charge({ money }), 'paid'],
    ['resolved by a person, without an activity', charge({ activity: undefined, money: undefined }), 'open'],
    ['unknown', charge({ state: 'unknown', activity: undefined, money: undefined }), undefined],
    ['rejected', charge({ state: 'rejected', activity: undefined, money: undefined }), undefined],
  ])('maps a charge that is %s', (_what, one, payment) => {
    expect(paymentIn(one)).toBe(payment);
  });
});

describe('countsByPayment', () => {
  it.each([
    ['of a known sum', 5, [10n, -10n], [0, 0]],
    ['of unknown sums', undefined, [undefined, undefined], [2, 2]],
  ])('counts each of some equal payments %s that were taken back', (_what, received, sums, unknown) => {
    const reversed = { payment: 'paid', received, at: NOON } as const;
    const money = {
      payment: 'reversed',
      received: 0,
      receivedAssumed: false,
      refunded: 0,
      paidAt: NOON,
      reversed,
    } as const;
    const of = { state: 'accepted', payment: 'reversed', currency: 'NGN', at: NOON, count: 2, charges: 2 } as const;
    const excess = { count: 0, amount: undefined };
    const sum = { ...of, amount: 14n, withoutAmount: 0, received: 0n, withoutReceived: 0, excess, money };
    const counted = countsByPayment({})(sum);
    expect(counted.map((one) => one.received)).toEqual(sums);
    expect(counted.map((one) => one.withoutReceived)).toEqual(unknown);
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
    sums.add(of(7, 'NGN'), 'open', -1);
    sums.add(of(7, 'NGN'), 'paid');
    expect(sums.all()).toMatchObject([{ payment: 'paid', currency: 'NGN', count: 1, amount: 7n }]);
  });

  it('subtracts what a payment request no longer lacks', () => {
    const sums = openSums(PAYMENT_NAMES);
    const part = { payment: 'underpaid', receivedAssumed: false, refunded: 0 } as const;
    const before = { ...of(7, 'NGN'), state: 'accepted', money: { ...part, received: 3, missing: 4 } } as const;
    const after = { ...before, money: { ...part, received: 5, missing: 0 } };
    for (const one of [before, before]) sums.add(one, 'underpaid');
    sums.add(before, 'underpaid', -1);
    sums.add(after, 'underpaid');
    expect(sums.all()).toMatchObject([{ count: 2, amount: 14n, received: 8n, short: 1 }]);
  });

  it('subtracts what was added, even if the amount became known later', () => {
    const sums = openSums(PAYMENT_NAMES);
    sums.add(of(5, 'NGN'), 'open');
    sums.add(of(undefined, undefined), 'open');
    sums.add(of(undefined, undefined), 'open', -1);
    sums.add(of(7, 'NGN'), 'paid');
    expect(sums.all()).toMatchObject([
      { payment: 'paid', currency: 'NGN', count: 1, amount: 7n },
      { payment: 'open', currency: 'NGN', count: 1, amount: 5n },
    ]);
  });
});
