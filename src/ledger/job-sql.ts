import { paymentsThat } from '../charge/payment.ts';
import { CHARGE_STATES, ROW_STATES, type RowCounts, type RowState } from '../core/charge.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import { optionalNumber, optionalText, sqlNumber, sqlText } from '../database/connect.ts';
import type { JobsBackend } from './backend.ts';
import { type Job, type JobKind, type JobRow, type KeptUpdate, UPDATE_STATES, type UpdateState } from './job.ts';
import { PLAN, type Total } from './policy.ts';
import type { Row, Value } from './rows.ts';
import {
  COUNTING,
  comparing,
  inserting,
  type ReadStatement,
  replacing,
  type Statement,
  type TablePrefix,
  whereOf,
} from './sql.ts';

// Jobs and updates as table rows, for every database. `row` is quoted because it is an SQL keyword.

export const JOB_COLUMNS = 'id, kind, command, name, service, origin, profile, rows, created_at, run_at, adjustments';
export const UPDATE_COLUMNS = 'job, "row", onye, state, deadline, exit_code, message, pid, boot, started';

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
  rows: sqlNumber(rows),
  createdAt: sqlNumber(created),
  runAt: sqlNumber(run),
  adjustments: adjustmentsOf(optionalText(adjustments)),
});

export const jobValues = ({ adjustments, ...job }: Job): Value[] => [
  ...[job.id, job.kind, job.command, job.name, job.service, job.origin, job.profile ?? null],
  ...[job.rows, job.createdAt, job.runAt, adjustmentsText(adjustments)],
];

export const updateOf = ([job, row, onye, state, deadline, exit, message, pid, boot, started]: Row): KeptUpdate => ({
  job: sqlText(job),
  row: sqlNumber(row),
  onye: sqlText(onye),
  state: sqlText(state) as UpdateState,
  deadline: sqlNumber(deadline),
  exitCode: optionalNumber(exit),
  message: optionalText(message),
  sender: { pid: sqlNumber(pid), boot: sqlText(boot), started: sqlText(started) },
});

export const updateValues = ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): Value[] => [
  ...[job, row, onye, state, deadline, exitCode ?? null, message ?? null],
  ...[sender.pid, sender.boot, sender.started],
];

const sqlList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join();

const ENTRY_STATES: readonly RowState[] = [...CHARGE_STATES, 'failed', 'expired'];

/** Counts each state in one pass. GROUP BY would sort all rows first. */
const countColumns = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join();

/** Reads the values of `countColumns`. */
const countsFrom = (states: readonly RowState[], row: Row = []): RowCounts =>
  Object.fromEntries(states.map((state, at) => [state, sqlNumber(row[at])]));

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
export const jobStatements = (prefix: TablePrefix) => {
  // Columns of a job that change when it is resumed.
  const again = ['run_at', 'name', 'profile', 'adjustments'].map((name) => `${name} = excluded.${name}`);
  const open = `${inserting(`${prefix}job`, JOB_COLUMNS)} ON CONFLICT (id) DO UPDATE SET ${again.join()}`;
  const adjust = `UPDATE ${prefix}job SET adjustments = ? WHERE id = ?`;
  const write = replacing(`${prefix}onye_update`, UPDATE_COLUMNS, 2);
  const find = `SELECT ${UPDATE_COLUMNS} FROM ${prefix}onye_update WHERE job = ? AND "row" = ?`;
  return {
    /** Inserts a new job, or updates one that continues. */
    openJob: (job: Parameters<JobsBackend['open']>[0], at: number): Statement => [
      open,
      ...jobValues({ ...job, createdAt: at, runAt: at }),
    ],
    adjustJob: (job: string, adjustments: RowCounts): Statement => [adjust, adjustmentsText(adjustments), job],
    /** Deletes the texts of plans from before a moment. */
    clearPlans: (before: number): Statement => [
      `UPDATE ${prefix}job SET name = '' WHERE ${OLD_PLAN} AND name <> ''`,
      before,
    ],
    writeUpdate: (update: KeptUpdate): Statement => [write, ...updateValues(update)],
    findUpdate: ({ job, row }: JobRow): Statement => [find, job, row],
  };
};

/** Query for the charges of a job that count. */
export const chargedOfJob = (prefix: TablePrefix, job: string): Statement => [
  `SELECT currency, count(*), CAST(sum(amount) AS text), count(*) FILTER (WHERE amount IS NULL OR currency IS NULL)
    FROM ${prefix}charge WHERE job = ? AND ${COUNTING} GROUP BY currency`,
  job,
];

/** Parses the result of `chargedOfJob`. */
export const chargedTotal = (found: readonly Row[]): Total => {
  const sum = (at: number): number => found.reduce((total, row) => total + sqlNumber(row[at]), 0);
  const known = found.filter(([currency]) => currency !== null);
  const amounts = known.map(([currency, , amount]) => [sqlText(currency), BigInt(optionalText(amount) ?? 0)] as const);
  return { rows: sum(1), amounts: new Map(amounts), unknown: sum(3) };
};

/** Read-only methods of jobs. `lastEntries` is SQL for the state of the last entry of each row of a job. */
export const jobReads = (
  ask: ReadStatement,
  prefix: TablePrefix,
  lastEntries: string,
): Omit<JobsBackend, 'open' | 'adjust' | 'endPlans' | 'change' | 'lease' | 'release' | 'workers'> => {
  const jobs = `SELECT ${JOB_COLUMNS} FROM ${prefix}job`;
  const tally = async (states: readonly RowState[], from: string, job: string): Promise<RowCounts> =>
    countsFrom(states, (await ask(`SELECT ${countColumns(states)} FROM ${from}`, job))[0]);
  const updates = async (where: string, ...values: Value[]): Promise<KeptUpdate[]> =>
    (await ask(`SELECT ${UPDATE_COLUMNS} FROM ${prefix}onye_update WHERE job = ? AND ${where}`, ...values)).map(
      updateOf,
    );
  // All rows of a job belong to one workspace. A job without charges has no known workspace.
  const ofWorkspace = `COALESCE((SELECT workspace FROM ${prefix}charge WHERE job = ${prefix}job.id LIMIT 1), ?) = ?`;
  return {
    get: async (id) => (await ask(`${jobs} WHERE id = ?`, id)).map(readJob)[0],
    list: async ({ before, limit, workspace, ...scope }) => {
      const [where, ...values] = whereOf([
        ...comparing(scope),
        ...(workspace === undefined ? [] : [[ofWorkspace, workspace, workspace] as const]),
        ...(before === undefined ? [] : [[`seq < (SELECT seq FROM ${prefix}job WHERE id = ?)`, before] as const]),
      ]);
      const newest = `${jobs} ${where} ORDER BY seq DESC`;
      const found = limit < 0 ? ask(newest, ...values) : ask(`${newest} LIMIT ?`, ...values, limit);
      return (await found).map(readJob);
    },
    charged: async (job) => chargedTotal(await ask(...chargedOfJob(prefix, job))),
    chargeTally: (job) => tally(ENTRY_STATES, `(${lastEntries}) AS ended`, job),
    updateTally: (job) => tally(UPDATE_STATES, `${prefix}onye_update WHERE job = ?`, job),
    sendingUpdates: (job) => updates("state = 'sending'", job),
    updates: (job, first, last) => updates('"row" BETWEEN ? AND ? ORDER BY "row"', job, first, last),
  };
};
