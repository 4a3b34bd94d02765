import { PAYMENT_NAMES, type Payment } from '../charge/payment.ts';
import type { Entry } from './entry.ts';
import type { ChargeSum, Period, Reducer } from './ledger.ts';
import { moneyKnown } from './transitions.ts';

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
  /** Number of those whose payment request was paid twice. */
  readonly paidTwice: number;
}

/** Adds an amount to a sum, `by` times. An unknown one leaves it as it is. */
const plus = (sum: bigint | undefined, amount: bigint | number | undefined, by = 1): bigint | undefined =>
  amount === undefined ? sum : (sum ?? 0n) + BigInt(by) * BigInt(amount);

/** Sums charges by payment state and currency. The result follows the order of `kinds`. */
export const openSums = <P extends string>(kinds: readonly P[]) => {
  const sums = new Map<string, Sum<P>>();
  return {
    /** Adds a charge, or with -1 takes it off as it was added, when less of it may have been known. */
    add: (charge: Entry, payment: P, by: 1 | -1 = 1): void => {
      const { amount, currency } = charge.asked ?? {};
      const key = `${payment} ${currency}`;
      const before = sums.get(key);
      const money = moneyKnown(charge);
      sums.set(key, {
        payment,
        currency,
        count: (before?.count ?? 0) + by,
        amount: plus(before?.amount, amount, by),
        received: plus(before?.received, money?.received, by),
        short: (before?.short ?? 0) + ((money?.missing ?? 0) > 0 ? by : 0),
        paidTwice: (before?.paidTwice ?? 0) + (money?.isPaidTwice ? by : 0),
      });
    },
    all: (): Sum<P>[] =>
      [...sums.values()]
        .filter(({ count }) => count > 0)
        .sort((a, b) => kinds.indexOf(a.payment) - kinds.indexOf(b.payment) || b.count - a.count),
  };
};

/**
 * Counters of a report, in output order: all charges, their payment states, then charges with an unknown outcome and
 * charges being sent, then refunds, and at last money that came too much.
 */
const REPORTED = ['charged', ...PAYMENT_NAMES, 'unknown', 'sending', 'paid_back', 'refund_open', 'too_much'] as const;
type Reported = (typeof REPORTED)[number];

type Groups = readonly (string | undefined)[];

/** Sum that counts in a report. */
export interface Counted extends ChargeSum {
  readonly reported: Reported;
}

/** One counter of a report, with its sum in the minor unit. */
export interface ReportLine extends Counted {
  /** Common values of the charges, in output order; undefined for a value that they lack. */
  readonly groups: Groups;
}

/** Counter of the money that came too much. */
const tooMuch = (sum: ChargeSum): readonly Counted[] => {
  const { count, amount } = sum.excess;
  const none = { received: undefined, withoutAmount: 0, withoutReceived: 0 };
  return count === 0 ? [] : [{ ...sum, ...none, reported: 'too_much', count, charges: count, amount }];
};

/** Counters that charges belong to by the time of the charge; none if they were certainly not made. */
export const countsByCharge = (sum: ChargeSum): readonly Counted[] => {
  const { state, payment } = sum;
  if (state === 'unknown' || state === 'sending') return [{ ...sum, reported: state }];
  if (payment === undefined) return [];
  return [...(['charged', payment] as const).map((reported) => ({ ...sum, reported })), ...tooMuch(sum)];
};

/**
 * Counters that charges belong to by the time of their payment. A reversal takes its money off on the day on which it
 * was seen, so the day of the payment stays as it was.
 */
export const countsByPayment =
  ({ since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: Period) =>
  (sum: ChargeSum): readonly Counted[] => {
    const { payment, charges, money } = sum;
    if (payment === undefined) return [];
    if (money === undefined) return [{ ...sum, reported: payment }, ...tooMuch(sum)];
    const counted = (reported: Payment, at: number, each: number | undefined): Counted[] => {
      if (at < since || at >= until) return [];
      const received = each === undefined ? undefined : BigInt(charges) * BigInt(each);
      return [{ ...sum, reported, at, received, withoutReceived: each === undefined ? charges : 0 }];
    };
    const { paidAt, reversed, received } = money;
    if (paidAt === undefined) return [];
    if (reversed === undefined) return counted(payment, paidAt, received);
    const back = reversed.received && -reversed.received;
    return [...counted(reversed.payment, paidAt, reversed.received), ...counted('reversed', reversed.at, back)];
  };

/** Unnamed groups come last. */
const byName = (a: string | undefined, b: string | undefined): number => {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
};

/** Adds up sums by group, currency and counter. Memory use depends on the size of the report. */
export const openLedgerReport =
  (countsOf: (sum: ChargeSum) => readonly Counted[], groupsOf: (sum: ChargeSum) => Groups) =>
  (): Reducer<readonly ReportLine[], ChargeSum> => {
    const lines = new Map<string, ReportLine>();
    const add = (counted: Counted): void => {
      const { currency, reported, count, charges, amount, withoutAmount, received, withoutReceived } = counted;
      const groups = groupsOf(counted);
      const key = JSON.stringify([groups, currency, reported]);
      const line = lines.get(key);
      lines.set(key, {
        ...counted,
        groups,
        count: count + (line?.count ?? 0),
        charges: charges + (line?.charges ?? 0),
        amount: plus(line?.amount, amount),
        withoutAmount: withoutAmount + (line?.withoutAmount ?? 0),
        received: plus(line?.received, received),
        withoutReceived: withoutReceived + (line?.withoutReceived ?? 0),
      });
    };
    return {
      take: (sums) => {
        for (const counted of sums.flatMap(countsOf)) add(counted);
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
