import { runJob } from './job.ts';
import { runRows } from './pacing/run.ts';
import { showProgress } from './progress/show.ts';
import { jobResult } from './reporting/summary.ts';
import { sendingOf } from './sending.ts';

/** Files of rows, for the commands that are given it. */
export const bulkRoom = { runJob, runRows, sendingOf, jobResult, showProgress };
export type BulkRoom = typeof bulkRoom;
