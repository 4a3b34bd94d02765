import { number, optionalNumber, optionalText, text } from '../database/values.ts';
import type { Approval } from './approval.ts';
import type { Row, Value } from './columns.ts';
import type { Allowance, KeptPolicy } from './policy.ts';
import { amountsText, policyText, readAmounts, readPolicy } from './policy-text.ts';

// Policies and approvals as rows of a table, whatever the database.

export const POLICY = 'profile, policy, set_by, set_at';
export const APPROVAL = 'job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at';

export const policyOf = ([profile, policy, by, at]: Row): Allowance['kept'] => ({
  profile: text(profile),
  policy: readPolicy(text(policy)),
  by: text(by),
  at: number(at),
});

export const policyValues = ({ profile, policy, by, at }: KeptPolicy): Value[] => [
  ...[profile, policy === undefined ? null : policyText(policy), by, at],
];

export const approvalOf = ([job, rows, amounts, unknown, askedBy, askedAt, approvedBy, approvedAt]: Row): Approval => ({
  job: text(job),
  total: { rows: number(rows), amounts: readAmounts(text(amounts)), unknown: number(unknown) },
  askedBy: text(askedBy),
  askedAt: number(askedAt),
  approvedBy: optionalText(approvedBy),
  approvedAt: optionalNumber(approvedAt),
});

export const approvalValues = ({ job, total, askedBy, askedAt, approvedBy, approvedAt }: Approval): Value[] => [
  ...[job, total.rows, amountsText(total.amounts), total.unknown],
  ...[askedBy, askedAt, approvedBy ?? null, approvedAt ?? null],
];

/** Writes a row of a table whose first column is its key, in place of the one that there is. */
export const replacing = (table: string, columns: string, values: string): string => {
  const [key = '', ...others] = columns.split(', ');
  const change = others.map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (${columns}) VALUES (${values}) ON CONFLICT (${key}) DO UPDATE SET ${change.join(', ')}`;
};
