import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The secret key of every black-box run. What the runs wrote is searched for it at the end (canary-search.ts). */
export const CANARY = `sk.Cnry.${'c4n4ry7Kq'.repeat(9).slice(0, 80)}`;

/** Every folder and transcript of one run of the tests. */
export const RUN_FOLDER = process.env['PAYCLI_TEST_RUN'] ?? join(tmpdir(), 'paycli-test');
