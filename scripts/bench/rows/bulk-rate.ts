import { join } from 'node:path';
import { writeRows } from '../run/charge-file.ts';
import { environment, NPM_BUILD, newHome, run } from '../run/programs.ts';
import { race } from '../run/race.ts';
import { during, startCharges } from '../run/services.ts';
import type { Bench } from './scene.ts';

const ROWS = 2000;
const CONCURRENCY = 16;
/** The milliseconds that an answer takes. With a constant time, the answers of all rows in flight would come at once. */
const DELAYS = '50-150';
const ROUNDS = 5;

export const chargeFile = (file: string, ...options: readonly string[]): string[] => [
  ...['ugwo', 'charge', '--from', file, '--medium', 'bank_transfer'],
  ...['--concurrency', String(CONCURRENCY), '--yes', '-o', 'json', ...options],
];

const WORK = `Node, a file of ${ROWS.toLocaleString('en')} charges, answers after ${DELAYS} ms, concurrency ${CONCURRENCY}`;

/**
 * Row 7: a bulk charge with its ledger on the disk, from the start of the process to its end: without a read before each
 * charge against the time that the service alone takes, and with it against the same without.
 */
export const bulkRate: Bench = ({ folder }) =>
  during(startCharges(DELAYS), (origin) => {
    const file = join(folder, 'rows.csv');
    writeRows(file, ROWS);
    const bulk = (...options: readonly string[]): number => {
      const env = { ...environment(folder, newHome(folder)), PAYCLI_BASE_URL: origin };
      const { ms, stdout } = run([...NPM_BUILD, ...chargeFile(file, ...options)], env);
      const { accepted } = JSON.parse(stdout) as { accepted?: unknown };
      if (accepted !== ROWS) throw new Error(`not all rows were accepted: ${stdout}`);
      return ms;
    };
    /** From the answers that the service has given so far. */
    const ideal = async (): Promise<number> =>
      (ROWS / CONCURRENCY) * Number(await (await fetch(`${origin}/mean`)).text());
    return race({
      rounds: ROUNDS,
      warmUp: false,
      contenders: { 'without reads': () => bulk('--no-preflight'), 'with reads': () => bulk(), ideal },
      comparisons: [
        {
          row: 7,
          name: 'file of charges',
          work: `${WORK}, \`--no-preflight\``,
          against: 'rows × mean answer time / concurrency',
          ratio: ['ideal', 'without reads'],
          goal: { bound: '≥', value: 0.94 },
        },
        {
          row: 7,
          name: 'file of charges, each read first',
          work: 'the same, each request read first',
          against: 'the same with `--no-preflight`',
          ratio: ['with reads', 'without reads'],
          goal: { bound: '≤', value: 1.25 },
        },
      ],
    });
  });
