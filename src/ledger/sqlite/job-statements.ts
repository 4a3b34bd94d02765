import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { CHARGE_STATES, FAILED_STATUSES } from '../../core/charge.ts';
import { CHARGE } from '../../core/effect.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import type { RowCounts, RowState } from '../../core/row.ts';
import type { Job, JobKind, Jobs, KeptUpdate, UpdateState } from '../job.ts';
import { UPDATE_STATES } from '../job.ts';
import { number, optionalNumber, optionalText, text } from '../rows.ts';
import { preparing } from './statements.ts';

/** A row by the names of its columns. */
type Named = Readonly<Record<string, SQLOutputValue>>;

const jobOf = (row: Named): Job => ({
  id: text(row['id']),
  kind: text(row['kind']) as JobKind,
  command: text(row['command']),
  name: text(row['name']),
  service: text(row['service']),
  origin: text(row['origin']),
  profile: optionalText(row['profile']),
  rows: number(row['rows']),
  createdAt: number(row['created_at']),
  runAt: number(row['run_at']),
});

/** A row of the table as an update. */
const updateOf = (row: Named): KeptUpdate => ({
  job: text(row['job']),
  row: number(row['row']),
  onye: text(row['onye']),
  state: text(row['state']) as UpdateState,
  exitCode: optionalNumber(row['exit_code']),
  message: optionalText(row['message']),
  deadline: number(row['deadline']),
  sender: { pid: number(row['pid']), boot: text(row['boot']), started: text(row['started']) },
});

/** A count of each state in one pass, where GROUP BY would sort all rows first. */
const countsOf = (states: readonly RowState[]): string =>
  states.map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`).join();

/** Whether nothing came of what was made: a charge says so by its status, what else there is at once. */
const FAILED = `iif(kind = '${CHARGE}', status IN (${FAILED_STATUSES.map((status) => `'${status}'`).join()}),
  exit_code = ${EXIT_CODES.charge_failed})`;

/** The last one of each row: beside max(), SQLite takes the other columns from where the greatest one is. */
const LAST_ENTRIES = `SELECT max(seq), iif(state = 'accepted' AND ${FAILED}, 'failed', state) AS state
  FROM charge WHERE job = ? GROUP BY row`;

/** The SQL of jobs and updates, prepared when it is first used. */
export const jobStatements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const all = (query: string, ...values: SQLInputValue[]): Named[] => sql(query).all(...values);
  return {
    open: (
      { id, kind, command, name, service, origin, profile, rows }: Parameters<Jobs['open']>[0],
      now: number,
    ): void => {
      sql(`INSERT INTO job (id, kind, command, name, service, origin, profile, rows, created_at, run_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, name = excluded.name, profile = excluded.profile`).run(
        ...[id, kind, command, name, service, origin, profile ?? null, rows, now, now],
      );
    },
    get: (id: string): Job | undefined => all('SELECT * FROM job WHERE id = ?', id).map(jobOf)[0],
    list: (before: string | undefined, limit: number): Job[] =>
      all(
        // Node 22.19 takes a parameter with a number for one with a name.
        'SELECT * FROM job WHERE ? IS NULL OR seq < (SELECT seq FROM job WHERE id = ?) ORDER BY seq DESC LIMIT ?',
        before ?? null,
        before ?? null,
        limit,
      ).map(jobOf),
    chargeTally: (job: string): RowCounts => ({
      ...sql(`SELECT ${countsOf([...CHARGE_STATES, 'failed'])} FROM (${LAST_ENTRIES})`).get(job),
    }),
    updateTally: (job: string): RowCounts => ({
      ...sql(`SELECT ${countsOf(UPDATE_STATES)} FROM onye_update WHERE job = ?`).get(job),
    }),
    sendingUpdates: (job: string): KeptUpdate[] =>
      all("SELECT * FROM onye_update WHERE job = ? AND state = 'sending'", job).map(updateOf),
    updates: (job: string, first: number, last: number): KeptUpdate[] =>
      all('SELECT * FROM onye_update WHERE job = ? AND row BETWEEN ? AND ? ORDER BY row', job, first, last).map(
        updateOf,
      ),
    write: ({ job, row, onye, state, deadline, exitCode, message, sender }: KeptUpdate): void => {
      const { pid, boot, started } = sender;
      sql(`INSERT OR REPLACE INTO onye_update (job, row, onye, state, deadline, exit_code, message, pid, boot, started)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
        ...[job, row, onye, state, deadline, exitCode ?? null, message ?? null, pid, boot, started],
      );
    },
  };
};
