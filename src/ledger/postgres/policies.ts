import type { Approval } from '../approval.ts';
import type { Policies } from '../policies.ts';
import type { Allowance, AllowanceOf, KeptPolicy, Spent } from '../policy.ts';
import { isCounted, NOTHING_SPENT, OTHERS } from '../policy.ts';
import { amountsText, policyText, readAmounts, readPolicy } from '../policy-text.ts';
import { COUNTING } from './schema.ts';
import type { Answer } from './session.ts';
import { list, literal } from './sql.ts';

type Row = Answer['rows'][number];

const keptOf = ([profile, policy, by, at]: Row): Allowance['kept'] => ({
  profile: String(profile),
  policy: readPolicy(String(policy)),
  by: String(by),
  at: Number(at),
});

/** The policy that holds for a profile: its own first, since `OTHERS` comes before all that a profile can be called. */
const heldStatement = ({ profile }: AllowanceOf): string => `SELECT profile, policy, set_by, set_at FROM paycli.policy
  WHERE profile IN ${list([profile ?? OTHERS, OTHERS])} AND policy IS NOT NULL ORDER BY profile COLLATE "C" DESC LIMIT 1`;

/** By the server's clock as the transaction began: the machine's may have been set since it was last compared. */
const DAY_BEGAN = '(floor(extract(epoch FROM now()) / 86400) * 86400000)::bigint';

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
  const kept = keptOf(found);
  const counted = spent !== undefined && isCounted(kept.policy);
  return { kept, spent: counted ? spentOf(spent, Object.keys(kept.policy.maxAmount ?? {})) : NOTHING_SPENT };
};

/** Whoever charges under a policy that counts does so alone. */
export const allowanceKey = ({ profile }: AllowanceOf): string => `spends ${profile ?? ''}`;

const approvalOf = ([job, rows, amounts, unknown, askedBy, askedAt, approvedBy, approvedAt]: Row): Approval => ({
  job: String(job),
  total: { rows: Number(rows), amounts: readAmounts(String(amounts)), unknown: Number(unknown) },
  askedBy: String(askedBy),
  askedAt: Number(askedAt),
  approvedBy: approvedBy === null ? undefined : String(approvedBy),
  approvedAt: approvedAt === null ? undefined : Number(approvedAt),
});

const POLICY = 'profile, policy, set_by, set_at';
const APPROVAL = 'job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at';

const replacing = (columns: string): string =>
  columns
    .split(', ')
    .slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ');

const policyStatement = ({ profile, policy, by, at }: KeptPolicy): string => {
  const values = [profile, policy === undefined ? null : policyText(policy), by, at].map(literal);
  return `INSERT INTO paycli.policy (${POLICY}) VALUES (${values}) ON CONFLICT (profile) DO UPDATE SET ${replacing(POLICY)}`;
};

const approvalStatement = ({ job, total, askedBy, askedAt, approvedBy, approvedAt }: Approval): string => {
  const given = [job, total.rows, amountsText(total.amounts), total.unknown, askedBy, askedAt, approvedBy, approvedAt];
  const values = given.map((value) => literal(value));
  return `INSERT INTO paycli.approval (${APPROVAL}) VALUES (${values}) ON CONFLICT (job) DO UPDATE SET ${replacing(APPROVAL)}`;
};

/** Policies and approvals. `write` runs a statement in a transaction of its own. */
export const policiesBy = (
  read: (statement: string) => Promise<Answer>,
  write: (statement: string, about: string) => Promise<void>,
): Policies => ({
  allowance: async (of) => allowanceOf(await Promise.all(allowanceLooks(of).map(read))),
  list: async () => {
    const { rows } = await read(
      `SELECT ${POLICY} FROM paycli.policy WHERE policy IS NOT NULL ORDER BY profile COLLATE "C"`,
    );
    return rows.map(keptOf);
  },
  set: (policy) => write(policyStatement(policy), `policy ${policy.profile}`),
  approval: async (job) => {
    const { rows } = await read(`SELECT ${APPROVAL} FROM paycli.approval WHERE job = ${literal(job)}`);
    return rows[0] && approvalOf(rows[0]);
  },
  approve: (approval) => write(approvalStatement(approval), `approval ${approval.job}`),
});
