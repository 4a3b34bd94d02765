import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, paycli, quickClock, runBefore, start } from '../support/program.ts';
import { ACTIVITY, held, json, page, serve, serveAll, serveMute, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const SPINNER = /waiting for 127\.0\.0\.1:\d+ … (\d+)s/;
/** Two counts of seconds. */
const MOVES = /waiting for \S+ … (\d+)s[\s\S]*waiting for \S+ … (?!\1s)\d+s/;

/** Commands that take long, each with its words on the line. The service never answers. */
const LONG: readonly (readonly [args: string, words: string])[] = [
  ['ugwo list', 'ugwo list: waiting for'],
  ['ugwo list --all -o ndjson', 'ugwo list: waiting for'],
  ['ugwo list --ref INV-1', 'ugwo list: waiting for'],
  [`ugwo get ${UGWO_ID}`, 'ugwo get: waiting for'],
  [CHARGE.join(' '), 'ugwo charge: waiting for'],
  [`ugwo cancel ${UGWO_ID} --yes`, 'ugwo cancel: waiting for'],
  ['onye list', 'onye list: waiting for'],
  [`activity get ${UGWO_ID}`, 'activity get: waiting for'],
  ['checkout list', 'checkout list: waiting for'],
  ['doctor', 'doctor: waiting for'],
  ['api /v1/ugwo', 'api: waiting for'],
  ['emulator seed --ugwo 1000000', 'emulator seed: [\\d,]+ of 1,000,025 added'],
];

describe('a command without output', () => {
  it.each(LONG)('says on a terminal that it is running, and obeys a signal: %s', async (args, words) => {
    const service = await serveMute();
    const terminal = openTerminal(args.split(' '), { service, columns: 160, env: quickClock() });
    await terminal.saw(new RegExp(`${words}.* … \\d+s`));
    terminal.type('\u0003');
    expect(await terminal.ended).toEqual({ code: 130 });
    expect(await terminal.screen()).not.toContain('…');
  });

  it('says so without a request, too', async () => {
    const fifo = join(newFolder(), 'fifo');
    execFileSync('mkfifo', [fifo]);
    const login = ['login', '--base-url', 'http://127.0.0.1:9', '--no-verify', '--key-command', `cat '${fifo}'`];
    const terminal = openTerminal(login, { env: quickClock() });
    await terminal.saw(/login … (\d+)s[\s\S]*login … (?!\1s)\d+s/);
    terminal.type('\u0003');
    expect(await terminal.ended).toEqual({ code: 130 });
    expect(await terminal.screen()).not.toContain('…');
  });
});

/** Prints the flags that the program gives to V8. */
const PRINTS_FLAGS =
  'process.getBuiltinModule("v8").setFlagsFromString = (flag) => void process.stderr.write("V8 " + flag + "\\n");';

// The standalone program has another engine.
it.runIf(process.env['PAYCLI_PROGRAM'] === undefined)('a long command keeps its heap small', async () => {
  const running = start(['onye', 'list'], { service: await serveMute(), env: runBefore(PRINTS_FLAGS) });
  await running.saw(/V8 --semi-space-growth-factor=1\nV8 --heap-growing-percent=50\n/);
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
});

describe('a request of more than a second', () => {
  it('shows a spinner on a terminal, erased afterwards', async () => {
    const { hold, letGo } = held(json(200, ACTIVITY));
    const terminal = openTerminal(CHARGE, { service: await serve([hold]), columns: 160, env: quickClock() });
    await terminal.saw(MOVES);
    expect(await terminal.screen()).toMatch(SPINNER);
    letGo();
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).not.toContain('waiting');
    expect(await terminal.screen()).toContain(ACTIVITY.uid);
  });

  it('erases the spinner before an error', async () => {
    const { hold, letGo } = held(json(404, { type: 'about:blank', title: 'Not found', status: 404 }));
    const terminal = openTerminal(['ugwo', 'get', UGWO_ID], {
      service: await serveAll([hold]),
      columns: 160,
      env: quickClock(),
    });
    await terminal.saw(SPINNER);
    letGo();
    expect(await terminal.ended).toEqual({ code: 3 });
    expect(await terminal.screen()).not.toContain('waiting');
  });

  it('prints one plain line with ACCESSIBLE', async () => {
    const { hold, letGo } = held(page([1], null));
    const service = await serve([hold, hold]);
    const plain = openTerminal(['ugwo', 'list'], { service, env: { ACCESSIBLE: '1', ...quickClock() }, columns: 160 });
    await plain.saw(/waiting for .* \d+s\r?\n/);
    const other = openTerminal(['ugwo', 'list'], { service, columns: 160, env: quickClock() });
    await other.saw(MOVES);
    letGo();
    expect(await plain.ended).toEqual({ code: 0 });
    expect(plain.raw().match(/waiting for/g)).toHaveLength(1);
    expect(plain.raw()).not.toContain('\u001b[2K');
  });

  it('shows no spinner with --quiet or in a pipe', async () => {
    const { hold, letGo } = held(page([1], null));
    const service = await serve([hold, hold, hold]);
    const quiet = openTerminal(['ugwo', 'list', '-q'], { service, env: quickClock() });
    const piped = paycli(['ugwo', 'list'], { service, env: quickClock() });
    await service.came(2);
    const other = openTerminal(['ugwo', 'list'], { service, columns: 160, env: quickClock() });
    await other.saw(SPINNER);
    letGo();
    expect(await quiet.ended).toEqual({ code: 0 });
    expect(quiet.raw()).not.toContain('waiting');
    expect(await piped).toMatchObject({ code: 0, stderr: '' });
  });
});
