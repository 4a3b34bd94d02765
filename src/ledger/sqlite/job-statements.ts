import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { RowCounts, RowState } from '../../core/row.ts';
import type { Row } from '../columns.ts';
import { type Job, type Jobs, type KeptUpdate, UPDATE_STATES } from '../job.ts';
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
import { placesFor, preparing, rowsOf } from './statements.ts';

/** The last one of each row: beside max(), SQLite takes the other columns from where the greatest one is. */
const LAST_ENTRIES = `SELECT max(seq), ${ENTRY_STATE} FROM charge WHERE job = ? GROUP BY row`;

const OPEN = `INSERT INTO job (${JOB}) VALUES (${placesFor(JOB)}) ON CONFLICT (id) DO UPDATE SET ${GONE_ON}`;
const WRITE = `INSERT OR REPLACE INTO onye_update (${UPDATE}) VALUES (${placesFor(UPDATE)})`;

/** The SQL of jobs and updates, prepared when it is first used. */
export const jobStatements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const all = (query: string, ...values: SQLInputValue[]): readonly Row[] => rowsOf(sql(query), ...values);
  const tally = (states: readonly RowState[], from: string, job: string): RowCounts =>
    countsFrom(states, all(`SELECT ${countsOf(states)} FROM ${from}`, job)[0]);
  const updates = (where: string, ...values: SQLInputValue[]): KeptUpdate[] =>
    all(`SELECT ${UPDATE} FROM onye_update WHERE job = ? AND ${where}`, ...values).map(updateOf);
  return {
    open: (job: Parameters<Jobs['open']>[0], now: number): void => {
      sql(OPEN).run(...jobValues({ ...job, createdAt: now, runAt: now }));
    },
    get: (id: string): Job | undefined => all(`SELECT ${JOB} FROM job WHERE id = ?`, id).map(jobOf)[0],
    list: (before: string | undefined, limit: number): Job[] =>
      all(
        // Node 22.19 takes a parameter with a number for one with a name.
        `SELECT ${JOB} FROM job WHERE ? IS NULL OR seq < (SELECT seq FROM job WHERE id = ?) ORDER BY seq DESC LIMIT ?`,
        ...[before ?? null, before ?? null, limit],
      ).map(jobOf),
    chargeTally: (job: string): RowCounts => tally(ENTRY_STATES, `(${LAST_ENTRIES})`, job),
    updateTally: (job: string): RowCounts => tally(UPDATE_STATES, 'onye_update WHERE job = ?', job),
    sendingUpdates: (job: string): KeptUpdate[] => updates("state = 'sending'", job),
    updates: (job: string, first: number, last: number): KeptUpdate[] =>
      updates('"row" BETWEEN ? AND ? ORDER BY "row"', job, first, last),
    write: (update: KeptUpdate): void => {
      sql(WRITE).run(...updateValues(update));
    },
  };
};
