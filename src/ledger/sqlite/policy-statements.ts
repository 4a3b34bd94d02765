import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Approval } from '../approval.ts';
import type { Allowance, AllowanceOf, KeptPolicy, Policy, Spent } from '../policy.ts';
import { isCounted, NOTHING_SPENT, OTHERS } from '../policy.ts';
import { amountsText, policyText, readAmounts, readPolicy } from '../policy-text.ts';
import { number, optionalNumber, optionalText, text } from '../rows.ts';
import { COUNTING } from './schema.ts';
import { preparing } from './statements.ts';

type Named = Readonly<Record<string, SQLOutputValue>>;

const keptOf = (row: Named): Allowance['kept'] => ({
  profile: text(row['profile']),
  policy: readPolicy(text(row['policy'])),
  by: text(row['set_by']),
  at: number(row['set_at']),
});

const approvalOf = (row: Named): Approval => ({
  job: text(row['job']),
  total: {
    rows: number(row['rows']),
    amounts: readAmounts(text(row['amounts'])),
    unknown: number(row['unknown']),
  },
  askedBy: text(row['asked_by']),
  askedAt: number(row['asked_at']),
  approvedBy: optionalText(row['approved_by']),
  approvedAt: optionalNumber(row['approved_at']),
});

/** Sums as texts: they may be more than a number can hold. */
const spentSql = (currencies: readonly string[]): string => `SELECT
  ${currencies.map((_currency, at) => `CAST(sum(amount) FILTER (WHERE currency = ?) AS TEXT) AS amount_${at}, `).join('')}
  count(*) AS count, count(*) FILTER (WHERE amount IS NULL OR currency IS NULL) AS unknown
  FROM charge WHERE profile IS ? AND created_at >= ? AND ${COUNTING}`;

const spentOf = (row: Named, currencies: readonly string[]): Spent => ({
  count: number(row['count']),
  unknown: number(row['unknown']),
  amounts: new Map(currencies.map((currency, at) => [currency, BigInt(optionalText(row[`amount_${at}`]) ?? 0)])),
});

/** The SQL of policies and approvals. Everything runs in the transaction of whoever calls. */
export const policyStatements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const spent = ({ maxAmount = {} }: Policy, { profile, since }: AllowanceOf): Spent => {
    const currencies = Object.keys(maxAmount);
    const found = sql(spentSql(currencies)).get(...currencies, profile ?? null, since);
    return spentOf(found ?? {}, currencies);
  };
  return {
    allowance: (of: AllowanceOf): Allowance | undefined => {
      // Its own first: OTHERS comes before all that a profile can be called.
      const found = sql(
        'SELECT * FROM policy WHERE profile IN (?, ?) AND policy IS NOT NULL ORDER BY profile DESC LIMIT 1',
      ).get(of.profile ?? OTHERS, OTHERS);
      if (found === undefined) return undefined;
      const kept = keptOf(found);
      return { kept, spent: isCounted(kept.policy) ? spent(kept.policy, of) : NOTHING_SPENT };
    },
    list: (): Allowance['kept'][] =>
      sql('SELECT * FROM policy WHERE policy IS NOT NULL ORDER BY profile').all().map(keptOf),
    set: ({ profile, policy, by, at }: KeptPolicy): void => {
      sql('INSERT OR REPLACE INTO policy (profile, policy, set_by, set_at) VALUES (?, ?, ?, ?)').run(
        ...[profile, policy === undefined ? null : policyText(policy), by, at],
      );
    },
    approval: (job: string): Approval | undefined => {
      const found = sql('SELECT * FROM approval WHERE job = ?').get(job);
      return found && approvalOf(found);
    },
    approve: ({ job, total, askedBy, askedAt, approvedBy, approvedAt }: Approval): void => {
      sql(`INSERT OR REPLACE INTO approval
        (job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
        ...[job, total.rows, amountsText(total.amounts), total.unknown],
        ...[askedBy, askedAt, approvedBy ?? null, approvedAt ?? null],
      );
    },
  };
};
