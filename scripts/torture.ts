/**
 * Runs the fault tests: every system call of a charge fails, or is the last before a kill; a charge is paused at each of
 * them until its deadline; power is lost at every moment, also for the webhook listener; a PostgreSQL ledger is cut off and
 * killed. Without --short also: files of charges under kills and faults, hostile answers, sabotages of a PostgreSQL ledger,
 * fuzzing of all input, a listener that is killed and sent anything, and the fault tests of
 * `npm test` in full size. Prints a table of figures; --figures FILE writes them as
 * JSON. NAMEs choose parts: deaths, pauses, power-loss, bulk, answers, fuzz, shared, webhooks, tests. PAYCLI_PROGRAM=dist/paycli
 * tests the standalone program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answers } from '../test/faults/answers.ts';
import { bulk } from '../test/faults/bulk.ts';
import { deaths } from '../test/faults/deaths.ts';
import { fuzz } from '../test/faults/fuzz.ts';
import type { Figure, Part } from '../test/faults/part.ts';
import { pauses } from '../test/faults/pauses.ts';
import { powerLoss } from '../test/faults/power-loss.ts';
import { shared } from '../test/faults/shared.ts';
import { hasStrace } from '../test/faults/strace.ts';
import { webhooks } from '../test/faults/webhooks.ts';
import { RUNTIME } from '../test/support/built.ts';
import { foldersGoTo } from '../test/support/memory.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const give = (why: string): never => {
  process.stderr.write(`${why}\n`);
  process.exit(1);
};

/** Figures as lines of JSON, written by the fault tests. */
const figuresIn = (file: string): Figure[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Figure)
    : [];

/** The fault tests of `npm test`, in full size. */
const tests: Part = async ({ folder }) => {
  const file = join(folder, 'figures.ndjson');
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
  const env = { ...process.env, PAYCLI_TORTURE: 'full', PAYCLI_TORTURE_FIGURES: file };
  const run = spawnSync(process.execPath, [vitest, 'run', 'test/faults'], { stdio: 'inherit', env });
  const figures = figuresIn(file);
  const failures = [
    ...(run.status === 0 ? [] : [`the fault tests ended with ${run.status ?? run.signal}; what failed is shown above`]),
    ...(figures.length === 0 ? ['the fault tests gave no figures'] : []),
  ];
  return { figures, failures };
};

const PARTS: Readonly<Record<string, Part>> = {
  ...{ deaths, pauses, 'power-loss': powerLoss, bulk, answers, fuzz },
  ...{ shared, webhooks, tests },
};
/** `npm test` has their short form. */
const NOT_SHORT = ['bulk', 'answers', 'fuzz', 'tests'];

const parsed = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { short: { type: 'boolean', default: false }, figures: { type: 'string' } },
    });
  } catch (thrown) {
    return give((thrown as Error).message);
  }
};

const chosen = (names: readonly string[], short: boolean): string[] => {
  const known = Object.keys(PARTS);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) give(`there is no part ${stranger}; there are: ${known.join(', ')}`);
  if (names.length > 0) return [...names];
  return known.filter((name) => !short || !NOT_SHORT.includes(name));
};

const seconds = (since: number): number => Math.round((performance.now() - since) / 1000);

const { values, positionals } = parsed();
const { short, figures: file } = values;
const names = chosen(positionals, short);
if (!hasStrace()) give('strace is missing: apt-get install strace');
const builds = [['scripts/build.ts'], ...(RUNTIME === 'bun' ? [['scripts/build-standalone.ts', '--here']] : [])];
for (const script of builds) {
  if (spawnSync(process.execPath, script, { stdio: 'inherit' }).status !== 0) give('the build failed');
}

const figures: Figure[] = [];
const failures: string[] = [];
for (const name of names) {
  const folder = mkdtempSync(join(foldersGoTo(), `paycli-torture-${name}-`));
  const started = performance.now();
  try {
    const result = await (PARTS[name] as Part)({ short, folder, say });
    figures.push(...result.figures);
    failures.push(...result.failures);
  } catch (thrown) {
    failures.push(`${name}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  figures.push({ name: `${name}: seconds`, value: seconds(started) });
}

const width = Math.max(...figures.map(({ name }) => name.length));
say('');
for (const { name, value, unit = '' } of figures) say(`${name.padEnd(width)}  ${value} ${unit}`.trimEnd());
for (const failure of failures) say(`\nFAILED  ${failure}`);
say(failures.length === 0 ? '\nnothing failed' : `\n${failures.length} failed`);
if (file !== undefined) writeFileSync(file, `${JSON.stringify({ short, figures, failures }, null, 2)}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
