/**
 * What each runtime dependency costs a start, as the ratio of `node -e "import it"` to a bare `node -e 0`, and what the
 * built program costs. Rounds are interleaved and medians taken, since machines are noisy. Run: npm run bench:imports
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = 15;
const home = mkdtempSync(join(tmpdir(), 'paycli-bench-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: home, PAYCLI_HOME: home };
const load = (name: string): string[] => ['--input-type=module', '-e', `await import('${name}')`];

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['bare node', ['-e', '0']],
  ...['commander', 'zod', 'undici', 'conf', 'env-paths', 'chalk', 'cli-table3', 'uqr', 'hono', '@hono/node-server'].map(
    (name) => [name, load(name)] as const,
  ),
  ['undici, the parts that paycli loads', load('undici/lib/dispatcher/client.js')],
  ['paycli --version', ['bin/paycli.js', '--version']],
  ['paycli ugwo charge --help', ['bin/paycli.js', 'ugwo', 'charge', '--help']],
  ['paycli ugwo list --local -q', ['bin/paycli.js', 'ugwo', 'list', '--local', '-q']],
];

const once = (args: readonly string[]): number => {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${String(stderr)}`);
  return performance.now() - started;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

try {
  for (const [, args] of CASES) once(args);
  const times = CASES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, [, args]] of CASES.entries()) times[index]?.push(once(args));
  }
  const bare = median(times[0] ?? []);
  process.stdout.write(`| start | ratio to a bare node |\n|---|---|\n`);
  for (const [index, [name]] of CASES.entries()) {
    process.stdout.write(`| ${name} | ${(median(times[index] ?? []) / bare).toFixed(2)} |\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
