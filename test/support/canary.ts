import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The secret key of every black-box run. At the end canary-search.ts searches the output for it. */
export const CANARY = `sk.Cnry.${'c4n4ry7Kq'.repeat(9).slice(0, 80)}`;

/** All folders and transcripts of one test run. */
export const RUN_FOLDER = process.env['PAYCLI_TEST_RUN'] ?? join(tmpdir(), 'paycli-test');
