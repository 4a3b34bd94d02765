import { PAGE_MAX } from '../../core/page.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { findJob } from './find.ts';
import { updateRecordOf, updatesView } from './job-view.ts';
import type { Recorder } from './pages.ts';
import { pagesOf, recorderOf } from './pages.ts';
import { exportView } from './view.ts';

const cursorOf = (row: number): string => Buffer.from(`row:${row}`).toString('base64url');

/** What was made for the rows from `first` to `last`: every entry, or the update of each. */
const recordsOf = async (
  { jobs }: Ledger,
  record: Recorder,
  { id, kind }: Job,
  first: number,
  last: number,
): Promise<Received[]> =>
  kind === 'charge'
    ? (await jobs.entries(id, first, last)).map(record)
    : (await jobs.updates(id, first, last)).map(updateRecordOf);

/** What was made for a job, by the rows of its file. A page is so many rows, begun or not. */
async function* rowPages(ledger: Ledger, record: Recorder, job: Job): AsyncGenerator<ReceivedPage> {
  let [first, cursor] = [1, undefined as string | undefined];
  for (;;) {
    const last = first + PAGE_MAX - 1;
    const nextCursor = last < job.rows ? cursorOf(last) : null;
    yield { records: await recordsOf(ledger, record, job, first, last), cursor, nextCursor };
    if (nextCursor === null) return;
    [first, cursor] = [last + 1, nextCursor];
  }
}

/** All that was sent once, oldest first, or all that was made for one job, by its rows. */
export const run = async (
  { job: id, allProfiles }: { readonly job: string | undefined; readonly allProfiles: boolean },
  deps: Deps,
): Promise<Result> => {
  const [ledger, record] = [await deps.ledger(), await recorderOf(deps)];
  if (id === undefined) {
    const filter = { ...(allProfiles ? {} : await deps.scope()), oldestFirst: true };
    return { kind: 'list', pages: pagesOf(ledger, record, filter, {}), view: exportView };
  }
  const job = await findJob(ledger, id);
  return {
    kind: 'list',
    pages: rowPages(ledger, record, job),
    view: job.kind === 'charge' ? exportView : updatesView,
  };
};
