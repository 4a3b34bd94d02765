import { isRefunded, standingOf } from '../core/charge.ts';
import { type Entry, isCharge, type Moment } from './entry.ts';
import { payableFor, wasSeenExpired } from './guard.ts';

/** What has become of the money of an accepted charge, in the order in which it is told. */
export const PAYMENTS = ['paid', 'refunded', 'open', 'expired', 'failed'] as const;
export type Payment = (typeof PAYMENTS)[number];

/** Undefined for what is no charge, or not known to have been made. An account counts as expired once somebody has looked since. */
export const paymentOf = (charge: Entry, moment: Moment): Payment | undefined => {
  if (!isCharge(charge) || charge.state !== 'accepted') return undefined;
  const status = charge.activity?.status ?? '';
  const standing = standingOf(status);
  if (isRefunded(status)) return 'refunded';
  if (standing === 'failed') return status === 'expired' ? 'expired' : 'failed';
  if (standing !== 'open') return standing;
  return (payableFor(charge, moment) ?? 1) <= 0 && wasSeenExpired(charge) ? 'expired' : 'open';
};

/** How many charges there are of one kind and currency, and what they come to in the minor unit. */
export interface Sum<P extends string = Payment> {
  readonly payment: P;
  readonly currency: string | undefined;
  readonly count: number;
  /** Undefined where no amount is known. */
  readonly amount: bigint | undefined;
}

/** Adds charges up, by what they are and currency; told in the order of `kinds`. */
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
    /** The same charge, as something else; `before` is what was added, of which less may have been known. */
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
