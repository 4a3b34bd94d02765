import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { newFolder, paycli, runBefore, start } from '../support/program.ts';
import type { Answer, Service } from '../support/service.ts';
import { ACTIVITY, hang, json, ONYE_ID, problem, serve, UGWO_ID } from '../support/service.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--no-preflight'];
const UPDATE = ['onye', 'update', ONYE_ID, '--email', 'ada@example.com'];
const WAIT = ['activity', 'wait', UGWO_ID, String(ACTIVITY.uid)];
const FAILED = { ...ACTIVITY, status: 'failed', next_action: null };

describe('an event loop in which nothing is left', () => {
  /** No connection ever comes about, and no timer keeps the program alive. */
  const drained = `import { Socket } from 'node:net';
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...args) => { const timer = setTimeout(...args); timer.unref(); return timer; };
    Socket.prototype.connect = function () { return this; };`;

  it.each([
    ['a charge that is open', CHARGE, 6, 'find out whether the request was applied'],
    ['a read', ['ugwo', 'list'], 1, 'paycli ended before it was done'],
  ] as const)('is no success: %s', async (_what, args, code, said) => {
    const ended = await paycli(args, { service: await serve([]), env: runBefore(drained) });
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) });
  });
});

/** The package in a folder of its own, which a test may break; `broken` answers only once nothing more can be loaded. */
const ownPackage = () => {
  const folder = newFolder('package');
  for (const part of ['bin', 'dist/chunks', 'dist/main.js', 'package.json']) {
    mkdirSync(join(folder, part, '..'), { recursive: true });
    cpSync(part, join(folder, part), { recursive: true });
  }
  const broken =
    (answer: Answer): Answer =>
    (...args) => {
      rmSync(join(folder, 'dist'), { recursive: true });
      answer(...args);
    };
  return { broken, program: [process.execPath, join(folder, 'bin', 'paycli.js')] as const };
};

describe.runIf(RUNTIME === 'node')('a package that is taken away under way', () => {
  it.each([
    ['a charge', CHARGE, json(200, ACTIVITY), { code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n` }],
    ['an update', UPDATE, json(200, { uid: ONYE_ID }), { code: 0, stdout: expect.stringContaining(ONYE_ID) }],
    ['a refusal', CHARGE, problem(422, 'No'), { code: 3, stderr: expect.stringContaining('"exit_code":3') }],
    ['a lost answer', CHARGE, json(200, []), { code: 6, stderr: expect.stringContaining('"exit_code":6') }],
  ] as const)('hides nothing of a write: %s', async (_what, args, answer, end) => {
    const { broken, program } = ownPackage();
    const service = await serve([broken(answer)]);
    expect(await paycli([...args, '--json'], { service, program })).toMatchObject(end);
  });

  it('is never taken for the success of a payment that has failed', async () => {
    const { broken, program } = ownPackage();
    const service = await serve([broken(json(200, FAILED))]);
    const ended = await paycli(WAIT, { service, program });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('error: ') });
  });

  it('before it has begun is told about', async () => {
    const { program } = ownPackage();
    rmSync(join(program[1], '..', '..', 'dist'), { recursive: true });
    const ended = await paycli(['--version'], { program });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("can't be loaded") });
  });
});

/** Whether anybody listens on the port of Node's inspector. */
const inspectorPort = (): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.on('error', () => done(true));
    server.listen(9229, '127.0.0.1', () => server.close(() => done(false)));
  });

const asked = async ({ seen }: Service): Promise<void> => {
  while (seen.length === 0) await new Promise(setImmediate);
};

describe.runIf(process.platform !== 'win32')('SIGUSR1', () => {
  it('opens no inspector, and ends nothing', async () => {
    const service = await serve([hang]);
    const running = start(['ugwo', 'list'], { service });
    await asked(service);
    running.kill('SIGUSR1');
    running.kill('SIGTERM');
    const ended = await running.ended;
    expect(ended.code).toBe(143);
    expect(ended.stderr).not.toMatch(/debugger|inspector/i);
    expect(await inspectorPort()).toBe(false);
  });
});
