/**
 * The rounds of tests that `npm test` leaves out: what users see, once more of the standalone program; then what
 * knows a time zone or a language, as on a machine abroad: fourteen hours ahead of UTC, with a language that sorts, groups digits
 * and writes dates in its own way; and the ledger's over a newer PostgreSQL than the machine's own.
 * Arguments go to vitest; `--only NAME` runs one of the rounds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM_HERE } from './pinned.ts';

interface Round {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Files of tests, by name: vitest passes over its --exclude where a project has one of its own. */
const tests = (wanted: string, exclude: readonly string[]): string[] => globSync(wanted, { exclude });

const ABROAD = [
  'test/core/{abroad,bounds,http-date,money,suggest,time,zone}.test.ts',
  'test/output/{card,cell,columns,count,inner-list,next-action,render,share,table,tsv,width}.test.ts',
  'test/bulk/progress-line.test.ts',
  'test/ledger/{refused,refused-words,report}.test.ts',
  'test/commands/ledger.test.ts',
  'test/blackbox/{find,ledger-report,list,pass-on}.test.ts',
];

const ROUNDS: Readonly<Record<string, Round>> = {
  standalone: {
    env: { PAYCLI_PROGRAM: PROGRAM_HERE },
    // What these do runs in the tests' own process, whatever the program is.
    args: tests('test/{blackbox,faults,standalone}/*.test.ts', [
      'test/faults/{disk,fuzz,model,postgres,postgres-around,postgres-relay,sabotage}.test.ts',
    ]),
  },
  abroad: {
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'sk_SK.UTF-8', PAYCLI_TEST_ABROAD: '1' },
    // What knows the time zone or a language (test/structure/abroad.test.ts), what prints it, and what users see of that.
    args: ABROAD.flatMap((wanted) => tests(wanted, [])),
  },
  postgres: {
    env: { PAYCLI_TEST_POSTGRES: 'packaged' },
    args: tests('test/ledger/**/*.test.ts', ['test/ledger/sqlite/**']),
  },
};

/** What a round tests, where it is not what npm installs. */
const isThere = ({ env }: Round): boolean => env['PAYCLI_PROGRAM'] === undefined || existsSync(env['PAYCLI_PROGRAM']);

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
for (const [name, round] of Object.entries(ROUNDS)) {
  const { env, args } = round;
  if (values.only !== undefined && values.only !== name) continue;
  const leftOut = !isThere(round);
  process.stdout.write(`\nround: ${name}${leftOut ? ', left out: there is no such program for this machine' : ''}\n`);
  if (leftOut) continue;
  const files = positionals.length > 0 ? positionals : args;
  const run = spawnSync(process.execPath, [vitest, 'run', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  process.exitCode = run.status ?? 1;
  if (run.status !== 0) break;
}
