import type { Decision, Purpose } from '../backend.ts';
import type { Row } from '../columns.ts';
import type { JobRow, KeptUpdate } from '../job.ts';
import { ENTRY_STATE, jobStatements, UPDATE, updateOf, updateValues } from '../sql/job-rows.ts';
import { placesFor } from '../sql/statement.ts';
import { inlined } from './sql.ts';
import type { Step } from './step.ts';

export const JOBS = jobStatements('paycli.');

/** How the last entry of each row of a job stands. */
export const LAST_ENTRIES = `SELECT DISTINCT ON ("row") ${ENTRY_STATE} FROM paycli.charge WHERE job = ?
  ORDER BY "row", created_at DESC, seq DESC`;

const WRITTEN = `SELECT EXISTS (SELECT 1 FROM paycli.onye_update
  WHERE (${UPDATE}) IS NOT DISTINCT FROM (${placesFor(UPDATE)}))`;

/** A rule about one update of a customer as a step. */
export const updateStep = <T>(
  purpose: Purpose,
  of: JobRow,
  decide: (found: KeptUpdate | undefined) => Decision<KeptUpdate, T>,
): Step<T> => ({
  purpose,
  keys: [`row ${of.job} ${of.row}`],
  alone: false,
  looks: [inlined(JOBS.findUpdate(of))],
  decide: ([found]) => {
    const { result, write } = decide((found?.rows as readonly Row[] | undefined)?.map(updateOf)[0]);
    if (write === undefined) return { result, writes: [] };
    const statement = inlined(JOBS.writeUpdate(write));
    const ask = inlined([WRITTEN, ...updateValues(write)]);
    return { result, writes: [statement], proof: { ask, again: statement } };
  },
});
