import { CHARGE_STATES, FAILED_STATUSES } from '../../core/charge.ts';
import { CHARGE } from '../../core/effect.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import type { RowCounts, RowState } from '../../core/row.ts';
import type { Decision, Purpose } from '../backend.ts';
import type { Job, JobKind, JobRow, Jobs, KeptUpdate, UpdateState } from '../job.ts';
import { UPDATE_STATES } from '../job.ts';
import { number, optionalNumber, optionalText, text } from '../rows.ts';
import type { Answer } from './session.ts';
import { list, literal } from './sql.ts';
import type { Step } from './step.ts';

const JOB = 'id, kind, command, name, service, origin, profile, rows, created_at, run_at';
const UPDATE = 'job, "row", onye, state, deadline, exit_code, message, pid, boot, started';

type Row = Answer['rows'][number];

const jobOf = ([id, kind, command, name, service, origin, profile, rows, created, run]: Row): Job => ({
  ...{ id: text(id as string), kind: text(kind as string) as JobKind, command: text(command as string) },
  ...{ name: text(name as string), service: text(service as string), origin: text(origin as string) },
  profile: optionalText(profile as string),
  rows: number(rows as number),
  createdAt: number(created as number),
  runAt: number(run as number),
});

const updateOf = ([job, row, onye, state, deadline, exit, message, pid, boot, started]: Row): KeptUpdate => ({
  ...{ job: text(job as string), row: number(row as number), onye: text(onye as string) },
  state: text(state as string) as UpdateState,
  deadline: number(deadline as number),
  exitCode: optionalNumber(exit as number),
  message: optionalText(message as string),
  sender: { pid: number(pid as number), boot: text(boot as string), started: text(started as string) },
});

export const jobsOf = ({ rows }: Answer): Job[] => rows.map(jobOf);
export const updatesOf = ({ rows }: Answer): KeptUpdate[] => rows.map(updateOf);

export const jobStatement = (job: Parameters<Jobs['open']>[0], createdAt: number, runAt: number): string => {
  const { id, kind, command, name, service, origin, profile, rows } = job;
  const values = [id, kind, command, name, service, origin, profile ?? null, rows, createdAt, runAt];
  return `INSERT INTO paycli.job (${JOB}) VALUES (${values.map(literal).join()})`;
};

/** A job that is begun, or gone on with. */
export const openStep = (job: Parameters<Jobs['open']>[0], now: () => number): Step<void> => ({
  purpose: 'note',
  keys: [`job ${job.id}`],
  alone: false,
  looks: [],
  decide: () => {
    const change = 'run_at = excluded.run_at, name = excluded.name, profile = excluded.profile';
    return {
      result: undefined,
      writes: [`${jobStatement(job, now(), now())} ON CONFLICT (id) DO UPDATE SET ${change}`],
    };
  },
});

const ofRow = ({ job, row }: JobRow): string => `job = ${literal(job)} AND "row" = ${row}`;

const valuesOf = ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): string[] =>
  [job, row, onye, state, deadline, exitCode ?? null, message ?? null, sender.pid, sender.boot, sender.started].map(
    literal,
  );

export const updateInsert = (update: KeptUpdate): string =>
  `INSERT INTO paycli.onye_update (${UPDATE}) VALUES (${valuesOf(update).join()})`;

const updateStatement = (update: KeptUpdate): string => {
  const change = UPDATE.split(', ')
    .slice(2)
    .map((name) => `${name} = excluded.${name}`);
  return `${updateInsert(update)} ON CONFLICT (job, "row") DO UPDATE SET ${change.join(', ')}`;
};

const writtenStatement = (update: KeptUpdate): string => `SELECT EXISTS (SELECT 1 FROM paycli.onye_update
  WHERE (${UPDATE}) IS NOT DISTINCT FROM (${valuesOf(update).join()}))`;

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

const FAILED = `CASE WHEN kind = '${CHARGE}' THEN status IN ${list([...FAILED_STATUSES])}
  ELSE exit_code = ${EXIT_CODES.charge_failed} END`;

const countsOf = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join();

const ENTRY_STATES: readonly RowState[] = [...CHARGE_STATES, 'failed'];

const countsFrom = (states: readonly RowState[], { rows: [row = []] }: Answer): RowCounts =>
  Object.fromEntries(states.map((state, at) => [state, Number(row[at] ?? 0)]));

/** The statements that only read, and what their answers say. */
export const jobReads = {
  get: (id: string): string => `SELECT ${JOB} FROM paycli.job WHERE id = ${literal(id)}`,
  list: (before: string | undefined, limit: number): string => {
    const older = before === undefined ? '' : `WHERE seq < (SELECT seq FROM paycli.job WHERE id = ${literal(before)})`;
    return `SELECT ${JOB} FROM paycli.job ${older} ORDER BY seq DESC ${limit < 0 ? '' : `LIMIT ${limit}`}`;
  },
  /** The last entry of each row. */
  entryTally: (job: string): string => `SELECT ${countsOf(ENTRY_STATES)} FROM (
    SELECT DISTINCT ON ("row") CASE WHEN state = 'accepted' AND (${FAILED}) THEN 'failed' ELSE state END AS state
    FROM paycli.charge WHERE job = ${literal(job)} ORDER BY "row", created_at DESC, seq DESC) AS ended`,
  entryCounts: (answer: Answer): RowCounts => countsFrom(ENTRY_STATES, answer),
  updateTally: (job: string): string =>
    `SELECT ${countsOf(UPDATE_STATES)} FROM paycli.onye_update WHERE job = ${literal(job)}`,
  updateCounts: (answer: Answer): RowCounts => countsFrom(UPDATE_STATES, answer),
  sending: (job: string): string =>
    `SELECT ${UPDATE} FROM paycli.onye_update WHERE job = ${literal(job)} AND state = 'sending'`,
  updates: (job: string, first: number, last: number): string => `SELECT ${UPDATE} FROM paycli.onye_update
    WHERE job = ${literal(job)} AND "row" BETWEEN ${first} AND ${last} ORDER BY "row"`,
};
