import { optionalNumber, optionalText, sqlNumber, sqlText } from '../database/connect.ts';
import type { Policies } from './ledger.ts';
import {
  type Allowance,
  type Approval,
  amountsText,
  type KeptPolicy,
  policyText,
  readAmounts,
  readPolicy,
} from './policy.ts';
import type { Row, Value } from './rows.ts';
import { type ReadStatement, replacing, type Statement, type TablePrefix } from './sql.ts';

// Policies and approvals as table rows, for every database.

export const POLICY = 'profile, policy, set_by, set_at';
const APPROVAL = 'job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at';

export const policyOf = ([profile, policy, by, at]: Row): Allowance['kept'] => ({
  profile: sqlText(profile),
  policy: readPolicy(sqlText(policy)),
  by: sqlText(by),
  at: sqlNumber(at),
});

const policyValues = ({ profile, policy, by, at }: KeptPolicy): Value[] => [
  ...[profile, policy === undefined ? null : policyText(policy), by, at],
];

/** Query for the approval of a job. */
export const approvalBy = (prefix: TablePrefix, job: string): Statement => [
  `SELECT ${APPROVAL} FROM ${prefix}approval WHERE job = ?`,
  job,
];

/** Parses the result of `approvalBy`. */
export const approvalIn = (found: readonly Row[]): Approval | undefined => found.map(readApproval)[0];

const readApproval = ([job, rows, amounts, unknown, askedBy, askedAt, approvedBy, approvedAt]: Row): Approval => ({
  job: sqlText(job),
  total: { rows: sqlNumber(rows), amounts: readAmounts(sqlText(amounts)), unknown: sqlNumber(unknown) },
  askedBy: sqlText(askedBy),
  askedAt: sqlNumber(askedAt),
  approvedBy: optionalText(approvedBy),
  approvedAt: optionalNumber(approvedAt),
});

const approvalValues = ({ job, total, askedBy, askedAt, approvedBy, approvedAt }: Approval): Value[] => [
  ...[job, total.rows, amountsText(total.amounts), total.unknown],
  ...[askedBy, askedAt, approvedBy ?? null, approvedAt ?? null],
];

/** Runs a statement, built from what a look finds, in one transaction among all that have the same subject. */
type Write = (about: string, statement: (found: readonly Row[]) => Statement, look?: Statement) => Promise<void>;

/**
 * Policies and approvals, except allowances. `byBytes` is SQL that sorts texts by their bytes, where the database has
 * another order.
 */
export const policiesBy = (
  ask: ReadStatement,
  write: Write,
  prefix: TablePrefix,
  byBytes: string,
): Omit<Policies, 'allowance'> => ({
  list: async () => {
    const held = `SELECT ${POLICY} FROM ${prefix}policy WHERE policy IS NOT NULL ORDER BY profile ${byBytes}`;
    return (await ask(held)).map(policyOf);
  },
  set: async (profile, change) => {
    let kept: KeptPolicy | undefined;
    const next = (found: readonly Row[]): Statement => {
      kept = { profile, ...change(found.map(policyOf)[0]?.policy) };
      return [replacing(`${prefix}policy`, POLICY, 1), ...policyValues(kept)];
    };
    const own = `SELECT ${POLICY} FROM ${prefix}policy WHERE policy IS NOT NULL AND profile = ?`;
    await write(`policy ${profile}`, next, [own, profile]);
    return kept as KeptPolicy;
  },
  approval: async (job) => approvalIn(await ask(...approvalBy(prefix, job))),
  // The table has a row for each file or plan that was stopped, so it is read as a whole.
  waiting: async (since) =>
    (await ask(`SELECT ${APPROVAL} FROM ${prefix}approval WHERE approved_by IS NULL AND asked_at >= ?`, since)).map(
      readApproval,
    ),
  approve: (approval) =>
    write(`approval ${approval.job}`, () => [replacing(`${prefix}approval`, APPROVAL, 1), ...approvalValues(approval)]),
});
