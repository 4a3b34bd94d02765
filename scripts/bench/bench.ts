/**
 * The rows of docs/performance.md, side by side in one run: `npm run bench -- [--row N …] [--long] [--write]`.
 * Prints a table; `--write` puts it and a chart into docs/, in place of what was there of the same rows. `--long` adds what
 * takes many minutes. Nothing fails by being slow, and a row that lacks a program says so.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandHere, commitHere, machineHere, programsHere } from './report/here.ts';
import { tableOf } from './report/table.ts';
import { writeReport } from './report/write.ts';
import { bulkMemory } from './rows/bulk-memory.ts';
import { bulkRate } from './rows/bulk-rate.ts';
import { emulatorGrowth } from './rows/emulator-growth.ts';
import { firstRow } from './rows/first-row.ts';
import { ledgerGrowth } from './rows/ledger-growth.ts';
import { ledgerReads } from './rows/ledger-reads.ts';
import { onePage } from './rows/one-page.ts';
import type { Bench } from './rows/scene.ts';
import { sharedGrowth } from './rows/shared-growth.ts';
import { sharedRate, workersRate } from './rows/shared-rate.ts';
import { npmStarts, standaloneStarts } from './rows/starts.ts';
import { statement } from './rows/statement.ts';
import { walkMemory } from './rows/walk-memory.ts';
import { walkBesideCurl, walkBesideLoop } from './rows/walks.ts';
import { webhookRate } from './rows/webhook-rate.ts';
import type { Line } from './run/line.ts';

const bulk: Bench = async (scene) => [...(await bulkRate(scene)), ...(scene.long ? await bulkMemory(scene) : [])];

/** The last one measures within this process, which is larger after it. */
const BENCHES = new Map<string, Bench>([
  ['1', standaloneStarts],
  ['2', npmStarts],
  ['3', onePage],
  ['4', walkBesideCurl],
  ['5', walkBesideLoop],
  ['6', walkMemory],
  ['7', bulk],
  ['9', firstRow],
  ['10', emulatorGrowth],
  ['11', sharedRate],
  ['13', webhookRate],
  ['14', ledgerReads],
  ['15', statement],
  ['16', workersRate],
  ['8', ledgerGrowth],
]);
/** By name alone: it fills a ledger with ten million charges. */
const LONG = new Map<string, Bench>([['12', sharedGrowth]]);

const { values: options } = parseArgs({
  options: {
    row: { type: 'string', multiple: true, default: [...BENCHES.keys()] },
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const benchOf = (row: string): Bench => {
  const bench = BENCHES.get(row) ?? LONG.get(row);
  if (bench === undefined) throw new Error(`there is no row ${row}`);
  return bench;
};
const chosen = options.row.map((row) => [row, benchOf(row)] as const);

const machine = machineHere();
const folder = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
try {
  const lines: Line[] = [];
  for (const [row, bench] of chosen) {
    process.stderr.write(`row ${row} …\n`);
    lines.push(...(await bench({ folder, long: options.long })));
  }
  process.stdout.write(tableOf(lines));
  if (options.write) {
    writeReport({
      date: new Date().toISOString().slice(0, 10),
      command: commandHere(),
      commit: commitHere(),
      machine,
      programs: programsHere(),
      lines,
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
