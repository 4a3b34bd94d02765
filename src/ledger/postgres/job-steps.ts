import type { RowCounts } from '../../core/row.ts';
import type { Decision, Purpose } from '../backend.ts';
import type { Row } from '../columns.ts';
import { type Job, type JobRow, type Jobs, type KeptUpdate, UPDATE_STATES } from '../job.ts';
import {
  countsFrom,
  countsOf,
  ENTRY_STATE,
  ENTRY_STATES,
  GONE_ON,
  JOB,
  jobOf,
  jobValues,
  UPDATE,
  updateOf,
  updateValues,
} from '../job-rows.ts';
import type { Answer } from './session.ts';
import { literal } from './sql.ts';
import type { Step } from './step.ts';

export const jobsOf = ({ rows }: Answer): Job[] => (rows as readonly Row[]).map(jobOf);
export const updatesOf = ({ rows }: Answer): KeptUpdate[] => (rows as readonly Row[]).map(updateOf);

export const jobStatement = (job: Job): string =>
  `INSERT INTO paycli.job (${JOB}) VALUES (${jobValues(job).map(literal).join()})`;

/** A job that is begun, or gone on with. */
export const openStep = (job: Parameters<Jobs['open']>[0], now: () => number): Step<void> => ({
  purpose: 'note',
  keys: [`job ${job.id}`],
  alone: false,
  looks: [],
  decide: () => {
    const begun = jobStatement({ ...job, createdAt: now(), runAt: now() });
    return { result: undefined, writes: [`${begun} ON CONFLICT (id) DO UPDATE SET ${GONE_ON}`] };
  },
});

const ofRow = ({ job, row }: JobRow): string => `job = ${literal(job)} AND "row" = ${row}`;

const valuesOf = (update: KeptUpdate): string => updateValues(update).map(literal).join();

export const updateInsert = (update: KeptUpdate): string =>
  `INSERT INTO paycli.onye_update (${UPDATE}) VALUES (${valuesOf(update)})`;

const updateStatement = (update: KeptUpdate): string => {
  const change = UPDATE.split(', ')
    .slice(2)
    .map((name) => `${name} = excluded.${name}`);
  return `${updateInsert(update)} ON CONFLICT (job, "row") DO UPDATE SET ${change.join(', ')}`;
};

const writtenStatement = (update: KeptUpdate): string => `SELECT EXISTS (SELECT 1 FROM paycli.onye_update
  WHERE (${UPDATE}) IS NOT DISTINCT FROM (${valuesOf(update)}))`;

/** A rule about one update of a customer as a step. */
export const updateStep = <T>(
  purpose: Purpose,
  of: JobRow,
  decide: (found: KeptUpdate | undefined) => Decision<KeptUpdate, T>,
): Step<T> => ({
  purpose,
  keys: [`row ${of.job} ${of.row}`],
  alone: false,
  looks: [`SELECT ${UPDATE} FROM paycli.onye_update WHERE ${ofRow(of)}`],
  decide: ([found]) => {
    const { result, write } = decide(found && updatesOf(found)[0]);
    if (write === undefined) return { result, writes: [] };
    const statement = updateStatement(write);
    return { result, writes: [statement], proof: { ask: writtenStatement(write), again: statement } };
  },
});

/** The statements that only read, and what their answers say. */
export const jobReads = {
  get: (id: string): string => `SELECT ${JOB} FROM paycli.job WHERE id = ${literal(id)}`,
  list: (before: string | undefined, limit: number): string => {
    const older = before === undefined ? '' : `WHERE seq < (SELECT seq FROM paycli.job WHERE id = ${literal(before)})`;
    return `SELECT ${JOB} FROM paycli.job ${older} ORDER BY seq DESC ${limit < 0 ? '' : `LIMIT ${limit}`}`;
  },
  /** The last entry of each row. */
  entryTally: (job: string): string => `SELECT ${countsOf(ENTRY_STATES)} FROM (
    SELECT DISTINCT ON ("row") ${ENTRY_STATE} FROM paycli.charge WHERE job = ${literal(job)} ORDER BY "row", created_at DESC, seq DESC) AS ended`,
  entryCounts: (answer: Answer): RowCounts => countsFrom(ENTRY_STATES, answer.rows[0] as Row),
  updateTally: (job: string): string =>
    `SELECT ${countsOf(UPDATE_STATES)} FROM paycli.onye_update WHERE job = ${literal(job)}`,
  updateCounts: (answer: Answer): RowCounts => countsFrom(UPDATE_STATES, answer.rows[0] as Row),
  sending: (job: string): string =>
    `SELECT ${UPDATE} FROM paycli.onye_update WHERE job = ${literal(job)} AND state = 'sending'`,
  updates: (job: string, first: number, last: number): string => `SELECT ${UPDATE} FROM paycli.onye_update
    WHERE job = ${literal(job)} AND "row" BETWEEN ${first} AND ${last} ORDER BY "row"`,
};
