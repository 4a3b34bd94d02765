import { number, optionalNumber, optionalText, text } from '../../database/values.ts';
import type { Approval } from '../approval.ts';
import type { Row, Value } from '../columns.ts';
import type { Policies } from '../policies.ts';
import type { Allowance, KeptPolicy } from '../policy.ts';
import { amountsText, policyText, readAmounts, readPolicy } from '../policy-text.ts';
import { type Ask, replacing, type Schema, type Statement } from './statement.ts';

// Policies and approvals as rows of a table, whatever the database.

export const POLICY = 'profile, policy, set_by, set_at';
const APPROVAL = 'job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at';

export const policyOf = ([profile, policy, by, at]: Row): Allowance['kept'] => ({
  profile: text(profile),
  policy: readPolicy(text(policy)),
  by: text(by),
  at: number(at),
});

const policyValues = ({ profile, policy, by, at }: KeptPolicy): Value[] => [
  ...[profile, policy === undefined ? null : policyText(policy), by, at],
];

const approvalOf = ([job, rows, amounts, unknown, askedBy, askedAt, approvedBy, approvedAt]: Row): Approval => ({
  job: text(job),
  total: { rows: number(rows), amounts: readAmounts(text(amounts)), unknown: number(unknown) },
  askedBy: text(askedBy),
  askedAt: number(askedAt),
  approvedBy: optionalText(approvedBy),
  approvedAt: optionalNumber(approvedAt),
});

const approvalValues = ({ job, total, askedBy, askedAt, approvedBy, approvedAt }: Approval): Value[] => [
  ...[job, total.rows, amountsText(total.amounts), total.unknown],
  ...[askedBy, askedAt, approvedBy ?? null, approvedAt ?? null],
];

/**
 * Policies and approvals, but for what a profile may charge. `write` says what it is about first; `byBytes` puts texts in the
 * order of their bytes where the database has another one.
 */
export const policiesBy = (
  ask: Ask,
  write: (about: string, ...statement: Statement) => Promise<void>,
  schema: Schema,
  byBytes: string,
): Omit<Policies, 'allowance'> => ({
  list: async () => {
    const held = `SELECT ${POLICY} FROM ${schema}policy WHERE policy IS NOT NULL ORDER BY profile ${byBytes}`;
    return (await ask(held)).map(policyOf);
  },
  set: (policy) => write(`policy ${policy.profile}`, replacing(`${schema}policy`, POLICY, 1), ...policyValues(policy)),
  approval: async (job) =>
    (await ask(`SELECT ${APPROVAL} FROM ${schema}approval WHERE job = ?`, job)).map(approvalOf)[0],
  approve: (approval) =>
    write(`approval ${approval.job}`, replacing(`${schema}approval`, APPROVAL, 1), ...approvalValues(approval)),
});
