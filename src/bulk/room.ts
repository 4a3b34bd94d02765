import { runFile } from './job.ts';
import { runRows } from './pacing/run.ts';
import { showProgress } from './progress/show.ts';
import { gravest } from './row-exit.ts';

/** Files of rows, for the commands that are given it. */
export const bulkRoom = { runFile, runRows, showProgress, gravest };
export type BulkRoom = typeof bulkRoom;
