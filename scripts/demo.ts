/**
 * Shows the main job on the built-in emulator: each command as typed, and its output on a terminal.
 * Everything is in a temporary folder, which it removes at the end.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { terminalEnv } from './terminal-env.ts';

const PROGRAM = resolve('bin/paycli.js');
const WIDTH = Math.min(process.stdout.columns ?? 120, 120);
const home = mkdtempSync(join(tmpdir(), 'paycli-demo-'));
const env = {
  ...terminalEnv(home),
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  ...(process.env['TZ'] === undefined ? {} : { TZ: process.env['TZ'] }),
};

interface Ugwo {
  readonly uid: string;
  readonly checkout: { readonly currency: readonly [string, string] } | null;
  readonly metadata: { readonly emulate?: string };
  readonly onye: { readonly uid: string } | null;
}

const say = (text: string): void =>
  void process.stdout.write(`\n${process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text}\n`);

/**
 * Types a command on a pseudo-terminal and shows its output. Answers no to a question. Throws if the exit code is
 * unexpected.
 */
const type = (words: readonly string[], expected = 0): Promise<void> => {
  const shown = words.map((word) => (/^[\w.:/=@,-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  process.stdout.write(`$ paycli ${shown}\n`);
  return new Promise((done, fail) => {
    const pty = spawn(process.execPath, [PROGRAM, ...words], { cols: WIDTH, rows: 60, env });
    pty.onData((data) => {
      process.stdout.write(data);
      if (data.includes('[y/N]')) pty.write('n\r');
    });
    pty.onExit(({ exitCode }) => {
      process.stdout.write(`(exit ${exitCode})\n`);
      if (exitCode === expected) done();
      else fail(new Error(`exit ${exitCode}, not ${expected}`));
    });
  });
};

const ask = (words: readonly string[]): string =>
  execFileSync(process.execPath, [PROGRAM, ...words], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const find = (all: readonly Ugwo[], what: string, test: (ugwo: Ugwo) => boolean): Ugwo => {
  const found = all.find(test);
  if (found === undefined) throw new Error(`the emulator has no ${what}`);
  return found;
};

const currency = (ugwo: Ugwo): string | undefined => ugwo.checkout?.currency[0];

try {
  say('# The service is embedded: --local needs no network and no key. The first use makes some records.');
  await type(['ugwo', 'list', '--local', '--limit', '5']);

  const { data } = JSON.parse(ask(['ugwo', 'list', '--local', '--all', '--json'])) as { data: Ugwo[] };
  const plain = (ugwo: Ugwo): boolean => ugwo.metadata.emulate === undefined && ugwo.onye !== null;
  const naira = find(data, 'request in NGN', (ugwo) => currency(ugwo) === 'NGN' && plain(ugwo));
  const cedi = find(data, 'request in GHS', (ugwo) => currency(ugwo) === 'GHS' && ugwo.metadata.emulate === undefined);
  const losing = find(data, 'request whose answer is lost', (ugwo) => ugwo.metadata.emulate === 'lost');
  const failing = find(data, 'request that fails', (ugwo) => ugwo.metadata.emulate?.startsWith('fail') === true);

  say('# Update its customer. Only what is given is sent.');
  await type(['onye', 'update', naira.onye?.uid ?? '', '--local', '--email', 'ada@example.com', '--meta', 'tier=vip']);

  say('# Charge it by bank transfer: an account number for the customer, good for 15 minutes.');
  await type(['ugwo', 'charge', naira.uid, '--local', '--medium', 'bank_transfer']);

  say(
    '# The same payment request by USSD: the customer could pay both, so it asks, and exits with 130 after no. A script: exit code 9.',
  );
  const ussd = ['ugwo', 'charge', naira.uid, '--local', '--medium', 'ussd', '--provider'];
  await type([...ussd, 'gtb'], 130);
  say('# With --again it is made without a question: a code to dial.');
  await type([...ussd, 'gtb', '--again']);

  say('# Mobile money, on a payment request in Ghana cedis: nothing more for the customer to do.');
  await type([
    'ugwo',
    'charge',
    cedi.uid,
    '--local',
    '--medium',
    'mobile_money',
    '--provider',
    'mtn',
    '--phone',
    '+233241234567',
  ]);

  say('# The same line again would be a second charge: refused, with what the customer can still use. Exit code 9.');
  await type(['ugwo', 'charge', naira.uid, '--local', '--medium', 'bank_transfer'], 9);

  say('# A charge whose answer is lost on the way. Was it made? Nobody knows, and paycli does not guess. Exit code 6.');
  await type(['ugwo', 'charge', losing.uid, '--local', '--medium', 'bank_transfer'], 6);
  say('# The ledger has it. The service is asked what became of it, and what it showed is kept.');
  await type(['ledger', 'sync', '--local']);
  await type(['ugwo', 'charge', losing.uid, '--local', '--medium', 'bank_transfer', '--reuse']);

  say('# A bank code that the service does not know: its 422 names the flag. Exit code 3.');
  await type([...ussd, 'gtbank', '--again'], 3);

  say('# What would be refused for certain is caught here, before anything is sent. Exit code 2.');
  await type(['ugwo', 'charge', naira.uid, '--local', '--medium', 'bank_transfer', '--expires-in', '20m'], 2);

  say('# A charge that fails at once: the activity exists, and says why. Exit code 11.');
  await type(['ugwo', 'charge', failing.uid, '--local', '--medium', 'ussd', '--provider', 'gtb'], 11);

  say('# What would be sent, as a curl command. The key stays a variable.');
  await type([
    'ugwo',
    'charge',
    naira.uid,
    '--medium',
    'bank_transfer',
    '--as-curl',
    '--base-url',
    'https://sandbox-api.kwugwo.africa',
  ]);

  say('# Everything, for a program: one JSON document, however many pages. Its first and last lines:');
  process.stdout.write('$ paycli ugwo list --local --all --json\n');
  const lines = ask(['ugwo', 'list', '--local', '--all', '--json']).trimEnd().split('\n');
  const short = (line = ''): string => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line);
  process.stdout.write(
    `${[...lines.slice(0, 2).map(short), `… ${lines.length - 4} more records …`, ...lines.slice(-2).map(short)].join('\n')}\n`,
  );

  say('# Next, on your own:');
  process.stdout.write(
    [
      'npx --no-install paycli ugwo list --local       the same, with state that stays',
      'npx --no-install paycli ugwo charge --help      options and examples',
      'npx --no-install paycli emulator start          the emulator as a server, for your own scripts',
      'npx --no-install paycli login --environment sandbox',
      '                                                against the service, with a key of yours',
      '',
    ].join('\n'),
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
