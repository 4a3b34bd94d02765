/**
 * Runs the rounds that `npm test` leaves out: with the standalone program, the black-box tests of what its runtime does;
 * tests that depend on time zone or language, fourteen hours ahead of UTC, in a language with other sorting, digits and
 * dates; and the ledger's tests with a newer PostgreSQL. With `--whole`, the standalone program runs all black-box tests,
 * also what these run in their process.
 * Arguments go to vitest; `--only NAME` runs one round.
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

/** Test files by name. vitest ignores --exclude if a project has its own list. */
const tests = (wanted: string, exclude: readonly string[]): string[] => globSync(wanted, { exclude });

const ABROAD = [
  'test/core/{abroad,bounds,money,suggest,time}.test.ts',
  'test/output/{card,cell,columns,count,inner-list,next-action,render,share,table,tsv,width}.test.ts',
  'test/bulk/progress-line.test.ts',
  'test/charge/refused.test.ts',
  'test/ledger/report.test.ts',
  'test/commands/ledger.test.ts',
  'test/blackbox/{find,ledger-report,list,pass-on}.test.ts',
];

/** Streams, signals, terminals, sockets, files, SQLite and threads, which Bun brings itself. */
const OF_THE_RUNTIME = [
  'test/standalone/*.test.ts',
  'test/faults/{answers,bulk-hostile,bulk-kills,bulk-pace,bulk-stops,cuts,hearing,races,webhooks}.test.ts',
  'test/blackbox/{bulk,canary,charge,completion,connections,console,containers,door,emulator,ends,hostile,jq}.test.ts',
  'test/blackbox/{keychain,large-answers,ledger-bouncer,ledger-keeping,ledger-stopped,ledger-team,locked,mcp}.test.ts',
  'test/blackbox/{pager,pass-on,payment-page,pipes,prompts,protocol,read-ahead,share-with,streams,tls,usage}.test.ts',
  'test/blackbox/{wait,waiting,walk,watch-board,watch-exec,webhook-bounds,webhook-events,webhook-listen}.test.ts',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, whole: { type: 'boolean', default: false } },
});

const ROUNDS: Readonly<Record<string, Round>> = {
  standalone: {
    env: { PAYCLI_PROGRAM: PROGRAM_HERE, ...(values.whole ? {} : { PAYCLI_TEST_IN_PROCESS: '1' }) },
    args: values.whole
      ? tests('test/{blackbox,faults,standalone}/*.test.ts', [
          // These run in process, so the program doesn't matter.
          'test/faults/{disk,fuzz,lagging,model,postgres,postgres-around,postgres-relay,sabotage}.test.ts',
        ])
      : OF_THE_RUNTIME.flatMap((wanted) => tests(wanted, [])),
  },
  abroad: {
    env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'sk_SK.UTF-8', PAYCLI_TEST_ABROAD: '1' },
    // Code that depends on time zone or language (test/structure/abroad.test.ts), and its output.
    args: ABROAD.flatMap((wanted) => tests(wanted, [])),
  },
  postgres: {
    env: { PAYCLI_TEST_POSTGRES: 'packaged' },
    args: ['test/structure/queries.test.ts', ...tests('test/ledger/**/*.test.ts', ['test/ledger/sqlite/**'])],
  },
};

/** The program of a round, if it is not the npm build. */
const isThere = ({ env }: Round): boolean => env['PAYCLI_PROGRAM'] === undefined || existsSync(env['PAYCLI_PROGRAM']);

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

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
