import type { ChargeTerms } from './entry.ts';

/** Amounts by currency, in the minor unit. */
export type Amounts = Readonly<Record<string, number>>;

/** What may be charged in a day, and how. What is left out has no limit. */
export interface Policy {
  readonly maxCharges?: number | undefined;
  /** Where it is there, currencies that it doesn't name are not charged at all. */
  readonly maxAmount?: Amounts | undefined;
  readonly mediums?: readonly string[] | undefined;
  /** A file of charges that comes to more than this needs the approval of another person. */
  readonly approveAbove?: Amounts | undefined;
}

/** What stands for every profile without a policy of its own, and for charges without a profile. */
export const OTHERS = '*';

/** A policy as it was set last, by whom and when, in milliseconds since the epoch. */
export interface KeptPolicy {
  /** A profile's name, or `OTHERS`. */
  readonly profile: string;
  /** Undefined: it was removed. */
  readonly policy: Policy | undefined;
  readonly by: string;
  readonly at: number;
}

/** Whose charges count, and since when: milliseconds since the epoch, by the ledger's clock. */
export interface AllowanceOf {
  readonly profile: string | undefined;
  readonly since: number;
}

/** The charges that count: those that were made, or may have been, and are not known to have failed. */
export interface Spent {
  readonly count: number;
  /** In the minor unit, by currency: of those whose amounts the policy limits. */
  readonly amounts: ReadonlyMap<string, bigint>;
  /** How many of them have no known amount. */
  readonly unknown: number;
}

/** What a profile may charge, and what it has charged. */
export interface Allowance {
  readonly kept: KeptPolicy & { readonly policy: Policy };
  /** Nothing, where the policy doesn't count (see `isCounted`). */
  readonly spent: Spent;
}

export const NOTHING_SPENT: Spent = { count: 0, amounts: new Map(), unknown: 0 };

/** Whether what was charged before makes a difference. */
export const isCounted = ({ maxCharges, maxAmount }: Policy): boolean =>
  maxCharges !== undefined || maxAmount !== undefined;

const DAY_MS = 24 * 3_600_000;

/** When the day began, in UTC, that a moment belongs to. Both in milliseconds since the epoch. */
export const dayOf = (at: number): number => at - (((at % DAY_MS) + DAY_MS) % DAY_MS);

/** Why a policy forbids a charge. Amounts are in the minor unit. */
export type Forbidden =
  | { readonly why: 'medium'; readonly medium: string; readonly allowed: readonly string[] }
  | { readonly why: 'charges'; readonly most: number }
  | { readonly why: 'currency'; readonly currency: string; readonly allowed: readonly string[] }
  /** The charge's own amount is not known. */
  | { readonly why: 'no_amount' }
  /** So many charges of today have no known amount. */
  | { readonly why: 'unknown_amounts'; readonly count: number }
  | {
      readonly why: 'amount';
      readonly currency: string;
      readonly asked: number;
      readonly most: number;
      /** Less than nothing where the policy was lowered meanwhile. */
      readonly left: bigint;
    };

const amountForbids = (
  most: Amounts,
  { amounts, unknown }: Spent,
  { asked: { amount, currency } = {} }: Pick<ChargeTerms, 'asked'>,
): Forbidden | undefined => {
  if (amount === undefined || currency === undefined) return { why: 'no_amount' };
  const limit = Object.hasOwn(most, currency) ? most[currency] : undefined;
  if (limit === undefined) return { why: 'currency', currency, allowed: Object.keys(most) };
  if (unknown > 0) return { why: 'unknown_amounts', count: unknown };
  const left = BigInt(limit) - (amounts.get(currency) ?? 0n);
  return BigInt(amount) <= left ? undefined : { why: 'amount', currency, asked: amount, most: limit, left };
};

/** Why a charge is forbidden; undefined where it is allowed. First comes what is so whatever was charged before. */
export const forbids = (
  { kept: { policy }, spent }: Allowance,
  charge: Pick<ChargeTerms, 'asked'> & { readonly medium?: string },
): Forbidden | undefined => {
  const { mediums, maxCharges, maxAmount } = policy;
  const { medium = '' } = charge;
  if (mediums !== undefined && !mediums.includes(medium)) return { why: 'medium', medium, allowed: mediums };
  if (maxCharges !== undefined && spent.count >= maxCharges) return { why: 'charges', most: maxCharges };
  return maxAmount === undefined ? undefined : amountForbids(maxAmount, spent, charge);
};

/** Whether nothing more is let through today, but for charges that ask for less. */
export const isSpent = (forbidden: Forbidden): boolean =>
  forbidden.why === 'charges' ||
  forbidden.why === 'unknown_amounts' ||
  (forbidden.why === 'amount' && forbidden.asked <= forbidden.most);
