import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './measured.ts';
import { median } from './measured.ts';
import { runBareLoop, runPaycli, startStub } from './programs.ts';
import { writeRows } from './rows.ts';

const ROWS = 10_000;
const CONCURRENCY = 16;
const PAIRS = 5;
const GOAL = 0.5;

export const chargeFile = (file: string): string[] => [
  ...['ugwo', 'charge', '--from', file, '--medium', 'bank_transfer'],
  ...['--concurrency', String(CONCURRENCY), '--yes', '-o', 'json'],
];

/**
 * Row 7: a bulk charge with its ledger on the disk, against a bare loop. Both from the start of the process to its end, over
 * connections that are made for one request each; the bare loop makes them over one Agent with `reset`, which is faster
 * than an Agent for each request.
 */
export const bulkRate = async (folder: string): Promise<Measured> => {
  const service = await startStub();
  const file = join(folder, 'rows.csv');
  writeRows(file, ROWS);
  const home = (): string => mkdtempSync(join(folder, 'home-'));
  const bare = async (): Promise<number> => (await runBareLoop(service.origin, ROWS, CONCURRENCY, home())).ms;
  const bulk = async (): Promise<number> => {
    const { ms, stdout } = await runPaycli(chargeFile(file), home(), service.origin);
    const { accepted } = JSON.parse(stdout) as { accepted?: unknown };
    if (accepted !== ROWS) throw new Error(`not all rows were accepted: ${stdout}`);
    return ms;
  };
  const pairs: { readonly bare: number; readonly bulk: number }[] = [];
  try {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      // Whoever comes first meets another machine than whoever comes second.
      const [first, second] = pair % 2 === 0 ? [await bare(), await bulk()] : [await bulk(), await bare()];
      pairs.push(pair % 2 === 0 ? { bare: first, bulk: second } : { bare: second, bulk: first });
    }
  } finally {
    service.close();
  }
  const ratio = median(pairs.map((pair) => pair.bare / pair.bulk));
  const perSecond = (ms: readonly number[]): number => (ROWS / median(ms)) * 1000;
  return {
    row: '7',
    work: `bulk charge, ${ROWS} rows, concurrency ${CONCURRENCY}, ledger durable`,
    against: 'the rate of a bare undici loop, fresh connections, same concurrency',
    ratio,
    goal: `≥ ${GOAL}`,
    holds: ratio >= GOAL,
    seen: {
      'rows/s': perSecond(pairs.map(({ bulk: ms }) => ms)),
      'bare POSTs/s': perSecond(pairs.map(({ bare: ms }) => ms)),
    },
  };
};
