import { CHARGE, ENDED_STATUSES, isRefunded, PAYMENTS, type Payment, paymentStatusOf } from '../core/charge.ts';
import { type Entry, isCharge, type Moment } from './entry.ts';
import { payableFor, wasSeenExpired } from './guard.ts';
import type { ListFilter, Reducer } from './ledger.ts';

/** Payment that a final status stands for; undefined for any other status. */
const finalPayment = (status: string): Exclude<Payment, 'open'> | undefined => {
  const standing = paymentStatusOf(status);
  if (isRefunded(status)) return 'refunded';
  if (standing === 'failed') return status === 'expired' ? 'expired' : 'failed';
  return standing === 'open' ? undefined : standing;
};

/**
 * Returns undefined for other kinds than charges, and for charges not known to be made. An account counts as expired
 * once somebody has read its status after the expiry.
 */
export const paymentOf = (charge: Entry, moment: Moment): Payment | undefined => {
  if (!isCharge(charge) || charge.state !== 'accepted') return undefined;
  const ended = finalPayment(charge.activity?.status ?? '');
  if (ended !== undefined) return ended;
  return (payableFor(charge, moment) ?? 1) <= 0 && wasSeenExpired(charge) ? 'expired' : 'open';
};

/** Filter for charges that may have one of these payments. A status alone tells neither open nor expired. */
export const filterForPayments = (
  payments: readonly Payment[],
): Pick<ListFilter, 'kind' | 'statuses' | 'unfinished'> => {
  if (payments.every((payment) => payment === 'open')) return { kind: CHARGE, unfinished: true };
  if (payments.some((payment) => payment === 'open' || payment === 'expired')) return { kind: CHARGE };
  const isMeant = (status: string): boolean => payments.some((payment) => payment === finalPayment(status));
  return { kind: CHARGE, statuses: ENDED_STATUSES.filter(isMeant) };
};

/** Outcomes that a sync sums up, in output order. `not_created` stands for those that it found not created. */
export const SYNCED = [...PAYMENTS, 'unknown', 'not_created'] as const;
export type Synced = (typeof SYNCED)[number];

/** Number and sum of charges of one payment state and currency. The sum is in the minor unit. */
export interface Sum<P extends string = Payment> {
  readonly payment: P;
  readonly currency: string | undefined;
  readonly count: number;
  /** Undefined if no amount is known. */
  readonly amount: bigint | undefined;
}

/** Sums charges by payment state and currency. The result follows the order of `kinds`. */
export const openSums = <P extends string>(kinds: readonly P[]) => {
  const sums = new Map<string, Sum<P>>();
  const change = ({ asked = {} }: Entry, payment: P, by: 1 | -1): void => {
    const { amount, currency } = asked;
    const key = `${payment} ${currency}`;
    const { count = 0, amount: before } = sums.get(key) ?? {};
    const sum = amount === undefined ? before : (before ?? 0n) + BigInt(by * amount);
    sums.set(key, { payment, currency, count: count + by, amount: sum });
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
export type Sums = ReturnType<typeof openSums<Payment>>;

/**
 * Counters of a report, in output order: all charges, their payment states, and then charges with an unknown outcome
 * and charges being sent.
 */
const REPORTED = ['charged', ...PAYMENTS, 'unknown', 'sending'] as const;
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
}

/** Counters that a charge belongs to; none if it was certainly not made. */
const countedAs = (charge: Entry, moment: Moment): readonly Reported[] => {
  if (charge.state === 'unknown' || charge.state === 'sending') return [charge.state];
  const payment = paymentOf(charge, moment);
  return payment === undefined ? [] : ['charged', payment];
};

const added = (line: ReportLine, amount: number | undefined): ReportLine => ({
  ...line,
  count: line.count + 1,
  ...(amount === undefined
    ? { withoutAmount: line.withoutAmount + 1 }
    : { amount: (line.amount ?? 0n) + BigInt(amount) }),
});

/** Unnamed groups come last. */
const byName = (a: string | undefined, b: string | undefined): number => {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
};

/** Sums charges by group, currency and counter. Memory use depends on the size of the report, not of the ledger. */
export const openReport =
  (groupsOf: (charge: Entry) => Groups, isMeant: (charge: Entry) => boolean, moment: Moment) =>
  (): Reducer<readonly ReportLine[]> => {
    const lines = new Map<string, ReportLine>();
    const add = (charge: Entry): void => {
      const { amount, currency } = charge.asked ?? {};
      const groups = groupsOf(charge);
      for (const reported of countedAs(charge, moment)) {
        const key = JSON.stringify([groups, currency, reported]);
        const none: ReportLine = { groups, currency, reported, count: 0, amount: undefined, withoutAmount: 0 };
        lines.set(key, added(lines.get(key) ?? none, amount));
      }
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
