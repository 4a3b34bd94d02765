import type { RequestTerms } from './entry.ts';
import type { Policy } from './policy.ts';

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
