import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { newFolder, runBefore, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import {
  ACTIVITY,
  hang,
  json,
  ONYE_ID,
  page,
  problem,
  reset,
  serve,
  serveAll,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { ussdFile } from './bulk-support.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
/** What stderr has of a charge whose stdout fails. */
const PRINTED = [`\n${JSON.stringify(ACTIVITY)}\n`, 'do not run the command again'];
const ESCAPE = '\u001b[';

const big = (records: number, from: number): Record<string, unknown>[] =>
  Array.from({ length: records }, (_, index) => ({ ...ugwo(from + index), description: 'x'.repeat(1000) }));

/** Runs paycli as `"$@"` of this script. */
const inShell = (script: string) => ({ built: true, program: ['sh', '-c', script, 'sh', ...PROGRAM] }) as const;

describe('a pipe', () => {
  it('gets five megabytes completely', async () => {
    const pages = Array.from({ length: 50 }, (_, index) =>
      json(200, { data: big(100, index * 100), next_cursor: index === 49 ? null : `c${index}` }),
    );
    const data = Array.from({ length: 5000 }, (_, index) => ({ ref: `order-${index}` }));
    const argv = ['ugwo', 'list', '--all', '--json'];
    const { stdout } = await scene({ built: true, service: pages, argv, json: { data } });
    expect(stdout.length).toBeGreaterThan(5_000_000);
  });

  it('gets one object of megabytes completely', async () => {
    const note = 'é'.repeat(800_000);
    await scene({ service: [json(200, { ...ACTIVITY, note })], argv: [...CHARGE, '--json'], json: { note } });
  });

  it('that is closed early ends the command and its walk without an error', async () => {
    let asked = 0;
    const { stdout } = await scene({
      ...inShell('{ "$@"; echo "exit $?" >&2; } | head -1'),
      service: () => {
        asked += 1;
        return json(200, { data: big(100, asked * 100), next_cursor: `c${asked}` });
      },
      argv: ['ugwo', 'list', '--all', '-o', 'ndjson'],
      stderr: 'exit 0\n',
    });
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(1);
    expect(asked).toBeLessThan(20);
  });

  it('gets no colour and no card, whatever TERM says', async () => {
    const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
    const found = [`uid\t${ACTIVITY.uid}\n`];
    const { stdout } = await scene({ service: [json(200, ACTIVITY)], env, argv: CHARGE, stdout: found, stderr: /^/ });
    expect(stdout).not.toContain(ESCAPE);
  });

  it.each([
    ['--color always', {}, true],
    ['', { FORCE_COLOR: '1' }, true],
    ['', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['--color never', { FORCE_COLOR: '1' }, false],
    ['--color always', { NO_COLOR: '1' }, true],
  ])('with %j and %j: colour %s', async (words, env, coloured) => {
    const argv = ['ugwo', 'list', '-o', 'table', ...words.split(' ').filter(Boolean)];
    const { stdout } = await scene({ service: [page([1], null)], env, argv });
    expect(stdout.includes(ESCAPE)).toBe(coloured);
  });

  it('gets no warning of Node about colour variables', () =>
    scene({
      built: true,
      service: [],
      env: { NO_COLOR: '1', FORCE_COLOR: '1' },
      argv: ['ugwo', 'list', '--limit', '0', '--json'],
      exit: 2,
      stderr: /^\{"error":\{.*"exit_code":2.*\}\n$/,
    }));

  it('gets data only; errors, hints and notices go to stderr', async () => {
    const stderr = [/^debug: > GET .*\/v1\/ugwo\?limit=10$/m, /^debug: < 200 in \d+ ms$/m];
    const stdout = /^(?:[^\n]+\n){2}$/;
    await scene({ service: [page([1], 'c')], argv: ['ugwo', 'list', '--debug'], stdout, stderr });
  });
});

describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  const FULL = inShell('exec "$@" >/dev/full');
  const processing = { ...ACTIVITY, status: 'processing', next_action: null };

  it('after a charge: exits with 7, and the activity is on stderr', async () => {
    const charge = { ...FULL, service: [json(200, ACTIVITY)], exit: 7 };
    await scene({ ...charge, argv: CHARGE, stderr: PRINTED });
    const error = { kind: 'unrecorded', exit_code: 7, answer: ACTIVITY };
    await scene({ ...charge, argv: [...CHARGE, '--json'], stderr: /^\{.*\}\n$/, error });
  });

  it('for both streams after a charge: still exits with 7', () =>
    scene({
      ...inShell('exec "$@" >/dev/full 2>&1'),
      service: [json(200, ACTIVITY)],
      argv: CHARGE,
      exit: 7,
      stderr: '',
    }));

  it('for the summary of a file keeps the exit code of its rows', () =>
    scene({
      ...FULL,
      service: () => reset,
      argv: ['ugwo', 'charge', '--from', ussdFile(1)],
      exit: 6,
      stderr: ['1 row: 1 unknown'],
    }));

  it('for stderr does not change the outcome', async () => {
    const full = { ...inShell('exec "$@" 2>/dev/full'), stderr: '' };
    const stdout = `${JSON.stringify(processing)}\n`;
    await scene({ ...full, service: [json(200, processing)], argv: [...CHARGE, '--json'], stdout });
    await scene({ ...full, service: [problem(500, 'Oops')], argv: CHARGE, exit: 6 });
    await scene({ ...full, service: [page([1], 'c')], argv: ['ugwo', 'list', '--debug'], stdout: ['order-1'] });
  });

  it('during a walk: exits with 8', () =>
    scene({
      ...FULL,
      service: [page([1], null)],
      argv: ['ugwo', 'list'],
      exit: 8,
      stderr: ['could not be written'],
    }));
});

describe.runIf(process.platform === 'linux')('a file with a size limit', () => {
  const large = { ...ACTIVITY, note: 'x'.repeat(600_000) };
  const file = join(newFolder('out'), 'out');
  /** With stdout in a file that can grow to 512 KiB: enough for the ledger. */
  const intoFile = {
    ...inShell(`ulimit -f 1024; exec "$@" >'${file}'`),
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
  };

  it('that cuts a charge: exits with 7, and the activity is on stderr', async () => {
    const error = { answer: large };
    await scene({ ...intoFile, service: [json(200, large)], argv: [...CHARGE, '--json'], exit: 7, error });
    expect(statSync(file).size).toBeLessThan(600_000);
  });

  it('that cuts a walk: exits with 8', () => {
    const service = [json(200, { data: big(700, 0), next_cursor: null })];
    return scene({ ...intoFile, service, argv: ['ugwo', 'list'], exit: 8 });
  });
});

describe.runIf(process.platform === 'linux')('standard output', () => {
  it.each([
    ['by name', '>/dev/null'],
    ['through a read-write descriptor, as from Python and daemons', '1<>/dev/null'],
    ['through a read-only descriptor', '1</dev/null'],
  ])('to /dev/null %s is not a failure', async (_what, redirection) => {
    await scene({ ...inShell(`exec "$@" ${redirection}`), service: [json(200, ACTIVITY)], argv: [...CHARGE, '-q'] });
  });

  it('to /dev/null is not a failure of a bulk run, nor are closed streams', async () => {
    const argv = ['ugwo', 'charge', '--from', ussdFile(1), '--json'];
    await scene({ ...inShell('exec "$@" 1<>/dev/null'), service: () => json(200, ACTIVITY), argv, stderr: /^/ });
    await scene({ ...inShell('exec "$@" >&- <&- 2>&-'), service: [page([1], null)], argv: ['ugwo', 'list'] });
  });
});

describe('a closed pipe', () => {
  /** The reader of the pipe has ended before paycli begins. */
  const closed = (stream: 1 | 2) => inShell(`mkfifo p; : <p & exec 3>p; wait; exec "$@" ${stream}>&3 3>&-`);

  it.each([[[]], [['--wait']]])(
    'before a charge was printed: exits with 7, and the activity is on stderr: %j',
    async (more) => {
      const paid = { ...ACTIVITY, status: 'successful', next_action: null };
      const service = [json(200, ACTIVITY), ...more.map(() => json(200, paid))];
      await scene({ ...closed(1), service, argv: [...CHARGE, ...more], exit: 7, stderr: PRINTED });
    },
  );

  it('for stderr changes nothing', () =>
    scene({ ...closed(2), service: [page([1], 'c')], argv: ['ugwo', 'list', '--debug'], stdout: ['order-1'] }));
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130, ['ugwo', 'list']],
    ['SIGTERM', 143, ['ugwo', 'list']],
    ['SIGHUP', 143, ['ugwo', 'list']],
    ['SIGQUIT', 143, ['ugwo', 'list']],
    ['SIGINT', 130, CHARGE],
  ] as const)('%s during a read exits with %i at once: %j', async (signal, code, argv) => {
    const service = await serveAll([hang]);
    const running = start([...argv, '--debug'], { service });
    await running.saw(/> GET/);
    await service.came(1);
    running.kill(signal);
    const stderr = expect.stringMatching(/\nCancelled by [-\w]+; nothing was changed\n$/);
    expect(await running.ended).toMatchObject({ code, stdout: '', stderr });
  });

  it('while waiting for standard input exits at once', async () => {
    const running = start(['onye', 'update', ONYE_ID, '--data', '-', '--debug'], {
      service: await serve([]),
      stdin: null,
    });
    // More than a pipe holds: once written, the program is reading.
    await running.feed(' '.repeat(1_000_000));
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '' });
  });

  it('twice while the result of a charge is unread: exits with 7, never with a code that suggests repeating', async () => {
    const large = { ...ACTIVITY, note: 'x'.repeat(1_800_000) };
    const service = await serve([json(200, large)]);
    const running = start([...CHARGE, '--json', '--debug'], { service, readStdout: false });
    await running.saw(/> POST.*\n(?:.*\n)*.*< 200/);
    // Two equal signals could merge.
    running.kill('SIGTERM');
    running.kill('SIGINT');
    await running.saw(/"exit_code":7/);
    running.readStdout();
    const ended = await running.ended;
    expect(ended.code).toBe(7);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { answer: large } });
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('%s during a charge waits for the answer', async (signal) => {
    const { service, respond } = await holding();
    const running = start(CHARGE, { service });
    const answer = await respond;
    running.kill(signal);
    await running.saw(/Finishing requests in flight/);
    answer();
    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(ACTIVITY.uid) });
  });

  it('twice during a charge exits with 6', async () => {
    const service = await serve([hang]);
    const running = start(CHARGE, { service });
    await expect.poll(() => service.seen[0]?.body ?? '').not.toBe('');
    running.kill('SIGINT');
    await running.saw(/Finishing requests in flight/);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(ended.stderr).toContain('the charge may have been made');
  });
});

describe('an uncaught exception', () => {
  /** Preloaded: throws with the key in its message on SIGUSR2. */
  const trap = `const key = process.env.PAYCLI_SECRET_KEY;
    process.on('SIGUSR2', () => { throw new Error('boom \\u001b[2J ' + key); })`;

  it.each([
    ['a charge in flight', CHARGE, 6],
    ['a read in flight', ['ugwo', 'list'], 1],
  ] as const)('with %s has its own exit code, and the message is redacted', async (_what, args, code) => {
    const service = await serve([hang]);
    const running = start(args, { service, env: runBefore(trap) });
    await service.came(1);
    running.kill('SIGUSR2');
    const ended = await running.ended;
    expect(ended).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(/^error: a bug in paycli: boom \\x1b\[2J/),
    });
    expect(ended.stderr).not.toContain(CANARY);
  });
});

describe('a terminal', () => {
  it('shows a list as a coloured table that fits', async () => {
    const service = await serve([page([1, 2], null)]);
    const terminal = openTerminal(['ugwo', 'list'], { service, columns: 120 });
    expect(await terminal.ended).toEqual({ code: 0 });
    const screen = await terminal.screen();
    expect(screen).toContain('NGN 5,000.01');
    expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(terminal.raw()).toContain(ESCAPE);
  });

  it('shows records one below the other, uncut, if a table does not fit', async () => {
    const onye = { uid: 'ony.AbCd.1', email: 'ada@example.com' };
    const service = await serve([json(200, { data: [{ ...ugwo(1), onye }], next_cursor: null })]);
    const { raw } = await onTerminal(['ugwo', 'list'], { service, columns: 38 });
    expect(raw).toContain('ugw.AbCd.000000000000000000000001');
    expect(raw).not.toContain('─');
  });

  it('shows the target before a write, then the next action prominently', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const { code, raw } = await onTerminal(CHARGE, { service, env: { NO_COLOR: '1' } });
    expect(code).toBe(0);
    expect(raw.split('\n').map((line) => line.trim())).toContain('*737*000*5000#');
    expect(raw).toContain('not paid');
    expect(raw).toContain(`loopback: ${service.origin}`);
  });

  it('shows the remaining time of an account, and its expiry in local time', async () => {
    const expires = new Date(Date.now() + 12 * 60_000 + 30_000);
    const headers = {
      bank_name: 'Wema Bank',
      account_name: 'Ada Obi',
      account_number: '0123456789',
      expires_at: expires.toISOString(),
    };
    const service = await serve([
      json(200, { ...ACTIVITY, next_action: { type: 'user_action', instruction: 'Transfer it.', headers } }),
    ]);
    const terminal = openTerminal(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'], { service });
    await terminal.ended;
    const screen = await terminal.screen();
    const clock = `${String(expires.getHours()).padStart(2, '0')}:${String(expires.getMinutes()).padStart(2, '0')}`;
    expect(screen).toContain(`${clock}, in 12 min`);
    expect(screen.split('\n').map((line) => line.trim())).toContain('0123456789');
  });

  it('gets indented JSON', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const { raw } = await onTerminal([...CHARGE, '--json', '-q'], { service, env: { NO_COLOR: '1' } });
    expect(raw).toContain('  "status": "requires_action"');
    expect(JSON.parse(raw)).toEqual(ACTIVITY);
  });

  it('gets visible escapes instead of control characters from the service', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u202egpj.exe\u2028\u009b31m';
    const service = await serve([json(200, { data: [{ ...ugwo(1), description: evil }], next_cursor: null })]);
    const terminal = openTerminal(['ugwo', 'list', '--color', 'never'], { service, columns: 200 });
    await terminal.ended;
    for (const bad of ['\u001b]0', '\u001b[2J', '\u202e', '\u2028', '\u009b'])
      expect(terminal.raw()).not.toContain(bad);
    expect(await terminal.screen()).toMatch(/x1b|u001b/);
  });

  it('ends a read on Ctrl-C', async () => {
    const service = await serve([hang]);
    const terminal = openTerminal(['ugwo', 'list', '--debug'], { service });
    await terminal.saw(/> GET/);
    await service.came(1);
    terminal.type('\u0003');
    expect(await terminal.ended).toEqual({ code: 130 });
  });
});

/** Delays the answer to a charge; `respond` resolves with a function that sends it. */
const holding = async () => {
  const { promise: respond, resolve } = Promise.withResolvers<() => void>();
  const service = await serve([(seen, response, socket) => resolve(() => json(200, ACTIVITY)(seen, response, socket))]);
  return { service, respond };
};
