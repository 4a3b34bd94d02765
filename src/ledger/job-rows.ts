import { CHARGE_STATES, FAILED_STATUSES } from '../core/charge.ts';
import { CHARGE } from '../core/effect.ts';
import { EXIT_CODES } from '../core/exit.ts';
import type { RowCounts, RowState } from '../core/row.ts';
import { number, optionalNumber, optionalText, text } from '../database/values.ts';
import type { Row, Value } from './columns.ts';
import type { Job, JobKind, KeptUpdate, UpdateState } from './job.ts';

// Jobs and updates as rows of a table, whatever the database. `row` is a word of SQL's own.

export const JOB = 'id, kind, command, name, service, origin, profile, rows, created_at, run_at';
export const UPDATE = 'job, "row", onye, state, deadline, exit_code, message, pid, boot, started';

/** What changes of a job that is gone on with. */
export const GONE_ON = 'run_at = excluded.run_at, name = excluded.name, profile = excluded.profile';

export const jobOf = ([id, kind, command, name, service, origin, profile, rows, created, run]: Row): Job => ({
  ...{ id: text(id), kind: text(kind) as JobKind, command: text(command), name: text(name) },
  ...{ service: text(service), origin: text(origin), profile: optionalText(profile) },
  ...{ rows: number(rows), createdAt: number(created), runAt: number(run) },
});

export const jobValues = ({
  id,
  kind,
  command,
  name,
  service,
  origin,
  profile,
  rows,
  createdAt,
  runAt,
}: Job): Value[] => [id, kind, command, name, service, origin, profile ?? null, rows, createdAt, runAt];

export const updateOf = ([job, row, onye, state, deadline, exit, message, pid, boot, started]: Row): KeptUpdate => ({
  ...{ job: text(job), row: number(row), onye: text(onye), state: text(state) as UpdateState },
  ...{ deadline: number(deadline), exitCode: optionalNumber(exit), message: optionalText(message) },
  sender: { pid: number(pid), boot: text(boot), started: text(started) },
});

export const updateValues = ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): Value[] => [
  ...[job, row, onye, state, deadline, exitCode ?? null, message ?? null],
  ...[sender.pid, sender.boot, sender.started],
];

export const ENTRY_STATES: readonly RowState[] = [...CHARGE_STATES, 'failed'];

/** A count of each state in one pass, where GROUP BY would sort all rows first. */
export const countsOf = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join();

/** What such counts say. */
export const countsFrom = (states: readonly RowState[], row: Row = []): RowCounts =>
  Object.fromEntries(states.map((state, at) => [state, number(row[at])]));

/**
 * How an entry stands. Whether nothing came of what was made, a charge says by its status, what else there is at once.
 */
export const ENTRY_STATE = `CASE WHEN state = 'accepted' AND CASE WHEN kind = '${CHARGE}'
  THEN status IN (${FAILED_STATUSES.map((status) => `'${status}'`).join()})
  ELSE exit_code = ${EXIT_CODES.charge_failed} END THEN 'failed' ELSE state END AS state`;
