import type { Received } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Scope } from '../../ledger/place.ts';
import type { Deps } from '../deps.ts';
import { goOnFrom } from '../go-on.ts';
import type { Listed } from '../listed-pages.ts';
import { foreignCursor, listedPages } from '../listed-pages.ts';
import { countsOf, everyJobsView, jobRecordOf, jobsView } from './job-view.ts';

/** To count a million rows takes a good part of a second: few jobs are counted before the first are shown. */
const PAGE = 10;

const cursorOf = (id: string): string => Buffer.from(id).toString('base64url');

/** The job behind a cursor; a usage error for a text that is none of ours. */
const placeBehind = async ({ jobs }: Ledger, cursor: string): Promise<string> => {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (cursorOf(id) !== cursor || (await jobs.get(id)) === undefined) throw foreignCursor(cursor);
  return id;
};

const jobsOf = (ledger: Ledger, scope: Scope): Listed<Job, string> => ({
  find: (before, limit) => ledger.jobs.list({ ...scope, before, limit }),
  placeOf: ({ id }) => id,
  cursorOf,
  recordsOf: async (found) => {
    const records: Received[] = [];
    for (const job of found) {
      const [workers, approval] = [await ledger.jobs.workers(job.id), await ledger.policies.approval(job.id)];
      records.push(jobRecordOf(job, await countsOf(ledger, job), workers, approval));
    }
    return records;
  },
  size: PAGE,
});

interface Input {
  readonly max?: number;
  readonly cursor?: string;
  readonly allProfiles?: boolean;
}

/** The files that were charged or updated from here, newest first. */
export const run = async ({ max, cursor, allProfiles = false }: Input, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  const from = cursor === undefined ? undefined : await placeBehind(ledger, cursor);
  const words = [...(max === undefined ? [] : ['--max', String(max)]), ...(allProfiles ? ['--all-profiles'] : [])];
  return {
    kind: 'list',
    pages: listedPages(jobsOf(ledger, allProfiles ? {} : await deps.scope()), { from, max }),
    view: allProfiles ? everyJobsView : jobsView,
    goOn: (at) => goOnFrom(at, ['ledger', 'jobs'], words, deps.globals),
    ...(max === undefined ? {} : { max }),
  };
};
