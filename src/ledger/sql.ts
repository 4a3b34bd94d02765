import { CHARGE, CHARGE_STATES, FAILED_STATUSES } from '../core/charge.ts';
import { EXIT_CODES } from '../core/error.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import { ROW_STATES, type RowCounts, type RowState } from '../core/row.ts';
import { number, optionalNumber, optionalText, text } from '../database/kind.ts';
import type { JobsBackend, Query } from './backend.ts';
import type { Scope } from './entry.ts';
import { type Job, type JobKind, type JobRow, type KeptUpdate, UPDATE_STATES, type UpdateState } from './job.ts';
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
import { COUNTING, UNFINISHED } from './sqlite/schema.ts';

// SQL that every database understands. `schema` stands before the name of each table.

type Schema = '' | 'paycli.';

/** A statement, or a part of one, with a question mark for each of its values. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** Runs a statement that only reads. */
export type ReadStatement = (...statement: Statement) => Promise<readonly Row[]>;

/** A place for the value of each of some columns. */
export const placesFor = (columns: string): string => columns.replaceAll(/[^,]+/g, '?');

export const inserting = (table: string, columns: string): string =>
  `INSERT INTO ${table} (${columns}) VALUES (${placesFor(columns)})`;

/** Writes a row of a table whose first columns, so many, are its key, in place of the one that there is. */
const replacing = (table: string, columns: string, keys: number): string => {
  const names = columns.split(', ');
  const change = names.slice(keys).map((name) => `${name} = excluded.${name}`);
  return `${inserting(table, columns)} ON CONFLICT (${names.slice(0, keys).join(', ')}) DO UPDATE SET ${change.join(', ')}`;
};

/** One row is an equation, which leaves its charges in order: sorting costs more than finding them. */
const amongRows = ([first, last]: readonly [number, number]): Statement =>
  first === last ? ['"row" = ?', first] : ['"row" BETWEEN ? AND ?', first, last];

/** What a scope says of the rows of any table, but for the workspace. */
const scopeConditions = ({ service, profile, otherThan }: Scope): Statement[] => [
  ...(service === undefined ? [] : [['service = ?', service] as const]),
  ...(profile === undefined ? [] : [['profile = ?', profile] as const]),
  ...(otherThan === undefined ? [] : [["COALESCE(profile, '') <> ?", otherThan] as const]),
];

/** What a query asks for besides `id` and `standing`, which each database has a way of its own to find. */
export const conditionsOf = (
  { activities, states, unfinished, job, rows, about, before, after, begun, workspace, ...scope }: Query,
  among: (activities: readonly string[]) => Statement,
  state = 'state',
): Statement[] => [
  ...(activities === undefined ? [] : [among(activities)]),
  ...(states === undefined ? [] : [[`${state} IN (${states.map(() => '?').join() || 'NULL'})`, ...states] as const]),
  ...(unfinished === true ? [[`${UNFINISHED} AND kind = 'charge'`] as const] : []),
  ...scopeConditions(scope),
  ...(workspace === undefined ? [] : [['COALESCE(workspace, ?) = ?', workspace, workspace] as const]),
  ...(job === undefined ? [] : [['job = ?', job] as const]),
  ...(rows === undefined ? [] : [amongRows(rows)]),
  ...(about === undefined ? [] : [['ugwo = ?', about] as const]),
  ...(begun?.since === undefined ? [] : [['created_at >= ?', begun.since] as const]),
  ...(begun?.until === undefined ? [] : [['created_at < ?', begun.until] as const]),
  ...(before === undefined ? [] : [['seq < ?', before] as const]),
  ...(after === undefined ? [] : [['seq > ?', after] as const]),
];

/** All of these conditions; nothing where there are none. */
export const whereOf = (conditions: readonly Statement[]): Statement => [
  conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`,
  ...conditions.flatMap(([, ...values]) => values),
];

// Jobs and updates as rows of a table, whatever the database. `row` is a word of SQL's own.

const JOB = 'id, kind, command, name, service, origin, profile, rows, created_at, run_at, adjustments';
export const UPDATE = 'job, "row", onye, state, deadline, exit_code, message, pid, boot, started';

/** What changes of a job that is gone on with. */
const GONE_ON = ['run_at', 'name', 'profile', 'adjustments'].map((name) => `${name} = excluded.${name}`).join();

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

const jobOf = ([id, kind, command, name, service, origin, profile, rows, created, run, adjustments]: Row): Job => ({
  ...{ id: text(id), kind: text(kind) as JobKind, command: text(command), name: text(name) },
  ...{ service: text(service), origin: text(origin), profile: optionalText(profile) },
  ...{ rows: number(rows), createdAt: number(created), runAt: number(run) },
  adjustments: adjustmentsOf(optionalText(adjustments)),
});

const jobValues = ({ adjustments, ...job }: Job): Value[] => [
  ...[job.id, job.kind, job.command, job.name, job.service, job.origin, job.profile ?? null],
  ...[job.rows, job.createdAt, job.runAt, adjustmentsText(adjustments)],
];

export const updateOf = ([job, row, onye, state, deadline, exit, message, pid, boot, started]: Row): KeptUpdate => ({
  ...{ job: text(job), row: number(row), onye: text(onye), state: text(state) as UpdateState },
  ...{ deadline: number(deadline), exitCode: optionalNumber(exit), message: optionalText(message) },
  sender: { pid: number(pid), boot: text(boot), started: text(started) },
});

export const updateValues = ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): Value[] => [
  ...[job, row, onye, state, deadline, exitCode ?? null, message ?? null],
  ...[sender.pid, sender.boot, sender.started],
];

const ENTRY_STATES: readonly RowState[] = [...CHARGE_STATES, 'failed'];

/** A count of each state in one pass, where GROUP BY would sort all rows first. */
const countsOf = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join();

/** What such counts say. */
const countsFrom = (states: readonly RowState[], row: Row = []): RowCounts =>
  Object.fromEntries(states.map((state, at) => [state, number(row[at])]));

/**
 * How an entry stands. Whether nothing came of what was made, a charge says by its status, what else there is at once.
 */
export const ENTRY_STATE = `CASE WHEN state = 'accepted' AND CASE WHEN kind = '${CHARGE}'
  THEN status IN (${FAILED_STATUSES.map((status) => `'${status}'`).join()})
  ELSE exit_code = ${EXIT_CODES.charge_failed} END THEN 'failed' ELSE state END AS state`;

/** What writes jobs and updates, and finds the update of a row. */
export const jobStatements = (schema: Schema) => {
  const add = inserting(`${schema}job`, JOB);
  const open = `${add} ON CONFLICT (id) DO UPDATE SET ${GONE_ON}`;
  const adjust = `UPDATE ${schema}job SET adjustments = ? WHERE id = ?`;
  const addUpdate = inserting(`${schema}onye_update`, UPDATE);
  const write = replacing(`${schema}onye_update`, UPDATE, 2);
  const find = `SELECT ${UPDATE} FROM ${schema}onye_update WHERE job = ? AND "row" = ?`;
  return {
    addJob: (job: Job): Statement => [add, ...jobValues(job)],
    /** Begun, or gone on with. */
    openJob: (job: Parameters<JobsBackend['open']>[0], at: number): Statement => [
      open,
      ...jobValues({ ...job, createdAt: at, runAt: at }),
    ],
    adjustJob: (job: string, adjustments: RowCounts): Statement => [adjust, adjustmentsText(adjustments), job],
    addUpdate: (update: KeptUpdate): Statement => [addUpdate, ...updateValues(update)],
    writeUpdate: (update: KeptUpdate): Statement => [write, ...updateValues(update)],
    findUpdate: ({ job, row }: JobRow): Statement => [find, job, row],
  };
};

/** What is only read of jobs. `lastEntries` finds how the last entry of each row of a job stands. */
export const jobReads = (
  ask: ReadStatement,
  schema: Schema,
  lastEntries: string,
): Omit<JobsBackend, 'open' | 'adjust' | 'change' | 'lease' | 'release' | 'workers'> => {
  const jobs = `SELECT ${JOB} FROM ${schema}job`;
  const tally = async (states: readonly RowState[], from: string, job: string): Promise<RowCounts> =>
    countsFrom(states, (await ask(`SELECT ${countsOf(states)} FROM ${from}`, job))[0]);
  const updates = async (where: string, ...values: Value[]): Promise<KeptUpdate[]> =>
    (await ask(`SELECT ${UPDATE} FROM ${schema}onye_update WHERE job = ? AND ${where}`, ...values)).map(updateOf);
  // All rows of a job are of one workspace. Of one without charges it is not known.
  const ofWorkspace = `COALESCE((SELECT workspace FROM ${schema}charge WHERE job = ${schema}job.id LIMIT 1), ?) = ?`;
  return {
    get: async (id) => (await ask(`${jobs} WHERE id = ?`, id)).map(jobOf)[0],
    list: async ({ before, limit, workspace, ...scope }) => {
      const [where, ...values] = whereOf([
        ...scopeConditions(scope),
        ...(workspace === undefined ? [] : [[ofWorkspace, workspace, workspace] as const]),
        ...(before === undefined ? [] : [[`seq < (SELECT seq FROM ${schema}job WHERE id = ?)`, before] as const]),
      ]);
      const newest = `${jobs} ${where} ORDER BY seq DESC`;
      const found = limit < 0 ? ask(newest, ...values) : ask(`${newest} LIMIT ?`, ...values, limit);
      return (await found).map(jobOf);
    },
    charged: async (job) => {
      const found = await ask(
        `SELECT currency, count(*), CAST(sum(amount) AS text), count(*) FILTER (WHERE amount IS NULL OR currency IS NULL)
          FROM ${schema}charge WHERE job = ? AND ${COUNTING} GROUP BY currency`,
        job,
      );
      const sum = (at: number): number => found.reduce((total, row) => total + number(row[at]), 0);
      const known = found.filter(([currency]) => currency !== null);
      const amounts = known.map(([currency, , amount]) => [text(currency), BigInt(optionalText(amount) ?? 0)] as const);
      return { rows: sum(1), amounts: new Map(amounts), unknown: sum(3) };
    },
    chargeTally: (job) => tally(ENTRY_STATES, `(${lastEntries}) AS ended`, job),
    updateTally: (job) => tally(UPDATE_STATES, `${schema}onye_update WHERE job = ?`, job),
    sendingUpdates: (job) => updates("state = 'sending'", job),
    updates: (job, first, last) => updates('"row" BETWEEN ? AND ? ORDER BY "row"', job, first, last),
  };
};

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
  ask: ReadStatement,
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
