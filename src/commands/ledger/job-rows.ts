import { PAGE_MAX } from '../../core/page.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { updateRecordOf } from './job-view.ts';
import type { Recorder } from './recorder.ts';

const cursorOf = (row: number): string => Buffer.from(`row:${row}`).toString('base64url');

/** What was made for the rows from `first` to `last`: every charge, or the update of each. */
const recordsOf = async (
  { jobs }: Ledger,
  record: Recorder,
  { id, kind }: Job,
  first: number,
  last: number,
): Promise<Received[]> =>
  kind === 'charge'
    ? (await jobs.charges(id, first, last)).map((charge) => record(charge))
    : (await jobs.updates(id, first, last)).map(updateRecordOf);

/** What was made for a job, by the rows of its file. A page is so many rows, begun or not. */
export async function* rowPages(ledger: Ledger, record: Recorder, job: Job): AsyncGenerator<ReceivedPage> {
  let [first, cursor] = [1, undefined as string | undefined];
  for (;;) {
    const last = first + PAGE_MAX - 1;
    const nextCursor = last < job.rows ? cursorOf(last) : null;
    yield { records: await recordsOf(ledger, record, job, first, last), cursor, nextCursor };
    if (nextCursor === null) return;
    [first, cursor] = [last + 1, nextCursor];
  }
}
