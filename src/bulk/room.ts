import { runRows } from './pace.ts';
import { showProgress } from './progress.ts';
import { gravest } from './row-end.ts';
import { runFile } from './run-file.ts';

/** Files of rows, for the commands that are given it. */
export const bulkRoom = { runFile, runRows, showProgress, gravest };
export type BulkRoom = typeof bulkRoom;
