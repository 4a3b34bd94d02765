import { createCipheriv, createDecipheriv } from 'node:crypto';
import { attempt } from '../core/async.ts';
import { CHARGE, REFUND } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import { DAY_MS } from '../core/time.ts';
import type { ChargeTerms, RequestTerms } from './entry.ts';

/** Amounts by currency, in the minor unit. */
export type Amounts = Readonly<Record<string, number>>;

/** Limits per day. An omitted limit does not apply. */
export interface Policy {
  readonly maxCharges?: number | undefined;
  /** If present, charges in currencies that it doesn't name are forbidden. */
  readonly maxAmount?: Amounts | undefined;
  readonly mediums?: readonly string[] | undefined;
  /** Sum above which a file of charges needs another person's approval. A ledger file refuses every file under it. */
  readonly approveAbove?: Amounts | undefined;
  readonly maxRefunds?: number | undefined;
  /** If present, refunds in currencies that it doesn't name are forbidden. */
  readonly maxRefundAmount?: Amounts | undefined;
}

/** Name of the policy for charges without a profile and for profiles without a policy of their own. */
export const OTHER_PROFILES = '*';

/** Last policy set for a profile, with who set it and when (milliseconds since the epoch). */
export interface KeptPolicy {
  /** Name of a profile, or `OTHER_PROFILES`. */
  readonly profile: string;
  /** Undefined once the policy was removed. */
  readonly policy: Policy | undefined;
  readonly by: string;
  readonly at: number;
}

/** Rule for the next policy of a profile, from its own one before. */
export type PolicyChange = (before: Policy | undefined) => Omit<KeptPolicy, 'profile'>;

/**
 * Selects the charges or refunds that count: those of a profile since a moment, in milliseconds since the epoch by the
 * ledger's clock.
 */
export interface AllowanceOf {
  /** `CHARGE` if omitted, else `REFUND`. */
  readonly kind?: string | undefined;
  readonly profile: string | undefined;
  readonly since: number;
  /** File that the charge belongs to. */
  readonly job?: string | undefined;
}

/** Policy of a profile, and its use so far. */
export interface Allowance {
  readonly kept: KeptPolicy & { readonly policy: Policy };
  /**
   * Charges or refunds that count against the policy: those that were or may have been made, and are not known to have
   * failed. Has only the currencies whose amounts the policy limits; `NO_TOTAL` if it limits nothing that is counted.
   */
  readonly spent: Total;
  /** Charges of the file that count, and its approval; undefined without a file, or if the policy wants no approvals. */
  readonly file?: { readonly charged: Total; readonly approval: Approval | undefined } | undefined;
}

/** Limits on the number and the sums of charges or refunds. */
export const limitsOf = (policy: Policy, kind = CHARGE) =>
  kind === REFUND
    ? { most: policy.maxRefunds, sums: policy.maxRefundAmount }
    : { most: policy.maxCharges, sums: policy.maxAmount };

/** True if the policy limits something that earlier charges or refunds use up. */
export const isCounted = (policy: Policy, kind: string | undefined): boolean =>
  Object.values(limitsOf(policy, kind)).some((limit) => limit !== undefined);

/** Start of the UTC day that a moment belongs to. Both are milliseconds since the epoch. */
export const dayOf = (at: number): number => at - (((at % DAY_MS) + DAY_MS) % DAY_MS);

/** Reason why a policy forbids a charge or a refund. Amounts are in the minor unit. */
export type Forbidden =
  | { readonly why: 'medium'; readonly medium: string; readonly allowed: readonly string[] }
  | { readonly why: 'charges'; readonly most: number }
  | { readonly why: 'currency'; readonly currency: string; readonly allowed: readonly string[] }
  /** Its own amount is not known. */
  | { readonly why: 'no_amount' }
  /** Number of today's without a known amount. */
  | { readonly why: 'unknown_amounts'; readonly count: number }
  | {
      readonly why: 'amount';
      readonly currency: string;
      readonly asked: number;
      readonly most: number;
      /** Negative if the policy was lowered after some charges were made. */
      readonly left: bigint;
    }
  /** With this charge, its file exceeds what may be sent without another approval. */
  | { readonly why: 'unapproved'; readonly asked: RequestTerms };

const amountForbids = (
  most: Amounts,
  { amounts, unknown }: Total,
  { asked: { amount, currency } = {} }: Pick<ChargeTerms, 'asked'>,
): Forbidden | undefined => {
  if (amount === undefined || currency === undefined) return { why: 'no_amount' };
  const limit = Object.hasOwn(most, currency) ? most[currency] : undefined;
  if (limit === undefined) return { why: 'currency', currency, allowed: Object.keys(most) };
  if (unknown > 0) return { why: 'unknown_amounts', count: unknown };
  const left = BigInt(limit) - (amounts.get(currency) ?? 0n);
  return BigInt(amount) <= left ? undefined : { why: 'amount', currency, asked: amount, most: limit, left };
};

/**
 * Returns why a charge or a refund is forbidden, or undefined if it is allowed. Reasons that hold whatever was charged before come
 * first.
 */
export const forbids = (
  { kept: { policy }, spent, file }: Allowance,
  intent: Pick<ChargeTerms, 'asked'> & {
    readonly kind?: string;
    readonly medium?: string;
    readonly operator?: string | undefined;
  },
): Forbidden | undefined => {
  const { mediums } = policy;
  const { kind = CHARGE, medium = '', asked = {}, operator = '' } = intent;
  const { most, sums } = limitsOf(policy, kind);
  if (kind === CHARGE && mediums?.includes(medium) === false) return { why: 'medium', medium, allowed: mediums };
  if (most !== undefined && spent.rows >= most) return { why: 'charges', most };
  const forbidden = sums && amountForbids(sums, spent, intent);
  if (forbidden !== undefined || file === undefined) return forbidden;
  const worth = worthOf(policy, file.approval, withRow(file.charged, asked), operator);
  return worth === 'holds' ? undefined : { why: 'unapproved', asked };
};

/** True if today's allowance is used up, except for charges of a smaller amount. */
export const isSpent = (forbidden: Forbidden): boolean =>
  forbidden.why === 'charges' ||
  forbidden.why === 'unknown_amounts' ||
  forbidden.why === 'unapproved' ||
  (forbidden.why === 'amount' && forbidden.asked <= forbidden.most);

/** Totals of some charges or refunds, or of rows of a file. */
export interface Total {
  readonly rows: number;
  /** By currency, in the minor unit. */
  readonly amounts: ReadonlyMap<string, bigint>;
  /** Number of rows without a known amount. */
  readonly unknown: number;
}

export const addTotals = (one: Total, other: Total): Total => {
  const amounts = new Map(one.amounts);
  for (const [currency, amount] of other.amounts) amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
  return { rows: one.rows + other.rows, amounts, unknown: one.unknown + other.unknown };
};

/** Adds one row to a total. */
export const withRow = (total: Total, { amount, currency }: RequestTerms): Total =>
  amount === undefined || currency === undefined
    ? addTotals(total, { rows: 1, amounts: new Map(), unknown: 1 })
    : addTotals(total, { rows: 1, amounts: new Map([[currency, BigInt(amount)]]), unknown: 0 });

export const NO_TOTAL: Total = { rows: 0, amounts: new Map(), unknown: 0 };

/** Counts charges that are only planned as if they had been made. */
export const withPlan = (allowance: Allowance | undefined, plan: Total): Allowance | undefined => {
  if (allowance === undefined) return undefined;
  const { spent, file } = allowance;
  const planned = file && { ...file, charged: addTotals(file.charged, plan) };
  return { ...allowance, spent: addTotals(spent, plan), file: planned };
};

/** Approval state of a file or plan that a person must approve. Instants are milliseconds since the epoch. */
export interface Approval {
  readonly job: string;
  readonly total: Total;
  /** Person who last ran the file without an approval. */
  readonly askedBy: string;
  readonly askedAt: number;
  readonly approvedBy?: string | undefined;
  readonly approvedAt?: number | undefined;
}

/** Kind of the id of a charge that an agent has planned. Such a job has one row. */
export const PLAN = 'plan';

export const isPlan = (id: string): boolean => id.startsWith(`${PLAN}-`);

/** Time in which a plan can be approved and carried out, in milliseconds. */
export const PLAN_VALID_MS = 600_000;

type Digester = { readonly digest: (text: string) => string };

/**
 * Encryption of the text of a plan, which names the customer and the whole phone number to the person who approves it.
 * The ledger stores it in place of a file's name, and has the key: this keeps the text out of lists and copied rows, and
 * not from a reader of the whole ledger.
 */
const ALGORITHM = 'aes-256-gcm';
const CIPHER_TAG_BYTES = 16;
/** A key is used once. */
const ONCE = Buffer.alloc(12);

/** A digest in hex has the length of the key. */
const planKey = ({ digest }: Digester, plan: string): Buffer => Buffer.from(digest(`text of ${plan}`));

export const sealedText = (ledger: Digester, plan: string, text: string): string => {
  const cipher = createCipheriv(ALGORITHM, planKey(ledger, plan), ONCE);
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

/** The text; undefined once the ledger has deleted it. */
export const textOfPlan = (ledger: Digester, plan: string, sealed: string): string | undefined =>
  attempt(() => {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, planKey(ledger, plan), ONCE, { authTagLength: CIPHER_TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-CIPHER_TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -CIPHER_TAG_BYTES)), decipher.final()]).toString();
  });

/**
 * True if a file's total exceeds what may be charged without approval. A currency that the policy doesn't name always
 * needs approval, and so does an unknown amount.
 */
const needsApproval = ({ approveAbove }: Policy, { amounts, unknown }: Total): boolean =>
  approveAbove !== undefined &&
  (unknown > 0 ||
    [...amounts].some(
      ([currency, amount]) =>
        amount > BigInt(Object.hasOwn(approveAbove, currency) ? (approveAbove[currency] ?? 0) : 0),
    ));

/** True if the approved total covers this one. */
const isWithin = (total: Total, approved: Total): boolean =>
  total.rows <= approved.rows &&
  total.unknown <= approved.unknown &&
  [...total.amounts].every(([currency, amount]) => amount <= (approved.amounts.get(currency) ?? 0n));

/**
 * Checks if the person who runs a file may send this total of it. `own` means that they approved it themselves,
 * `outgrown` that it was approved for less. `holds` also without an approval, if the total needs none.
 */
export const worthOf = (
  policy: Policy,
  approval: Approval | undefined,
  total: Total,
  runner: string,
): 'holds' | 'missing' | 'own' | 'outgrown' => {
  if (!needsApproval(policy, total)) return 'holds';
  if (approval?.approvedBy === undefined) return 'missing';
  if (!isWithin(total, approval.total)) return 'outgrown';
  return runner === approval.approvedBy ? 'own' : 'holds';
};

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isAmounts = (value: unknown): boolean =>
  isJsonObject(value) && Object.entries(value).every(([name, amount]) => /^[A-Z]{3}$/.test(name) && isCount(amount));

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const POLICY_CHECKS: Readonly<Record<keyof Policy, (value: unknown) => boolean>> = {
  maxCharges: isCount,
  maxAmount: isAmounts,
  mediums: isTexts,
  approveAbove: isAmounts,
  maxRefunds: isCount,
  maxRefundAmount: isAmounts,
};

const unreadablePolicy = (what: string, text: string): PayError =>
  new PayError('ledger', `the ledger holds ${what} that this paycli can't read: ${text}`, {
    hint: 'use the newer paycli that has written it',
  });

/** Serializes a policy for storage. */
export const policyText = (policy: Policy): string => JSON.stringify(policy);

/**
 * Parses a stored policy. Throws a `ledger` error if it doesn't understand the text, since an unknown limit must not be
 * ignored.
 */
export const readPolicy = (text: string): Policy => {
  const policy = parseIfJson(text);
  const isWhole =
    isJsonObject(policy) &&
    Object.entries(policy).every(
      ([name, value]) => Object.hasOwn(POLICY_CHECKS, name) && POLICY_CHECKS[name as keyof Policy](value),
    );
  if (!isWhole) throw unreadablePolicy('a policy', text);
  return policy;
};

/** Serializes sums for storage, as digits: they may exceed a JavaScript number. */
export const amountsText = (amounts: Total['amounts']): string =>
  JSON.stringify(Object.fromEntries([...amounts].map(([currency, amount]) => [currency, String(amount)])));

/** Parses stored sums. Throws a `ledger` error if the text holds none. */
export const readAmounts = (text: string): Total['amounts'] => {
  const amounts = parseIfJson(text);
  const isWhole =
    isJsonObject(amounts) &&
    Object.values(amounts).every((digits) => typeof digits === 'string' && /^\d+$/.test(digits));
  if (!isWhole) throw unreadablePolicy('an approval', text);
  return new Map(Object.entries(amounts).map(([currency, digits]) => [currency, BigInt(String(digits))]));
};
