import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { findJob } from './find.ts';
import { rowPages } from './job-rows.ts';
import { updatesView } from './job-view.ts';
import { pagesOf } from './pages.ts';
import { recorderOf } from './recorder.ts';
import type { ExportInput } from './spec.ts';
import { exportView } from './view.ts';

type Needs = Pick<Deps, 'ledger' | 'protocol'>;

/** Every charge, oldest first, or all that was made for one job, by its rows. */
export const run = async ({ job: id }: ExportInput, deps: Needs): Promise<Result> => {
  const [ledger, record] = [await deps.ledger(), await recorderOf(deps)];
  if (id === undefined)
    return { kind: 'list', pages: pagesOf(ledger, record, { oldestFirst: true }, {}), view: exportView };
  const job = await findJob(ledger, id);
  return {
    kind: 'list',
    pages: rowPages(ledger, record, job),
    view: job.kind === 'charge' ? exportView : updatesView,
  };
};
