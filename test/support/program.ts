import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, vi } from 'vitest';
import { PROGRAM, RUNTIME } from './built.ts';
import { CANARY, RUN_FOLDER } from './canary.ts';
import { clock } from './clock.ts';
import { PASSING_CLOCK } from './pause.ts';

export interface RunOptions {
  /** PAYCLI_HOME; by default a new folder. */
  readonly home?: string;
  /** The service for PAYCLI_BASE_URL, with the canary as its key. */
  readonly service?: { readonly origin: string };
  /** Variables to add; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The content of stdin; null leaves the pipe open and empty. */
  readonly stdin?: string | null;
  /** False: stdout is not read until `readStdout` is called. */
  readonly readStdout?: boolean;
  readonly cwd?: string;
  /** Another program than the one under test. */
  readonly program?: readonly [file: string, ...args: string[]];
  /** Registers the function that kills it if it runs too long; by default at the end of the test. */
  readonly atEnd?: (end: () => void) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder for one test, in the run's folder, which is searched afterwards. */
export const newFolder = (name = 'home'): string => {
  mkdirSync(RUN_FOLDER, { recursive: true });
  return mkdtempSync(join(RUN_FOLDER, `${name}-`));
};

/** The environment of a run: only these variables, so that the machine's own have no effect. */
export const environment = (options: RunOptions): Record<string, string> => {
  const given: Record<string, string | undefined> = {
    PATH: process.env['PATH'] ?? '',
    HOME: options.home ?? newFolder(),
    PAYCLI_HOME: options.home ?? newFolder(),
    // Shared, because otherwise every start would compile the program again.
    XDG_CACHE_HOME: join(RUN_FOLDER, 'cache'),
    LANG: 'C.UTF-8',
    TZ: process.env['TZ'],
    LC_ALL: process.env['LC_ALL'],
    ...(options.service === undefined ? {} : { PAYCLI_BASE_URL: options.service.origin, PAYCLI_SECRET_KEY: CANARY }),
    ...options.env,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

/** Variables that make the program run this code first. */
export const runBefore = (code: string): Record<string, string> => {
  const file = join(newFolder('before'), 'before.mjs');
  writeFileSync(file, code);
  return RUNTIME === 'node' ? { NODE_OPTIONS: `--import=${file}` } : { BUN_OPTIONS: `--preload=${file}` };
};

/** Kills a process that the program started and may have left running. */
export const endIfRunning = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
};

/** A program that kills the process that started it, and keeps its own input. */
export const killingProgram = () => {
  const folder = newFolder('late');
  const [path, kept] = [join(folder, 'late.sh'), join(folder, 'kept')];
  writeFileSync(path, `#!/bin/sh\nkill -9 $PPID; cat > ${kept}.part; mv ${kept}.part ${kept}\n`, { mode: 0o700 });
  return {
    path,
    /** Resolves to the input once it was read to its end. */
    kept: async (): Promise<string> => {
      await expect.poll(() => existsSync(kept)).toBe(true);
      return readFileSync(kept, 'utf8');
    },
  };
};

export interface PassingClock {
  /** Variables that make the program use this clock. */
  readonly env: Readonly<Record<string, string>>;
  pass(): void;
}

/** A wall clock that the test advances by `step` milliseconds; a process of its own runs `more` first, too. */
export const passingClock = (more = '', step = 3_600_000): PassingClock => {
  const passed = join(newFolder('clock'), 'passed');
  const env = { ...runBefore(PASSING_CLOCK + more), CLOCK_PASSED: passed, CLOCK_STEP: String(step) };
  const pass = (): void => {
    writeFileSync(passed, '');
    const moved = vi.spyOn(clock, 'now').mockImplementation(() => Date.now() + step);
    onTestFinished(() => moved.mockRestore());
  };
  return { env, pass };
};

const { sleep, ticks } = clock;
const QUICK_CLOCK = `
  const { bigint } = process.hrtime;
  const start = bigint();
  process.hrtime.bigint = () => start + (bigint() - start) * 10n;
  const { setTimeout: timer } = globalThis;
  globalThis.setTimeout = (run, ms, ...more) => timer(run, ms < 20_000 ? ms / 10 : ms, ...more);
`;

/**
 * Lets the ticks of the program run ten times as fast until the test ends, so that a pause takes a tenth of its time.
 * Limits stay. Returns the variables that do it in a process of its own, where limits are pauses of 20 s or more.
 */
export const quickClock = (): Record<string, string> => {
  const start = ticks();
  const slept = vi.spyOn(clock, 'sleep').mockImplementation((ms, signal, kind) => sleep(kind ? ms : ms / 10, signal));
  const ticked = vi.spyOn(clock, 'ticks').mockImplementation(() => start + (ticks() - start) * 10);
  onTestFinished(() => {
    for (const one of [slept, ticked]) one.mockRestore();
  });
  return runBefore(QUICK_CLOCK);
};

const NOON = Date.UTC(2026, 10, 20, 12);

/**
 * Moves the wall clock of the program to noon until the test ends, so that no day ends meanwhile. Returns the variables
 * that move it in a process of its own.
 */
export const fromNoon = (): Record<string, string> => {
  const passed = Date.now() - NOON;
  const moved = vi.spyOn(clock, 'now').mockImplementation(() => Date.now() - passed);
  onTestFinished(() => moved.mockRestore());
  return runBefore(`const { now } = Date; Date.now = () => now() - ${passed};`);
};

/** Keeps the output of a run for the final search. */
export const keep = (what: string): void => {
  mkdirSync(RUN_FOLDER, { recursive: true });
  appendFileSync(join(RUN_FOLDER, `transcript-${process.pid}.txt`), `${what}\n`);
};

export interface Running {
  readonly pid: number | undefined;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  readStdout(): void;
  /** Pipes a text in; resolves when the program has read it, except for the pipe's buffer. */
  feed(text: string): Promise<void>;
  /** Closes its stdin. */
  leave(): void;
  /** The stdout so far. */
  stdout(): string;
  /** The stderr so far. */
  stderr(): string;
  /** Resolves when stdout or stderr so far matches. */
  saw(pattern: RegExp): Promise<void>;
}

/** Waits for texts of a run; `check` runs after each piece of it. */
export const openSights = (texts: () => readonly string[], ended: Promise<Ended>) => {
  const waiting = new Set<() => void>();
  return {
    check: (): void => {
      for (const check of [...waiting]) check();
    },
    saw: (pattern: RegExp): Promise<void> =>
      new Promise((done, fail) => {
        const check = (): void => {
          if (!texts().some((text) => pattern.test(text))) return;
          waiting.delete(check);
          done();
        };
        waiting.add(check);
        check();
        void ended.then((result) => {
          check();
          fail(new Error(`ended with ${result.code} before ${pattern}: ${result.stderr}`));
        });
      }),
  };
};

/** Starts the built program as a child with pipes. */
export const start = (args: readonly string[], options: RunOptions = {}): Running => {
  const [file, ...first] = options.program ?? PROGRAM;
  const child = spawn(file, [...first, ...args], {
    env: environment(options),
    cwd: options.cwd ?? newFolder('cwd'),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  (options.atEnd ?? onTestFinished)(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  if (options.stdin !== null) child.stdin.end(options.stdin ?? '');
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString('utf8');
  const read = (stream: Readable, chunks: Buffer[]): void => {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sights.check();
    });
  };
  read(child.stderr, err);
  if (options.readStdout !== false) read(child.stdout, out);
  const ended = new Promise<Ended>((done) => {
    child.on('close', (code, signal) => {
      const result = { code, signal, stdout: text(out), stderr: text(err) };
      keep([result.stdout, result.stderr].join('\n'));
      done(result);
    });
  });
  const sights = openSights(() => [text(out), text(err)], ended);
  return {
    pid: child.pid,
    ended,
    kill: (signal) => void child.kill(signal),
    stdout: () => text(out),
    stderr: () => text(err),
    feed: (text) => new Promise((done) => child.stdin.write(text, () => done())),
    leave: () => void child.stdin.end(),
    readStdout: () => read(child.stdout, out),
    saw: sights.saw,
  };
};

/** Runs the built program to its end. */
export const paycli = (args: readonly string[], options: RunOptions = {}): Promise<Ended> => start(args, options).ended;

/** The one JSON line on stderr of a failed run with -o json. */
export const errorOf = (ended: Ended): Record<string, unknown> =>
  (JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '') as { error: Record<string, unknown> }).error;
