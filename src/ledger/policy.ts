import { PayError } from '../core/error.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import type { ChargeTerms, RequestTerms } from './entry.ts';

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

/** What rows of a file come to. */
export interface Total {
  readonly rows: number;
  /** By currency, in the minor unit. */
  readonly amounts: ReadonlyMap<string, bigint>;
  /** How many of the rows have no known amount. */
  readonly unknown: number;
}

/** One row more. */
export const withRow = ({ rows, amounts, unknown }: Total, { amount, currency }: RequestTerms): Total =>
  amount === undefined || currency === undefined
    ? { rows: rows + 1, amounts, unknown: unknown + 1 }
    : {
        rows: rows + 1,
        amounts: new Map([...amounts, [currency, (amounts.get(currency) ?? 0n) + BigInt(amount)]]),
        unknown,
      };

/** Both together. */
export const sumOf = (one: Total, other: Total): Total => {
  const amounts = new Map(one.amounts);
  for (const [currency, amount] of other.amounts) amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
  return { rows: one.rows + other.rows, amounts, unknown: one.unknown + other.unknown };
};

/** A file that needs another person's approval, and who has given it. Instants are milliseconds since the epoch. */
export interface Approval {
  readonly job: string;
  readonly total: Total;
  /** Who ran the file last without an approval. */
  readonly askedBy: string;
  readonly askedAt: number;
  readonly approvedBy?: string | undefined;
  readonly approvedAt?: number | undefined;
}

/** Whether a file comes to more than may be charged without approval. A currency that the policy doesn't name has no such sum. */
export const needsApproval = ({ approveAbove }: Policy, { amounts, unknown }: Total): boolean =>
  approveAbove !== undefined &&
  (unknown > 0 ||
    [...amounts].some(
      ([currency, amount]) =>
        amount > BigInt(Object.hasOwn(approveAbove, currency) ? (approveAbove[currency] ?? 0) : 0),
    ));

/** Whether what was approved is no less than this. */
const isWithin = (total: Total, approved: Total): boolean =>
  total.rows <= approved.rows &&
  total.unknown <= approved.unknown &&
  [...total.amounts].every(([currency, amount]) => amount <= (approved.amounts.get(currency) ?? 0n));

/** Ends the name of whoever acts in a user namespace, where one person can look like any account. */
export const IN_NAMESPACE = ' in a user namespace';

/** The other one, where that may be the same person; undefined where it is somebody else. */
export const mayBeSame = (me: string, other: string): string | undefined => {
  if (me === other) return `you, ${me}`;
  return [me, other].some((one) => one.endsWith(IN_NAMESPACE)) ? `${other}, who may be you, ${me}` : undefined;
};

/** What to do where it may be the same person: `hint` where it is. */
export const sameHint = (me: string, other: string, hint: string): string =>
  me === other
    ? hint
    : 'send and approve it outside of user namespaces (a rootless container is one), or share a ledger: `paycli ledger use`';

/**
 * What an approval is worth to whoever runs the file: it holds, there is none, it is their own, or it was given for less
 * than the file comes to now.
 */
export const worthOf = (
  approval: Approval | undefined,
  total: Total,
  runner: string,
): 'holds' | 'missing' | 'own' | 'outgrown' => {
  if (approval?.approvedBy === undefined) return 'missing';
  if (!isWithin(total, approval.total)) return 'outgrown';
  return mayBeSame(runner, approval.approvedBy) === undefined ? 'holds' : 'own';
};

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isAmounts = (value: unknown): boolean =>
  isJsonObject(value) && Object.entries(value).every(([name, amount]) => /^[A-Z]{3}$/.test(name) && isCount(amount));

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const CHECKS: Readonly<Record<keyof Policy, (value: unknown) => boolean>> = {
  maxCharges: isCount,
  maxAmount: isAmounts,
  mediums: isTexts,
  approveAbove: isAmounts,
};

const unreadable = (what: string, text: string): PayError =>
  new PayError('ledger', `the ledger holds ${what} that this paycli can't read: ${text}`, {
    hint: 'use the newer paycli that has written it',
  });

/** A policy as it is kept. */
export const policyText = (policy: Policy): string => JSON.stringify(policy);

/** A policy that was kept. Throws for a text that is none: a limit that is not understood must not be passed over. */
export const readPolicy = (text: string): Policy => {
  const policy = parseIfJson(text);
  const isWhole =
    isJsonObject(policy) &&
    Object.entries(policy).every(([name, value]) => Object.hasOwn(CHECKS, name) && CHECKS[name as keyof Policy](value));
  if (!isWhole) throw unreadable('a policy', text);
  return policy;
};

/** Sums as they are kept: digits, since they may be more than a number can hold. */
export const amountsText = (amounts: Total['amounts']): string =>
  JSON.stringify(Object.fromEntries([...amounts].map(([currency, amount]) => [currency, String(amount)])));

/** Sums that were kept. Throws for a text that holds none. */
export const readAmounts = (text: string): Total['amounts'] => {
  const amounts = parseIfJson(text);
  const isWhole =
    isJsonObject(amounts) &&
    Object.values(amounts).every((digits) => typeof digits === 'string' && /^\d+$/.test(digits));
  if (!isWhole) throw unreadable('an approval', text);
  return new Map(Object.entries(amounts).map(([currency, digits]) => [currency, BigInt(String(digits))]));
};
