/**
 * What each runtime dependency costs a start, as the ratio of `node -e "import it"` to a bare `node -e 0`, and what the
 * built program costs. Rounds are interleaved and medians taken, since machines are noisy. Run: npm run bench:imports
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './run/line.ts';
import { environment, run } from './run/programs.ts';
import { takeTurns } from './run/race.ts';

const ROUNDS = 15;
const BARE = 'bare node';
const folder = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const env = environment(folder);
const load = (name: string): string[] => ['--input-type=module', '-e', `await import('${name}')`];

const CASES: readonly (readonly [string, readonly string[]])[] = [
  [BARE, ['-e', '0']],
  ...['commander', 'zod', 'undici', 'conf', 'chalk', 'cli-table3'].map((name) => [name, load(name)] as const),
  ['undici, the parts that paycli loads', load('undici/lib/dispatcher/client.js')],
  ['paycli --version', ['bin/paycli.js', '--version']],
  ['paycli ugwo charge --help', ['bin/paycli.js', 'ugwo', 'charge', '--help']],
  ['paycli ugwo list --local -q', ['bin/paycli.js', 'ugwo', 'list', '--local', '-q']],
];

const starts = Object.fromEntries(
  CASES.map(([name, args]) => [name, () => run([process.execPath, ...args], env).ms] as const),
);

try {
  await takeTurns(1, starts);
  const times = await takeTurns(ROUNDS, starts);
  const bare = median(times[BARE] ?? []);
  process.stdout.write(`| start | ratio to a bare node |\n|---|---|\n`);
  for (const [name, ms] of Object.entries(times)) {
    process.stdout.write(`| ${name} | ${(median(ms) / bare).toFixed(2)} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
