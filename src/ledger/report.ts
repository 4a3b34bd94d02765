import { PAYMENT_NAMES, type Payment } from '../charge/payment.ts';
import { type Entry, isCharge } from './entry.ts';
import type { Reducer } from './ledger.ts';
import { moneyKnown, paymentIn } from './transitions.ts';

/** Outcomes that a sync sums up, in output order. `not_created` stands for those that it found not created. */
export const SYNCED = [...PAYMENT_NAMES, 'unknown', 'not_created'] as const;
export type Synced = (typeof SYNCED)[number];

/** Number and sums of charges of one payment state and currency. The sums are in the minor unit. */
export interface Sum<P extends string = Payment> {
  readonly payment: P;
  readonly currency: string | undefined;
  readonly count: number;
  /** Sum of what was asked; undefined if no amount is known. */
  readonly amount: bigint | undefined;
  /** Sum of what was received; undefined if none is known. */
  readonly received: bigint | undefined;
  /** Number of those whose payment request lacks a part of its money. */
  readonly short: number;
}

/** Adds an amount to a sum, `by` times. An unknown one leaves it is. */
const plus = (sum: bigint | undefined, amount: number | undefined, by = 1): bigint | undefined =>
  amount === undefined ? sum : (sum ?? 0n) + BigInt(by * amount);

/** Sums charges by payment state and currency. The result follows the order of `kinds`. */
export const openSums = <P extends string>(kinds: readonly P[]) => {
  const sums = new Map<string, Sum<P>>();
  const change = (charge: Entry, payment: P, by: 1 | -1): void => {
    const { amount, currency } = charge.asked ?? {};
    const key = `${payment} ${currency}`;
    const before = sums.get(key);
    const money = moneyKnown(charge);
    sums.set(key, {
      ...{ payment, currency, count: (before?.count ?? 0) + by },
      amount: plus(before?.amount, amount, by),
      received: plus(before?.received, money?.received, by),
      short: (before?.short ?? 0) + ((money?.missing ?? 0) > 0 ? by : 0),
    });
  };
  return {
    add: (charge: Entry, payment: P): void => change(charge, payment, 1),
    /** Moves a charge to another state. `before` is the charge as it was added, when less of it may have been known. */
    move: (charge: Entry, from: P, to: P, before: Entry): void => {
      change(before, from, -1);
      change(charge, to, 1);
    },
    all: (): Sum<P>[] =>
      [...sums.values()]
        .filter(({ count }) => count > 0)
        .sort((a, b) => kinds.indexOf(a.payment) - kinds.indexOf(b.payment) || b.count - a.count),
  };
};

/**
 * Counters of a report, in output order: all charges, their payment states, and then charges with an unknown outcome
 * and charges being sent.
 */
const REPORTED = ['charged', ...PAYMENT_NAMES, 'unknown', 'sending'] as const;
type Reported = (typeof REPORTED)[number];

type Groups = readonly (string | undefined)[];

/** One counter of a report, with its sum in the minor unit. */
export interface ReportLine {
  /** Common values of the charges, in output order; undefined for a value that they lack. */
  readonly groups: Groups;
  readonly currency: string | undefined;
  readonly reported: Reported;
  readonly count: number;
  /** Undefined if no amount is known. */
  readonly amount: bigint | undefined;
  /** Number of charges without a known amount, which the sum leaves out. */
  readonly withoutAmount: number;
  /** Sum of what was received; undefined if none is known. */
  readonly received: bigint | undefined;
  /** Number of charges without a known received amount. */
  readonly withoutReceived: number;
}

/** One count of a charge in a report. */
export interface Counted {
  readonly reported: Reported;
  /** Moment that decides its period and its day. */
  readonly at: number;
  readonly received: number | undefined;
}

/** Counters that a charge belongs to by the time of its charge; none if it was certainly not made. */
export const countsByCharge = (charge: Entry): readonly Counted[] => {
  const [at, money] = [charge.createdAt, moneyKnown(charge)];
  if (charge.state === 'unknown' || charge.state === 'sending')
    return [{ reported: charge.state, at, received: undefined }];
  const { received } = money ?? {};
  return money === undefined
    ? []
    : (['charged', money.payment] as const).map((reported) => ({ reported, at, received }));
};

/**
 * Counters that a charge belongs to by the time of its payment. A reversal takes its money off on the day on which it
 * was seen, so the day of the payment stays as it was.
 */
export const countsByPayment = (charge: Entry): readonly Counted[] => {
  const { paidAt, reversed, payment, received } = moneyKnown(charge) ?? {};
  if (paidAt === undefined || payment === undefined) return [];
  if (reversed === undefined) return [{ reported: payment, at: paidAt, received }];
  return [
    { reported: reversed.payment, at: paidAt, received: reversed.received },
    { reported: 'reversed', at: reversed.at, received: reversed.received && -reversed.received },
  ];
};

const added = (line: ReportLine, charge: Entry, received: number | undefined): ReportLine => {
  const amount = charge.asked?.amount;
  return {
    ...line,
    count: line.count + 1,
    amount: plus(line.amount, amount),
    withoutAmount: line.withoutAmount + (amount === undefined ? 1 : 0),
    received: plus(line.received, received),
    withoutReceived: line.withoutReceived + (received === undefined ? 1 : 0),
  };
};

/** Unnamed groups come last. */
const byName = (a: string | undefined, b: string | undefined): number => {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
};

/**
 * Sums charges by group, currency and counter. Of several open charges of a payment request the newest carries the
 * amount. Memory use depends on the size of the report and on the number of open charges, not on the size of the ledger.
 */
export const openLedgerReport =
  (
    countsOf: (charge: Entry) => readonly Counted[],
    groupsOf: (charge: Entry, at: number) => Groups,
    isMeant: (charge: Entry) => boolean,
  ) =>
  (): Reducer<readonly ReportLine[]> => {
    const lines = new Map<string, ReportLine>();
    /** By payment request: the lines of its newest open charge, and its amount. */
    const open = new Map<string, { readonly keys: string[]; readonly amount: number | undefined }>();
    const add = (charge: Entry): void => {
      const { currency, amount } = charge.asked ?? {};
      const keys: string[] = [];
      for (const { reported, at, received } of countsOf(charge)) {
        const groups = groupsOf(charge, at);
        const key = JSON.stringify([groups, currency, reported]);
        const none = { groups, currency, reported, count: 0 };
        const nothing = { amount: undefined, withoutAmount: 0, received: undefined, withoutReceived: 0 };
        lines.set(key, added(lines.get(key) ?? { ...none, ...nothing }, charge, received));
        keys.push(key);
      }
      if (paymentIn(charge) !== 'open') return;
      const older = open.get(charge.about);
      for (const key of older?.keys ?? []) {
        const line = lines.get(key);
        if (line !== undefined) lines.set(key, { ...line, amount: plus(line.amount, older?.amount, -1) });
      }
      open.set(charge.about, { keys, amount });
    };
    return {
      take: (entries) => {
        for (const entry of entries) if (isCharge(entry) && isMeant(entry)) add(entry);
      },
      end: () =>
        [...lines.values()].sort(
          (a, b) =>
            (a.groups.map((name, at) => byName(name, b.groups[at])).find((order) => order !== 0) ?? 0) ||
            byName(a.currency, b.currency) ||
            REPORTED.indexOf(a.reported) - REPORTED.indexOf(b.reported),
        ),
    };
  };
