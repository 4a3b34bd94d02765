import { paymentsThat } from '../charge/payment.ts';
import { CHARGE, CHARGE_STATES, REFUND, ROW_STATES, type RowCounts, type RowState } from '../core/charge.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import { number, optionalNumber, optionalText, sqlText } from '../database/connect.ts';
import type { JobsBackend, Query } from './backend.ts';
import { type Job, type JobKind, type JobRow, type KeptUpdate, UPDATE_STATES, type UpdateState } from './job.ts';
import type { Period, Policies } from './ledger.ts';
import {
  type Allowance,
  type Approval,
  amountsText,
  type KeptPolicy,
  PLAN,
  policyText,
  readAmounts,
  readPolicy,
  type Total,
} from './policy.ts';
import type { Row, Value } from './rows.ts';

// SQL that every database understands. `schema` prefixes the name of each table.

export type Schema = '' | 'paycli.';

/** Statement or part of one, with a question mark for each of its values. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** Runs a read-only statement. */
export type ReadStatement = (...statement: Statement) => Promise<readonly Row[]>;

/** Question marks for the values of some columns. */
export const placesFor = (columns: string): string => columns.replaceAll(/[^,]+/g, '?');

export const inserting = (table: string, columns: string): string =>
  `INSERT INTO ${table} (${columns}) VALUES (${placesFor(columns)})`;

/** Upsert into a table whose first `keys` columns are its key. */
export const replacing = (table: string, columns: string, keys: number): string => {
  const names = columns.split(', ');
  const change = names.slice(keys).map((name) => `${name} = excluded.${name}`);
  return `${inserting(table, columns)} ON CONFLICT (${names.slice(0, keys).join(', ')}) DO UPDATE SET ${change.join(', ')}`;
};

/** A single row uses an equation, which returns its charges in index order. Sorting costs more than finding them. */
const amongRows = ([first, last]: readonly [number, number]): Statement =>
  first === last ? ['"row" = ?', first] : ['"row" BETWEEN ? AND ?', first, last];

/** Condition for charges that brought another sum than was asked. An index has the same condition. */
export const IS_OTHER_SUM = 'received > 0 AND received <> COALESCE(amount, 0)';

/** Comparisons with one value of a query. */
const COMPARISONS = {
  ref: 'ref = ?',
  customer: 'customer = ?',
  email: 'customer_email = ?',
  operator: 'operator = ?',
  accountDigest: 'account_digest = ?',
  pspReference: 'psp_reference = ?',
  phone: 'phone = ?',
  termsDigest: 'phone_digest = ?',
  amount: 'amount = ?',
  currency: 'currency = ?',
  otherReceived: `received = ? AND ${IS_OTHER_SUM}`,
  service: 'service = ?',
  profile: 'profile = ?',
  otherThan: "COALESCE(profile, '') <> ?",
  job: 'job = ?',
  about: 'ugwo = ?',
  since: 'created_at >= ?',
  until: 'created_at < ?',
  paidSince: 'paid_at >= ?',
  before: 'seq < ?',
  after: 'seq > ?',
} as const;
const COMPARED = Object.entries(COMPARISONS) as [keyof typeof COMPARISONS, string][];

/** Conditions for the values that are there. */
const comparing = (query: Pick<Query & Period, keyof typeof COMPARISONS>): Statement[] =>
  COMPARED.flatMap(([name, sql]): Statement[] => {
    const value = query[name];
    if (value === undefined) return [];
    return name === 'profile' && value === '' ? [['profile IS NULL']] : [[sql, value]];
  });

const isOneOf = (column: string, values: readonly string[]): Statement => [
  `${column} IN (${values.map(() => '?').join() || 'NULL'})`,
  ...values,
];

/** Lets SQLite use the index `charge_kind`. Few entries have the same subject, so these are found by their subject. */
const OTHER_KIND = `kind = ? AND kind <> '${CHARGE}'`;

/** Conditions of a query, except `id` and `earlier`: each database finds those in its own way. */
export const conditionsOf = (
  { activities, states, kind, payments, paidTwice, disputed, prunable, rows, started, workspace, ...compared }: Query,
  among: (activities: readonly string[]) => Statement = (all) => isOneOf('activity', all),
  state = 'state',
): Statement[] => [
  ...(activities === undefined ? [] : [among(activities)]),
  ...(states === undefined ? [] : [isOneOf(state, states)]),
  ...(kind === undefined
    ? []
    : [[kind === CHARGE || compared.about !== undefined ? 'kind = ?' : OTHER_KIND, kind] as const]),
  ...(payments === undefined ? [] : [isOneOf('payment', payments)]),
  ...(paidTwice === true ? [['paid_twice IS NOT NULL'] as const] : []),
  ...(disputed === true ? [['disputed IS NOT NULL'] as const] : []),
  ...(prunable === true ? [[PRUNABLE] as const] : []),
  ...(workspace === undefined ? [] : [['COALESCE(workspace, ?) = ?', workspace, workspace] as const]),
  ...(rows === undefined ? [] : [amongRows(rows)]),
  ...comparing({ ...compared, ...started }),
];

/** WHERE clause with all of these conditions; empty if there are none. */
export const whereOf = (conditions: readonly Statement[]): Statement => {
  const [texts, given]: [string[], Value[]] = [[], []];
  for (const [sql, ...values] of conditions) {
    texts.push(sql);
    given.push(...values);
  }
  return [texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`, ...given];
};

// Jobs and updates as table rows, for every database. `row` is quoted because it is an SQL keyword.

export const JOB_COLUMNS = 'id, kind, command, name, service, origin, profile, rows, created_at, run_at, adjustments';
export const UPDATE_COLUMNS = 'job, "row", onye, state, deadline, exit_code, message, pid, boot, started';

/** Columns of a job that change when it is resumed. */
const RUN_AGAIN = ['run_at', 'name', 'profile', 'adjustments'].map((name) => `${name} = excluded.${name}`).join();

/** Counts that were kept; none in a text that holds none. */
const adjustmentsOf = (kept: string | undefined): RowCounts | undefined => {
  const counts = kept === undefined ? undefined : parseIfJson(kept);
  if (!isJsonObject(counts)) return undefined;
  return Object.fromEntries(
    ROW_STATES.map((state) => [state, counts[state]]).filter(([, count]) => Number.isSafeInteger(count)),
  );
};

const adjustmentsText = (counts: RowCounts | undefined): string | null =>
  counts === undefined ? null : JSON.stringify(counts);

const readJob = ([id, kind, command, name, service, origin, profile, rows, created, run, adjustments]: Row): Job => ({
  id: sqlText(id),
  kind: sqlText(kind) as JobKind,
  command: sqlText(command),
  name: sqlText(name),
  service: sqlText(service),
  origin: sqlText(origin),
  profile: optionalText(profile),
  rows: number(rows),
  createdAt: number(created),
  runAt: number(run),
  adjustments: adjustmentsOf(optionalText(adjustments)),
});

export const jobValues = ({ adjustments, ...job }: Job): Value[] => [
  ...[job.id, job.kind, job.command, job.name, job.service, job.origin, job.profile ?? null],
  ...[job.rows, job.createdAt, job.runAt, adjustmentsText(adjustments)],
];

export const updateOf = ([job, row, onye, state, deadline, exit, message, pid, boot, started]: Row): KeptUpdate => ({
  job: sqlText(job),
  row: number(row),
  onye: sqlText(onye),
  state: sqlText(state) as UpdateState,
  deadline: number(deadline),
  exitCode: optionalNumber(exit),
  message: optionalText(message),
  sender: { pid: number(pid), boot: sqlText(boot), started: sqlText(started) },
});

export const updateValues = ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): Value[] => [
  ...[job, row, onye, state, deadline, exitCode ?? null, message ?? null],
  ...[sender.pid, sender.boot, sender.started],
];

const sqlList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join();

/**
 * Condition for charges that count for a policy: those that may have been made, and may still bring money or did. An
 * index has the same condition, so a change of this text needs a migration.
 */
export const COUNTING = `kind = 'charge' AND state IN ('sending', 'unknown', 'accepted') AND
  (payment IS NULL OR payment NOT IN ('expired', 'failed', 'reversed'))`;

/**
 * Condition for final entries that pruning would change. An index has the same condition, so a change of this text needs
 * a migration.
 */
export const PRUNABLE = `state NOT IN ('sending', 'unknown') AND COALESCE(payment, '') NOT IN ('open', 'refund_open') AND pruned IS NULL`;

/** Condition for charges or refunds that count for a policy. */
export const countingOf = (kind: string | undefined): string =>
  kind === REFUND
    ? `kind = '${REFUND}' AND state IN ('sending', 'unknown', 'accepted') AND COALESCE(payment, '') <> 'refund_failed'`
    : COUNTING;

const ENTRY_STATES: readonly RowState[] = [...CHARGE_STATES, 'failed', 'expired'];

/** Counts each state in one pass. GROUP BY would sort all rows first. */
const countColumns = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join();

/** Parses the result of `countsOf`. */
const countsFrom = (states: readonly RowState[], row: Row = []): RowCounts =>
  Object.fromEntries(states.map((state, at) => [state, number(row[at])]));

/** State of an entry, with `failed` or `expired` for an accepted one that is over. */
export const ENTRY_STATE = `CASE WHEN state <> 'accepted' THEN state WHEN payment = 'expired' THEN payment
  WHEN payment IN (${sqlList([...paymentsThat('retried'), 'refund_failed'])}) THEN 'failed' ELSE state END AS state`;

const OLD_PLAN = `id LIKE '${PLAN}-%' AND created_at < ?`;

/** Statements that delete plans from before a moment, unless a charge or an update belongs to them. */
export const deletePlans = (before: number): readonly Statement[] => [
  [
    `DELETE FROM job WHERE ${OLD_PLAN} AND NOT EXISTS (SELECT 1 FROM charge WHERE charge.job = job.id)
      AND NOT EXISTS (SELECT 1 FROM onye_update WHERE onye_update.job = job.id)`,
    before,
  ],
  [
    `DELETE FROM approval WHERE job LIKE '${PLAN}-%' AND asked_at < ?
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.id = approval.job)`,
    before,
  ],
];

/** Statements that write jobs and updates, and that find the update of a row. */
export const jobStatements = (schema: Schema) => {
  const open = `${inserting(`${schema}job`, JOB_COLUMNS)} ON CONFLICT (id) DO UPDATE SET ${RUN_AGAIN}`;
  const adjust = `UPDATE ${schema}job SET adjustments = ? WHERE id = ?`;
  const write = replacing(`${schema}onye_update`, UPDATE_COLUMNS, 2);
  const find = `SELECT ${UPDATE_COLUMNS} FROM ${schema}onye_update WHERE job = ? AND "row" = ?`;
  return {
    /** Inserts a new job, or updates one that continues. */
    openJob: (job: Parameters<JobsBackend['open']>[0], at: number): Statement => [
      open,
      ...jobValues({ ...job, createdAt: at, runAt: at }),
    ],
    adjustJob: (job: string, adjustments: RowCounts): Statement => [adjust, adjustmentsText(adjustments), job],
    /** Deletes the texts of plans from before a moment. */
    clearPlans: (before: number): Statement => [
      `UPDATE ${schema}job SET name = '' WHERE ${OLD_PLAN} AND name <> ''`,
      before,
    ],
    writeUpdate: (update: KeptUpdate): Statement => [write, ...updateValues(update)],
    findUpdate: ({ job, row }: JobRow): Statement => [find, job, row],
  };
};

/** Query for the charges of a job that count. */
export const chargedOfJob = (schema: Schema, job: string): Statement => [
  `SELECT currency, count(*), CAST(sum(amount) AS text), count(*) FILTER (WHERE amount IS NULL OR currency IS NULL)
    FROM ${schema}charge WHERE job = ? AND ${COUNTING} GROUP BY currency`,
  job,
];

/** Parses the result of `chargedOfJob`. */
export const chargedTotal = (found: readonly Row[]): Total => {
  const sum = (at: number): number => found.reduce((total, row) => total + number(row[at]), 0);
  const known = found.filter(([currency]) => currency !== null);
  const amounts = known.map(([currency, , amount]) => [sqlText(currency), BigInt(optionalText(amount) ?? 0)] as const);
  return { rows: sum(1), amounts: new Map(amounts), unknown: sum(3) };
};

/** Read-only methods of jobs. `lastEntries` is SQL for the state of the last entry of each row of a job. */
export const jobReads = (
  ask: ReadStatement,
  schema: Schema,
  lastEntries: string,
): Omit<JobsBackend, 'open' | 'adjust' | 'endPlans' | 'change' | 'lease' | 'release' | 'workers'> => {
  const jobs = `SELECT ${JOB_COLUMNS} FROM ${schema}job`;
  const tally = async (states: readonly RowState[], from: string, job: string): Promise<RowCounts> =>
    countsFrom(states, (await ask(`SELECT ${countColumns(states)} FROM ${from}`, job))[0]);
  const updates = async (where: string, ...values: Value[]): Promise<KeptUpdate[]> =>
    (await ask(`SELECT ${UPDATE_COLUMNS} FROM ${schema}onye_update WHERE job = ? AND ${where}`, ...values)).map(
      updateOf,
    );
  // All rows of a job belong to one workspace. A job without charges has no known workspace.
  const ofWorkspace = `COALESCE((SELECT workspace FROM ${schema}charge WHERE job = ${schema}job.id LIMIT 1), ?) = ?`;
  return {
    get: async (id) => (await ask(`${jobs} WHERE id = ?`, id)).map(readJob)[0],
    list: async ({ before, limit, workspace, ...scope }) => {
      const [where, ...values] = whereOf([
        ...comparing(scope),
        ...(workspace === undefined ? [] : [[ofWorkspace, workspace, workspace] as const]),
        ...(before === undefined ? [] : [[`seq < (SELECT seq FROM ${schema}job WHERE id = ?)`, before] as const]),
      ]);
      const newest = `${jobs} ${where} ORDER BY seq DESC`;
      const found = limit < 0 ? ask(newest, ...values) : ask(`${newest} LIMIT ?`, ...values, limit);
      return (await found).map(readJob);
    },
    charged: async (job) => chargedTotal(await ask(...chargedOfJob(schema, job))),
    chargeTally: (job) => tally(ENTRY_STATES, `(${lastEntries}) AS ended`, job),
    updateTally: (job) => tally(UPDATE_STATES, `${schema}onye_update WHERE job = ?`, job),
    sendingUpdates: (job) => updates("state = 'sending'", job),
    updates: (job, first, last) => updates('"row" BETWEEN ? AND ? ORDER BY "row"', job, first, last),
  };
};

// Policies and approvals as table rows, for every database.

export const POLICY = 'profile, policy, set_by, set_at';
const APPROVAL = 'job, rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at';

export const policyOf = ([profile, policy, by, at]: Row): Allowance['kept'] => ({
  profile: sqlText(profile),
  policy: readPolicy(sqlText(policy)),
  by: sqlText(by),
  at: number(at),
});

const policyValues = ({ profile, policy, by, at }: KeptPolicy): Value[] => [
  ...[profile, policy === undefined ? null : policyText(policy), by, at],
];

/** Query for the approval of a job. */
export const approvalBy = (schema: Schema, job: string): Statement => [
  `SELECT ${APPROVAL} FROM ${schema}approval WHERE job = ?`,
  job,
];

/** Parses the result of `approvalBy`. */
export const approvalIn = (found: readonly Row[]): Approval | undefined => found.map(readApproval)[0];

const readApproval = ([job, rows, amounts, unknown, askedBy, askedAt, approvedBy, approvedAt]: Row): Approval => ({
  job: sqlText(job),
  total: { rows: number(rows), amounts: readAmounts(sqlText(amounts)), unknown: number(unknown) },
  askedBy: sqlText(askedBy),
  askedAt: number(askedAt),
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
  schema: Schema,
  byBytes: string,
): Omit<Policies, 'allowance'> => ({
  list: async () => {
    const held = `SELECT ${POLICY} FROM ${schema}policy WHERE policy IS NOT NULL ORDER BY profile ${byBytes}`;
    return (await ask(held)).map(policyOf);
  },
  set: async (profile, change) => {
    let kept: KeptPolicy | undefined;
    const next = (found: readonly Row[]): Statement => {
      kept = { profile, ...change(found.map(policyOf)[0]?.policy) };
      return [replacing(`${schema}policy`, POLICY, 1), ...policyValues(kept)];
    };
    const own = `SELECT ${POLICY} FROM ${schema}policy WHERE policy IS NOT NULL AND profile = ?`;
    await write(`policy ${profile}`, next, [own, profile]);
    return kept as KeptPolicy;
  },
  approval: async (job) => approvalIn(await ask(...approvalBy(schema, job))),
  // The table has a row for each file or plan that was stopped, so it is read as a whole.
  waiting: async (since) =>
    (await ask(`SELECT ${APPROVAL} FROM ${schema}approval WHERE approved_by IS NULL AND asked_at >= ?`, since)).map(
      readApproval,
    ),
  approve: (approval) =>
    write(`approval ${approval.job}`, () => [replacing(`${schema}approval`, APPROVAL, 1), ...approvalValues(approval)]),
});
