import type { Result } from '../../core/result.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { find, findJob, namesJob } from './find.ts';
import { approvalStep, stepsOf } from './job-steps.ts';
import { countsOf, jobRecordOf, jobView } from './job-view.ts';
import { recorderOf } from './pages.ts';
import { viewOf } from './view.ts';

const showJob = async (ledger: Ledger, id: string): Promise<Result> => {
  const job = await findJob(ledger, id);
  const counts = await countsOf(ledger, job);
  const approval = await ledger.policies.approval(id);
  const steps = [...approvalStep(approval), ...stepsOf(job, counts)];
  return {
    kind: 'record',
    record: jobRecordOf(job, counts, await ledger.jobs.workers(id), approval),
    view: jobView,
    ...(steps.length === 0 ? {} : { notice: steps }),
  };
};

const showCharge = async (ledger: Ledger, id: string, deps: Deps): Promise<Result> => {
  const charge = await find(ledger, id);
  return { kind: 'record', record: (await recorderOf(deps))(charge), view: viewOf(charge) };
};

/** One charge with its evidence, or one job with how its rows stand and how to go on. */
export const run = async ({ id }: { readonly id: string }, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  return namesJob(id) ? showJob(ledger, id) : showCharge(ledger, id, deps);
};
