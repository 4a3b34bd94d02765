/**
 * The measures of design/performance.md that are taken side by side in one run: `npm run bench -- [--row 7] [--long] [--json FILE]`.
 * Nothing fails by being slow; `--long` adds what takes many minutes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bulkMemory } from './bulk-memory.ts';
import { bulkRate } from './bulk-rate.ts';
import { ledgerGrowth } from './ledger-growth.ts';
import type { Measured } from './measured.ts';
import { tableOf } from './measured.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'string' }, long: { type: 'boolean' }, row: { type: 'string' } },
});

type Bench = (folder: string) => Promise<readonly Measured[]>;

const BENCHES: Readonly<Record<string, Bench>> = {
  7: async (folder) => [await bulkRate(folder), ...(options.long === true ? [await bulkMemory(folder)] : [])],
  8: ledgerGrowth,
};

const folder = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
try {
  const measured: Measured[] = [];
  for (const [row, bench] of Object.entries(BENCHES)) {
    if (options.row === undefined || options.row === row) measured.push(...(await bench(folder)));
  }
  process.stdout.write(tableOf(measured));
  const machine = { node: process.version, platform: process.platform, cpus: cpus().map(({ model }) => model) };
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ machine, measured }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
