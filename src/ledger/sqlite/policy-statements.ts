import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { number, optionalText } from '../../database/values.ts';
import type { Approval } from '../approval.ts';
import type { Row } from '../columns.ts';
import type { Allowance, AllowanceOf, KeptPolicy, Policy, Spent } from '../policy.ts';
import { isCounted, NOTHING_SPENT, OTHERS } from '../policy.ts';
import { APPROVAL, approvalOf, approvalValues, POLICY, policyOf, policyValues, replacing } from '../policy-rows.ts';
import { COUNTING } from './schema.ts';
import { placesFor, preparing, rowsOf } from './statements.ts';

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

/** The SQL of policies and approvals. Everything runs in the transaction of whoever calls. */
export const policyStatements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const all = (query: string, ...values: SQLInputValue[]): readonly Row[] => rowsOf(sql(query), ...values);
  const policies = (rest: string, ...values: SQLInputValue[]): Allowance['kept'][] =>
    all(`SELECT ${POLICY} FROM policy WHERE policy IS NOT NULL ${rest}`, ...values).map(policyOf);
  const policyFor = (profile: string): Allowance['kept'] | undefined => policies('AND profile = ?', profile)[0];
  const spent = ({ maxAmount = {} }: Policy, { profile, since }: AllowanceOf): Spent => {
    const currencies = Object.keys(maxAmount);
    return spentOf(all(spentSql(currencies), ...currencies, profile ?? null, since)[0] ?? [], currencies);
  };
  return {
    allowance: (of: AllowanceOf): Allowance | undefined => {
      // One after the other: to look for both at once takes each charge longer.
      const kept = (of.profile === undefined ? undefined : policyFor(of.profile)) ?? policyFor(OTHERS);
      return kept && { kept, spent: isCounted(kept.policy) ? spent(kept.policy, of) : NOTHING_SPENT };
    },
    list: (): Allowance['kept'][] => policies('ORDER BY profile'),
    set: (policy: KeptPolicy): void => {
      sql(replacing('policy', POLICY, placesFor(POLICY))).run(...policyValues(policy));
    },
    approval: (job: string): Approval | undefined =>
      all(`SELECT ${APPROVAL} FROM approval WHERE job = ?`, job).map(approvalOf)[0],
    approve: (approval: Approval): void => {
      sql(replacing('approval', APPROVAL, placesFor(APPROVAL))).run(...approvalValues(approval));
    },
  };
};
