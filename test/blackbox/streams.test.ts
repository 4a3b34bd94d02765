import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { environment, keep, newFolder, paycli, runBefore, start } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import {
  ACTIVITY,
  hang,
  json,
  ONYE_ID,
  page,
  problem,
  reset,
  serve,
  serveBy,
  UGWO_ID,
  ugwo,
} from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { ussdFile } from './bulk-support.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb'];
const ESCAPE = '\u001b[';

const big = (records: number, from: number): Record<string, unknown>[] =>
  Array.from({ length: records }, (_, index) => ({ ...ugwo(from + index), description: 'x'.repeat(1000) }));

/** 50 pages of 100 records: more than 5 MB. */
const fiveMegabytes = (): Answer[] =>
  Array.from({ length: 50 }, (_, index) =>
    json(200, { data: big(100, index * 100), next_cursor: index === 49 ? null : `c${index}` }),
  );

/** Runs `paycli … | reader` in a shell; the status is paycli's. */
const piped = (args: readonly string[], reader: string, service: { readonly origin: string }) => {
  const [file, ...first] = PROGRAM;
  const words = [file, ...first, ...args].map((word) => `'${word}'`).join(' ');
  const script = `{ ${words}; echo "exit $?" >&2; } | ${reader}`;
  return new Promise<{ stdout: string; stderr: string }>((done) => {
    const child = spawn('sh', ['-c', script], { env: environment({ service }), cwd: newFolder('cwd') });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', () => {
      keep(stdout + stderr);
      done({ stdout, stderr });
    });
  });
};

describe('a pipe', () => {
  it('gets five megabytes completely', async () => {
    const service = await serve(fiveMegabytes());
    const ended = await paycli(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stdout.length).toBeGreaterThan(5_000_000);
    const { data } = JSON.parse(ended.stdout) as { data: { ref: string }[] };
    expect(data.map(({ ref }) => ref)).toEqual(Array.from({ length: 5000 }, (_, index) => `order-${index}`));
  });

  it('gets one object of megabytes completely', async () => {
    const note = 'é'.repeat(800_000);
    const service = await serve([json(200, { ...ACTIVITY, note })]);
    const ended = await inProcess([...CHARGE, '--json'], { service });
    expect(JSON.parse(ended.stdout)).toMatchObject({ note });
  });

  it('that is closed early ends the command and its walk without an error', async () => {
    let asked = 0;
    const endless: Answer = (seen, response, socket) => {
      asked += 1;
      json(200, { data: big(100, asked * 100), next_cursor: `c${asked}` })(seen, response, socket);
    };
    const service = await serveWhatever(endless);
    const { stdout, stderr } = await piped(['ugwo', 'list', '--all', '-o', 'ndjson'], 'head -1', service);
    expect(stdout.split('\n').filter(Boolean)).toHaveLength(1);
    expect(stderr).toBe('exit 0\n');
    expect(asked).toBeLessThan(20);
  });

  it('gets no colour and no card, whatever TERM says', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const ended = await inProcess(CHARGE, { service, env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } });
    expect(ended.stdout).not.toContain(ESCAPE);
    expect(ended.stdout).toContain(`uid\t${ACTIVITY.uid}\n`);
  });

  it.each([
    [['--color', 'always'], {}, true],
    [[], { FORCE_COLOR: '1' }, true],
    [[], { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [['--color', 'never'], { FORCE_COLOR: '1' }, false],
    [['--color', 'always'], { NO_COLOR: '1' }, true],
  ])('with %j and %j: colour %s', async (args, env, coloured) => {
    const service = await serve([page([1], null)]);
    const ended = await inProcess(['ugwo', 'list', '-o', 'table', ...args], { service, env });
    expect(ended.stdout.includes(ESCAPE)).toBe(coloured);
  });

  it('gets no warning of Node about colour variables', async () => {
    const ended = await inProcess(['ugwo', 'list', '--limit', '0', '--json'], {
      service: await serve([]),
      env: { NO_COLOR: '1', FORCE_COLOR: '1' },
    });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stderr)).toMatchObject({ error: { exit_code: 2 } });
  });

  it('gets data only; errors, hints and notices go to stderr', async () => {
    const service = await serve([page([1], 'c')]);
    const ended = await inProcess(['ugwo', 'list', '--debug'], { service });
    expect(ended.stdout.split('\n')).toHaveLength(3);
    expect(ended.stderr).toMatch(/^debug: > GET .*\/v1\/ugwo\?limit=10$/m);
    expect(ended.stderr).toMatch(/^debug: < 200 in \d+ ms$/m);
  });
});

type Stdio = 'full' | 'pipe' | 'closed';

/** Runs with failing streams: a full disk or a closed pipe. */
const withStreams = (
  args: readonly string[],
  service: { readonly origin: string },
  [out, err]: readonly [Stdio, Stdio],
): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const [file, ...first] = PROGRAM;
  const full = openSync('/dev/full', 'w');
  const stdio = (what: Stdio) => (what === 'full' ? full : 'pipe');
  return new Promise((done) => {
    const child = spawn(file, [...first, ...args], {
      env: environment({ service }),
      stdio: ['ignore', stdio(out), stdio(err)],
    });
    const texts = { stdout: '', stderr: '' };
    for (const [name, what] of [
      ['stdout', out],
      ['stderr', err],
    ] as const) {
      if (what === 'closed') child[name]?.destroy();
      else
        child[name]?.on('data', (chunk) => {
          texts[name] += chunk;
        });
    }
    child.on('close', (code) => {
      closeSync(full);
      keep(texts.stdout + texts.stderr);
      done({ code, ...texts });
    });
  });
};

describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  const processing = { ...ACTIVITY, status: 'processing', next_action: null };

  it('after a charge: exits with 7, and the activity is on stderr', async () => {
    const service = await serve([json(200, ACTIVITY), json(200, ACTIVITY)]);
    const { code, stderr } = await withStreams(CHARGE, service, ['full', 'pipe']);
    expect(code).toBe(7);
    expect(stderr.split('\n')).toContain(JSON.stringify(ACTIVITY));
    expect(stderr).toContain('do not run the command again');
    const asJson = await withStreams([...CHARGE, '--json'], service, ['full', 'pipe']);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { kind: 'unrecorded', exit_code: 7, answer: ACTIVITY } });
  });

  it('for both streams after a charge: still exits with 7', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    expect(await withStreams(CHARGE, service, ['full', 'full'])).toMatchObject({ code: 7 });
  });

  it('for the summary of a file keeps the exit code of its rows', async () => {
    const service = await serveBy(() => reset);
    const file = ussdFile(1);
    const { code, stderr } = await withStreams(['ugwo', 'charge', '--from', file], service, ['full', 'pipe']);
    expect(code).toBe(6);
    expect(stderr).toContain('1 row: 1 unknown');
  });

  it('for stderr does not change the outcome', async () => {
    const service = await serve([json(200, processing), problem(500, 'Oops'), page([1], 'c')]);
    const charged = await withStreams([...CHARGE, '--json'], service, ['pipe', 'full']);
    expect(charged).toMatchObject({ code: 0, stdout: `${JSON.stringify(processing)}\n` });
    expect(await withStreams(CHARGE, service, ['pipe', 'full'])).toMatchObject({ code: 6 });
    expect(await withStreams(['ugwo', 'list', '--debug'], service, ['pipe', 'full'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('order-1'),
    });
  });

  it('during a walk: exits with 8', async () => {
    const service = await serve([page([1], null)]);
    const { code, stderr } = await withStreams(['ugwo', 'list'], service, ['full', 'pipe']);
    expect(code).toBe(8);
    expect(stderr).toContain('could not be written');
  });
});

describe.runIf(process.platform === 'linux')('a file with a size limit', () => {
  const large = { ...ACTIVITY, note: 'x'.repeat(600_000) };

  /** Runs with stdout in a file that can grow to 512 KiB: enough for the ledger. */
  const intoFile = async (args: readonly string[], service: { readonly origin: string }) => {
    const file = join(newFolder('out'), 'out');
    const [program, ...first] = PROGRAM;
    const words = [program, ...first, ...args].map((word) => `'${word}'`).join(' ');
    const env = { ...environment({ service }), NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn('sh', ['-c', `ulimit -f 1024; exec ${words} > '${file}'`], { env });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    keep(stderr);
    return { code, signal, stderr, size: statSync(file).size };
  };

  it('that cuts a charge: exits with 7, and the activity is on stderr', async () => {
    const service = await serve([json(200, large)]);
    const ended = await intoFile([...CHARGE, '--json'], service);
    expect(ended).toMatchObject({ code: 7, signal: null });
    expect(ended.size).toBeLessThan(600_000);
    expect(JSON.parse(ended.stderr)).toMatchObject({ error: { answer: large } });
  });

  it('that cuts a walk: exits with 8', async () => {
    const service = await serve([json(200, { data: big(700, 0), next_cursor: null })]);
    expect(await intoFile(['ugwo', 'list'], service)).toMatchObject({ code: 8, signal: null });
  });
});

describe.runIf(process.platform === 'linux')('standard output', () => {
  /** Runs in a shell with these redirections. */
  const redirected = async (
    args: readonly string[],
    service: { readonly origin: string },
    redirections: string,
  ): Promise<{ code: number | null; stderr: string }> => {
    const words = [...PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('sh', ['-c', `exec ${words} ${redirections}`], { env: environment({ service }) });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    keep(stderr);
    return { code, stderr };
  };
  it.each([
    ['by name', '>/dev/null'],
    ['through a read-write descriptor, as from Python and daemons', '1<>/dev/null'],
    ['through a read-only descriptor', '1</dev/null'],
  ])('to /dev/null %s is not a failure', async (_what, redirection) => {
    const service = await serve([json(200, ACTIVITY)]);
    expect(await redirected([...CHARGE, '-q'], service, redirection)).toEqual({ code: 0, stderr: '' });
  });

  it('to /dev/null is not a failure of a bulk run, nor are closed streams', async () => {
    const service = await serveBy(() => json(200, ACTIVITY));
    const file = ['ugwo', 'charge', '--from', ussdFile(1), '--json'];
    expect(await redirected(file, service, '1<>/dev/null')).toMatchObject({ code: 0 });
    expect(await redirected(['ugwo', 'list'], await serve([page([1], null)]), '>&- <&- 2>&-')).toEqual({
      code: 0,
      stderr: '',
    });
  });
});

describe('a closed pipe', () => {
  it.each([[[]], [['--wait']]])(
    'before a charge was printed: exits with 7, and the activity is on stderr: %j',
    async (more) => {
      const paid = { ...ACTIVITY, status: 'successful', next_action: null };
      const service = await serve([json(200, ACTIVITY), ...more.map(() => json(200, paid))]);
      const { code, stderr } = await withStreams([...CHARGE, ...more], service, ['closed', 'pipe']);
      expect(code).toBe(7);
      expect(stderr.split('\n')).toContain(JSON.stringify(ACTIVITY));
    },
  );

  it('for stderr changes nothing', async () => {
    const service = await serve([page([1], 'c')]);
    expect(await withStreams(['ugwo', 'list', '--debug'], service, ['pipe', 'closed'])).toMatchObject({ code: 0 });
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
    ['SIGQUIT', 143],
  ] as const)('%s during a read exits with %i at once', async (signal, code) => {
    const service = await serve([hang]);
    const running = start(['ugwo', 'list', '--debug'], { service });
    await running.saw(/> GET/);
    await service.came(1);
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code, stdout: '' });
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

/** A service that gives this answer to every request. */
const serveWhatever = async (answer: Answer): Promise<{ origin: string }> => {
  const { createServer } = await import('node:http');
  const { onTestFinished } = await import('vitest');
  const server = createServer((request, response) => {
    request.resume();
    answer({ method: '', url: '', headers: {}, body: '', connection: 0 }, response, request.socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
};
