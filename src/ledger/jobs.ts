import { idProblem } from '../core/ids.ts';
import type { RowCounts } from '../core/row.ts';
import { isTakenUp } from '../core/row.ts';
import type { Context } from './context.ts';
import type { Jobs, Update } from './job.ts';
import { updateOf } from './job-statements.ts';
import type { Ledger } from './ledger.ts';
import { cleaned, withoutNumbers } from './private.ts';
import type { Row } from './rows.ts';
import { number, senderOf } from './rows.ts';

const GONE = 'its process ended before it could save the result';

/** A row of updates whose process has gone is unknown; that is written when it is next begun or settled. */
const asItStands =
  ({ moment, isGone }: Context) =>
  (row: Row): Update => {
    const update = updateOf(row);
    if (update.state !== 'sending' || !isGone(senderOf(row), moment().at > number(row, 'deadline'))) return update;
    return { ...update, state: 'unknown', message: GONE };
  };

const withoutZeros = (counts: RowCounts): RowCounts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Without the checks of an identifier anything may stand where one should. */
const keptOnye = (onye: string, clean: (text: string) => string): string =>
  idProblem('ony', onye) === undefined ? onye : withoutNumbers(clean(onye));

const mayBegin = ({ state, exitCode }: Update, { retry, looked }: Parameters<Jobs['beginUpdate']>[1]): boolean =>
  isTakenUp({ state, exitCode }, retry) || (looked && state === 'unknown');

/** Jobs and their rows, over the ledger's context. */
export const jobsOver = (context: Context, leave: AbortSignal): Jobs => {
  const { sql, jobs, self, moment, clean, read, write, attempt, reserve } = context;
  const stands = asItStands(context);
  const updateTally = (job: string): RowCounts => {
    const { sending = 0, unknown = 0, ...others } = jobs.updateTally(job);
    const gone = jobs.sendingUpdates(job).filter((row) => stands(row).state === 'unknown').length;
    return { ...others, sending: sending - gone, unknown: unknown + gone };
  };
  return {
    open: (job, atOnce) => {
      reserve(atOnce);
      return write(() => jobs.open({ ...job, name: clean(job.name) }, moment().at));
    },
    get: (id) => read(() => jobs.get(id)),
    list: ({ before, limit }) => read(() => jobs.list(before, limit)),
    tally: ({ id, command }) =>
      read(() => withoutZeros(command === 'ugwo charge' ? jobs.chargeTally(id) : updateTally(id))),
    charges: (job, first, last) => read(() => sql.ofRows(job, first, last)),
    updates: (job, first, last) => read(() => jobs.updateRows(job, first, last).map(stands)),
    beginUpdate: ({ job, row, onye, deadline }, how) =>
      attempt(() => {
        const [before] = jobs.updateRows(job, row, row).map(stands);
        if (before !== undefined && !mayBegin(before, how)) return false;
        jobs.begin({ job, row, onye: keptOnye(onye, clean), deadline, ...self });
        return true;
      }),
    settleUpdate: ({ job, row }, outcome) => {
      // The service's words may repeat what was sent.
      const kept = cleaned(outcome, (text) => withoutNumbers(clean(text)));
      return write(() => jobs.settle(job, row, kept), leave);
    },
  };
};

/** How many rows of a job were ever begun; 0 of one that nobody knows. */
export const rowsBegun = async ({ jobs }: Ledger, id: string): Promise<number> => {
  const job = await jobs.get(id);
  const counts = job === undefined ? {} : await jobs.tally(job);
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
};
