import { expect, it } from 'vitest';
import { attempt } from '../../src/core/async.ts';
import { type Exec, execute, openProgramInput } from '../../src/core/program.ts';
import { clock } from '../support/clock.ts';
import { newFolder } from '../support/program.ts';
import { TestClock } from '../webhook/support.ts';

const run = async (exec: Exec, deps: Parameters<typeof execute>[2]) =>
  execute(exec, await openProgramInput(newFolder('input'), Buffer.from('{}')), deps);
const SCRIPT = "process.stdout.write('' + process.pid); process.exitCode = 7";
/** A program that ignores SIGTERM; so does its child, which keeps the output open. */
const STUBBORN = `
  process.on('SIGTERM', () => process.stdout.write('asked'));
  require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
  setInterval(() => undefined, 1000);
  process.stdout.write('started');`;
const NEVER = new AbortController().signal;

const isThere = (pid: number): boolean => attempt(() => process.kill(pid, 0)) === true;

const execOf = (script: string, print: (text: string) => Promise<void>): Exec => ({
  words: [process.execPath, '-e', script],
  env: { PATH: process.env['PATH'] },
  openPrint: () => async (text) => (text === undefined ? undefined : print(text)),
  signalGroup: (pid, name) => void process.kill(-pid, name),
});

it('--exec ends when its output is written: only then does the event count as reported', async () => {
  const [reached, written] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const exec = execOf(SCRIPT, async (text) => {
    reached.resolve(text);
    await written.promise;
  });
  let isOver = false;
  const running = run(exec, { clock, stop: NEVER, leave: NEVER }).finally(() => {
    isOver = true;
  });
  const pid = await reached.promise;
  // Node reports the exit of a child when it reaps it.
  await expect.poll(() => isThere(Number(pid))).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  written.resolve();
  expect(await running).toEqual({ why: 'exit code 7', isKilled: false });
});

it('--exec gives the body in a file: no program starts with a part of it, also if paycli is killed then', async () => {
  const script = "process.exitCode = require('node:fs').fstatSync(0).isFile() ? 3 : 4";
  const failed = await run(
    execOf(script, async () => undefined),
    { clock, stop: NEVER, leave: NEVER },
  );
  expect(failed?.why).toBe('exit code 3');
});

/** Runs the stubborn program with virtual time; returns its output and the times of the signals. */
const ended = async (signals: { readonly stop?: boolean; readonly leave?: boolean }) => {
  const [time, stop, leave] = [new TestClock(), new AbortController(), new AbortController()];
  const [started, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const texts: string[] = [];
  const exec = execOf(STUBBORN, async (text) => {
    texts.push(text);
    if (text.includes('started')) started.resolve();
    if (text.includes('asked')) asked.resolve();
  });
  const running = run(exec, { clock: time, stop: stop.signal, leave: leave.signal });
  await started.promise;
  if (signals.stop) stop.abort('SIGTERM');
  if (signals.leave) leave.abort('SIGTERM');
  else await time.step();
  await asked.promise;
  const askedAt = time.time;
  await time.step();
  return { texts, failed: await running, askedAt, killedAt: time.time };
};

it.skipIf(process.platform === 'win32')('--exec kills a command with its children after five minutes', async () => {
  expect(await ended({})).toEqual({
    texts: ['started', 'asked', '\n'],
    failed: { why: 'took longer than 5 minutes and was ended', isKilled: true },
    askedAt: 300_000,
    killedAt: 302_000,
  });
});

it.skipIf(process.platform === 'win32')(
  '--exec kills a command three seconds after the first signal, and at once after the second',
  async () => {
    const found = { texts: ['started', 'asked', '\n'], failed: { why: 'SIGKILL', isKilled: true } };
    expect(await ended({ stop: true })).toEqual({ ...found, askedAt: 3000, killedAt: 5000 });
    expect(await ended({ stop: true, leave: true })).toEqual({ ...found, askedAt: 0, killedAt: 2000 });
  },
);

it.skipIf(process.platform === 'win32')(
  '--exec does not trust the exit code of a command that it has ended',
  async () => {
    const script = "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('started')";
    const leave = new AbortController();
    const exec = execOf(script, async () => leave.abort('SIGTERM'));
    const failed = await run(exec, { clock, stop: leave.signal, leave: leave.signal });
    expect(failed).toEqual({ why: 'exit code 3', isKilled: true });
  },
);

it.skipIf(process.platform === 'win32')(
  '--exec trusts a command that leaves a child with its output open, and closes that after a second',
  async () => {
    const script = `console.log(process.pid);
    require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' }).unref();`;
    const [time, started] = [new TestClock(), Promise.withResolvers<string>()];
    const exec = execOf(script, async (text) => started.resolve(text));
    const running = run(exec, { clock: time, stop: NEVER, leave: NEVER });
    const pid = await started.promise;
    await expect.poll(() => isThere(Number(pid))).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    await time.step();
    await time.step();
    expect([await running, time.time]).toEqual([undefined, 1000]);
  },
);

it.skipIf(process.platform === 'win32')(
  '--exec reads no more of a command that writes without end than is printed, and leaves it at the second signal',
  async () => {
    const [stop, leave] = [new AbortController(), new AbortController()];
    const [texts, reached]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers()];
    const exec = {
      ...execOf('', (text) => {
        texts.push(text);
        reached.resolve();
        return new Promise(() => undefined);
      }),
      words: ['/usr/bin/yes'],
    };
    const running = run(exec, { clock: new TestClock(), stop: stop.signal, leave: leave.signal });
    await reached.promise;
    // In this time, it would write much more.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    stop.abort('SIGTERM');
    leave.abort('SIGTERM');
    expect(await running).toMatchObject({ isKilled: true });
    // On its other stream it says that nobody reads this one.
    expect(texts.filter((text) => text.startsWith('y'))).toHaveLength(1);
  },
);
