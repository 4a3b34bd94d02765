import { number, optionalText } from '../../database/values.ts';
import type { Row } from '../columns.ts';
import type { Allowance, AllowanceOf, Policy, Spent } from '../policy.ts';
import { isCounted, NOTHING_SPENT, OTHERS } from '../policy.ts';
import { POLICY, policyOf } from '../sql/policy-rows.ts';
import type { Statement } from '../sql/statement.ts';
import { COUNTING } from './schema.ts';

/** Sums as texts: they may be more than a number can hold. */
const spentSql = (currencies: readonly string[]): string => `SELECT
  count(*), count(*) FILTER (WHERE amount IS NULL OR currency IS NULL)
  ${currencies.map(() => ', CAST(sum(amount) FILTER (WHERE currency = ?) AS TEXT)').join('')}
  FROM charge WHERE profile IS ? AND created_at >= ? AND ${COUNTING}`;

const spentOf = ([count, unknown, ...amounts]: Row, currencies: readonly string[]): Spent => ({
  count: number(count),
  unknown: number(unknown),
  amounts: new Map(currencies.map((currency, at) => [currency, BigInt(optionalText(amounts[at]) ?? 0)])),
});

/** What a profile may charge, and what it has charged, in the transaction of whoever calls. */
export const allowanceIn = (rows: (...statement: Statement) => readonly Row[]) => {
  const policyFor = (profile: string): Allowance['kept'] | undefined =>
    rows(`SELECT ${POLICY} FROM policy WHERE policy IS NOT NULL AND profile = ?`, profile).map(policyOf)[0];
  const spent = ({ maxAmount = {} }: Policy, { profile, since }: AllowanceOf): Spent => {
    const currencies = Object.keys(maxAmount);
    return spentOf(rows(spentSql(currencies), ...currencies, profile ?? null, since)[0] ?? [], currencies);
  };
  return (of: AllowanceOf): Allowance | undefined => {
    // One after the other: to look for both at once takes each charge longer.
    const kept = (of.profile === undefined ? undefined : policyFor(of.profile)) ?? policyFor(OTHERS);
    return kept && { kept, spent: isCounted(kept.policy) ? spent(kept.policy, of) : NOTHING_SPENT };
  };
};
