import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { madeFolder } from './support.ts';
import type { Walked } from './walker.ts';

const folder = madeFolder();
const MEGABYTES = 16;
/** Limits the young generation, which would hide the growth. */
const FLAGS = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning'];

it.each(['csv', 'ndjson'])(
  `memory does not grow with the input or its report: ${MEGABYTES} MB of %s`,
  async (format) => {
    const walker = join(import.meta.dirname, 'walker.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...FLAGS,
      walker,
      format,
      folder,
      `${MEGABYTES}`,
      '40',
    ]);
    const { rows, grown } = JSON.parse(stdout) as Walked;
    expect(rows).toBeGreaterThan(30_000);
    expect(statSync(join(folder, `report.${format}`)).size).toBeGreaterThan(MEGABYTES * 1e6);
    expect(grown).toBeLessThan(11e6);
  },
);
