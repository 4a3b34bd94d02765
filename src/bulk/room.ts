import { runRows } from './pace.ts';
import { showProgress } from './progress.ts';
import { gravest } from './row-end.ts';
import { runFile } from './run-file.ts';

/** Bulk jobs, for commands that take a file of rows. */
export const bulkRoom = { runFile, runRows, showProgress, gravest };
export type BulkRoom = typeof bulkRoom;
