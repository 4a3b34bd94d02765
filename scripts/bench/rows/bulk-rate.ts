import { join } from 'node:path';
import { writeRows } from '../run/charge-file.ts';
import { BARE_POSTS, environment, loopEnvironment, NPM_BUILD, newHome, run } from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startCharges } from '../run/services.ts';
import type { Bench } from './scene.ts';

const ROWS = 10_000;
const CONCURRENCY = 16;
const PAIRS = 5;

export const chargeFile = (file: string, ...options: readonly string[]): string[] => [
  ...['ugwo', 'charge', '--from', file, '--medium', 'bank_transfer'],
  ...['--concurrency', String(CONCURRENCY), '--yes', '-o', 'json', ...options],
];

const WORK = `npm build on Node, rate of a file of ${ROWS.toLocaleString('en')} charges, concurrency ${CONCURRENCY}, ledger durable`;
const COMPARED = {
  row: 7,
  against: 'that of a bare undici loop, fresh connections, same concurrency',
  unit: { name: '/s', of: (ms: number) => (ROWS / ms) * 1000 },
};

/**
 * Row 7: a bulk charge with its ledger on the disk, without a look before each charge and with it, against a bare loop of the
 * charges alone. All from the start of the process to its end, over
 * connections that are made for one request each; the bare loop makes them over one Agent with `reset`, which is faster
 * than an Agent for each request.
 */
export const bulkRate: Bench = ({ folder }) =>
  during(startCharges(), (origin) => {
    const file = join(folder, 'rows.csv');
    writeRows(file, ROWS);
    const bare = (): number =>
      run([...BARE_POSTS, origin, String(ROWS), String(CONCURRENCY)], loopEnvironment(folder)).ms;
    const bulk = (...options: readonly string[]): number => {
      const env = { ...environment(folder, newHome(folder)), PAYCLI_BASE_URL: origin };
      const { ms, stdout } = run([...NPM_BUILD, ...chargeFile(file, ...options)], env);
      const { accepted } = JSON.parse(stdout) as { accepted?: unknown };
      if (accepted !== ROWS) throw new Error(`not all rows were accepted: ${stdout}`);
      return ms;
    };
    return race({
      rounds: PAIRS,
      warmUp: false,
      contenders: { 'bulk charge': () => bulk('--no-preflight'), 'with a look': () => bulk(), 'bare loop': bare },
      comparisons: [
        {
          ...COMPARED,
          name: 'bulk charge',
          work: `${WORK}, \`--no-preflight\``,
          ratio: ['bare loop', 'bulk charge'],
          goal: { bound: '≥', value: 0.7 },
        },
        {
          ...COMPARED,
          name: 'bulk charge with looks',
          work: `${WORK}, each payment request looked at first`,
          ratio: ['bare loop', 'with a look'],
          goal: { bound: '≥', value: 0.45 },
        },
      ],
    });
  });
