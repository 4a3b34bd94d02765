import type { Row } from '../columns.ts';
import { type Allowance, type AllowanceOf, isCounted, NOTHING_SPENT, OTHERS, type Spent } from '../policy.ts';
import { POLICY, policyOf } from '../sql/policy-rows.ts';
import { COUNTING } from '../sqlite/schema.ts';
import type { Answer } from './session.ts';
import { list, literal } from './sql.ts';

/** The policy that holds for a profile: its own first, since `OTHERS` comes before all that a profile can be called. */
const heldStatement = ({ profile }: AllowanceOf): string => `SELECT ${POLICY} FROM paycli.policy
  WHERE profile IN ${list([profile ?? OTHERS, OTHERS])} AND policy IS NOT NULL ORDER BY profile COLLATE "C" DESC LIMIT 1`;

/** By the server's clock as the transaction began: the machine's may have been set since it was last compared. */
const DAY_BEGAN = '(floor(extract(epoch FROM now()) / 86400::numeric) * 86400000::numeric)::bigint';

/** What the profile has spent, by currency; nothing is counted where there is no policy. Sums may be more than a number can hold. */
const spentStatement = ({ profile, since }: AllowanceOf): string => `SELECT currency, count(*), sum(amount)::text,
  count(*) FILTER (WHERE amount IS NULL OR currency IS NULL) FROM paycli.charge
  WHERE profile ${profile === undefined ? 'IS NULL' : `= ${literal(profile)}`} AND created_at >= LEAST(${since}, ${DAY_BEGAN}) AND ${COUNTING}
  AND EXISTS (SELECT 1 FROM paycli.policy WHERE profile IN ${list([profile ?? OTHERS, OTHERS])} AND policy IS NOT NULL)
  GROUP BY currency`;

export const allowanceLooks = (of: AllowanceOf): readonly string[] => [heldStatement(of), spentStatement(of)];

const sumOf = (rows: Answer['rows'], at: number): number => rows.reduce((sum, row) => sum + Number(row[at]), 0);

const spentOf = ({ rows }: Answer, currencies: readonly string[]): Spent => {
  const amounts = new Map(rows.map(([currency, , amount]) => [currency, BigInt(String(amount ?? 0))]));
  return {
    count: sumOf(rows, 1),
    unknown: sumOf(rows, 3),
    amounts: new Map(currencies.map((currency) => [currency, amounts.get(currency) ?? 0n])),
  };
};

/** What the answers to `allowanceLooks` say. */
export const allowanceOf = ([held, spent]: readonly Answer[]): Allowance | undefined => {
  const found = held?.rows[0];
  if (found === undefined) return undefined;
  const kept = policyOf(found as Row);
  const counted = spent !== undefined && isCounted(kept.policy);
  return { kept, spent: counted ? spentOf(spent, Object.keys(kept.policy.maxAmount ?? {})) : NOTHING_SPENT };
};

/** Whoever charges under a policy that counts does so alone. */
export const allowanceKey = ({ profile }: AllowanceOf): string => `spends ${profile ?? ''}`;
