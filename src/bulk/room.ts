import { runJob } from './job.ts';
import { runRows } from './run.ts';
import { sendingOf } from './sending.ts';
import { showProgress } from './show.ts';
import { jobResult } from './summary.ts';

/** Files of rows, for the commands that are given it. */
export const bulkRoom = { runJob, runRows, sendingOf, jobResult, showProgress };
export type BulkRoom = typeof bulkRoom;
