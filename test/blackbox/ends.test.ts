import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { here } from '../support/in-process.ts';
import { newFolder, paycli, runBefore, start } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, hang, json, ONYE_ID, problem, serve, UGWO_ID } from '../support/service.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--no-preflight'];
const UPDATE = ['onye', 'update', ONYE_ID, '--email', 'ada@example.com'];
const WAIT = ['activity', 'wait', UGWO_ID, String(ACTIVITY.uid)];
const FAILED = { ...ACTIVITY, status: 'failed', next_action: null };

describe('an event loop that runs empty', () => {
  /** Connections never open and no timer keeps the program alive. */
  const drained = `import { Socket } from 'node:net';
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...args) => { const timer = setTimeout(...args); timer.unref(); return timer; };
    Socket.prototype.connect = function () { return this; };`;

  it.each([
    ['a charge in flight', CHARGE, 6, 'find out whether the request was applied'],
    ['a read', ['ugwo', 'list'], 1, 'paycli ended before it was done'],
  ] as const)('is not a success: %s', async (_what, args, code, said) => {
    const ended = await paycli(args, { service: await serve([]), env: runBefore(drained) });
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) });
  });
});

const folder = newFolder('package');
/** A copy of the package that a test may break, always in one place, so that it is compiled once. `broken` deletes it before it answers. */
const ownPackage = () => {
  rmSync(folder, { recursive: true, force: true });
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

describe.runIf(RUNTIME === 'node')('a package that is deleted during a run', () => {
  it.each([
    ['a charge', CHARGE, json(200, ACTIVITY), { code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n` }],
    ['an update', UPDATE, json(200, { uid: ONYE_ID }), { code: 0, stdout: expect.stringContaining(ONYE_ID) }],
    ['a rejection', CHARGE, problem(422, 'No'), { code: 3, stderr: expect.stringContaining('"exit_code":3') }],
    ['a lost answer', CHARGE, json(200, []), { code: 6, stderr: expect.stringContaining('"exit_code":6') }],
  ] as const)('hides no result of a write: %s', async (_what, args, answer, end) => {
    const { broken, program } = ownPackage();
    const service = await serve([broken(answer)]);
    expect(await paycli([...args, '--json'], { service, program })).toMatchObject(end);
  });

  it('does not turn a failed payment into a success', async () => {
    const { broken, program } = ownPackage();
    const service = await serve([broken(json(200, FAILED))]);
    const ended = await paycli(WAIT, { service, program });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('error: ') });
  });

  it('before the start causes a clear error', async () => {
    const { program } = ownPackage();
    rmSync(join(program[1], '..', '..', 'dist'), { recursive: true });
    const ended = await paycli(['--version'], { program });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("can't be loaded") });
  });
});

it('a defect after an accepted charge exits with 7, and says to find out before a repeat', async () => {
  let isBroken = true;
  const said = (): void => {
    if (!isBroken) return;
    isBroken = false;
    throw new TypeError('boom');
  };
  const ended = await here(CHARGE, { service: await serve([json(200, ACTIVITY)]) }, { said });
  expect(ended).toMatchObject({ code: 7, stdout: '' });
  const hint = 'find out whether the request was applied before you run it again';
  expect(ended.stderr.split('\n').slice(-3)).toEqual(['error: a bug in paycli: boom', `→ ${hint}`, '']);
});

/** True if the port of Node's inspector is free. */
const inspectorPort = (): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.on('error', () => done(true));
    server.listen(9229, '127.0.0.1', () => server.close(() => done(false)));
  });

describe.runIf(process.platform !== 'win32')('SIGUSR1', () => {
  it('opens no inspector and does not end the program', async () => {
    const service = await serve([hang]);
    const running = start(['ugwo', 'list'], { service });
    await service.came(1);
    running.kill('SIGUSR1');
    running.kill('SIGTERM');
    const ended = await running.ended;
    expect(ended.code).toBe(143);
    expect(ended.stderr).not.toMatch(/debugger|inspector/i);
    expect(await inspectorPort()).toBe(false);
  });
});
