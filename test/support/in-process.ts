import { resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { widthFor } from '../../src/cli/globals.ts';
import { runProgram } from '../../src/cli/run.ts';
import { readAll, readStream } from '../../src/cli/sources.ts';
import { allSpecs, NOUNS, specsFor } from '../../src/commands/all.ts';
import { complete } from '../../src/compose/complete.ts';
import { openRun } from '../../src/compose/open.ts';
import { storedDefaults } from '../../src/compose/run.ts';
import type { Clock, Env, Io, Output, Signals } from '../../src/core/io.ts';
import { Redactor } from '../../src/core/secret.ts';
import { forTerminal } from '../../src/core/text.ts';
import { IS_HERE } from './built.ts';
import { clock } from './clock.ts';
import { type Ended, environment, keep, openSights, paycli, type Running, type RunOptions, start } from './program.ts';

/** jq's built thread, since no thread runs from source. */
const FILES = { jq: { worker: resolve('dist/jq/worker.js'), wasm: resolve('dist/jq/jq.wasm') } };
const NEVER = new AbortController().signal;
/** A clock whose sleeps of this kind never end. */
const clockWithout = (kind: 'idle' | 'limit'): Clock => ({
  now: () => clock.now(),
  ticks: () => clock.ticks(),
  sleep: (ms, signal, one) => (one === kind ? new Promise(() => undefined) : clock.sleep(ms, signal, one)),
});
const { version } = packageJson;
const { stackTraceLimit } = Error;

/** Streams and signals of a run in this process, in place of pipes that are read at its end. */
interface Streams {
  /** The stdin that a test talks with while the run goes on. */
  readonly stdin?: Readable;
  /** Called with each piece of stdout. */
  readonly wrote?: (text: string) => void;
  /** Called with each piece of stderr. */
  readonly said?: (text: string) => void;
  /** By default no signal comes. */
  readonly signals?: Signals;
  /** The width of the terminal that all three streams are. Everything it shows is kept as stdout. */
  readonly columns?: number;
  /** Returns the line that is typed at a prompt, from all that the terminal shows. */
  readonly typed?: (shown: string) => string;
}

const openOutput = (env: Env, columns: number | undefined, put: (text: string) => void): Output => ({
  isTerminal: columns !== undefined,
  columns: widthFor(columns, env),
  closed: false,
  copy: async () => false,
  drawn: () => undefined,
  write: async (data) => put(typeof data === 'string' ? data : new TextDecoder().decode(data)),
});

const ioOf = (options: RunOptions, streams: Streams) => {
  // As in a process, no name is inherited.
  const env: Env = Object.assign(Object.create(null), environment(options));
  const redactor = new Redactor();
  redactor.add(env['PAYCLI_SECRET_KEY'] ?? '');
  const { columns, wrote, said, signals = { stop: NEVER, leave: NEVER } } = streams;
  const shown = (text: string): string => (columns === undefined ? text : forTerminal(text));
  const texts = { stdout: '', stderr: '' };
  const stdin = streams.stdin ?? Readable.from([Buffer.from(options.stdin ?? '')]);
  const io: Io = {
    env,
    redactor,
    // On a slow machine, the line of a silent command would appear. Its tests need a real terminal.
    clock: columns === undefined ? clock : clockWithout('idle'),
    stdout: openOutput(env, columns, (text) => {
      const cleaned = shown(redactor.clean(text));
      texts.stdout += cleaned;
      wrote?.(cleaned);
    }),
    stderr: openOutput(env, columns, (text) => {
      const cleaned = shown(redactor.cleanAll(text));
      texts[columns === undefined ? 'stderr' : 'stdout'] += cleaned;
      said?.(cleaned);
    }),
    stdin: {
      isTerminal: columns !== undefined,
      bytes: () => readStream(stdin, signals.stop),
      text: (limit) => readAll(stdin, { limit, what: 'standard input', stop: signals.stop }),
      line: async (prompt, { hidden }) => {
        if (columns === undefined) return undefined;
        await io.stderr.write(prompt);
        const line = streams.typed?.(texts.stdout);
        await io.stderr.write(hidden ? '\n' : `${line}\n`);
        return line;
      },
    },
    signals,
    flight: { open: 0, accepted: 0 },
    random: () => Math.random(),
  };
  return { io, texts };
};

/** A run in this process; resolves when it has ended. */
export const here = async (args: readonly string[], options: RunOptions, streams: Streams = {}): Promise<Ended> => {
  if (
    ['program', 'readStdout'].some((name) => name in options) ||
    (options.stdin === null && streams.stdin === undefined)
  ) {
    throw new Error('only a process of its own has these options');
  }
  const { io, texts } = ioOf(options, streams);
  const before = process.cwd();
  process.chdir(options.cwd ?? before);
  const [verb, ...rest] = args;
  const code = await (verb === '__complete'
    ? // A completion offers nothing after a second: on a busy machine that would be too soon.
      complete(rest, { ...io, clock: clockWithout('limit') }).then(() => 0)
    : runProgram(args, io, {
        allSpecs,
        specsFor,
        nouns: NOUNS,
        version,
        open: (globals, words) => openRun(io, globals, FILES, words),
        defaults: (globals) => storedDefaults(io, globals),
      })
  ).finally(() => process.chdir(before));
  // A run leaves the stack trace limit unchanged.
  Error.stackTraceLimit = stackTraceLimit;
  const ended = { code, signal: null, ...texts };
  keep([ended.stdout, ended.stderr].join('\n'));
  return ended;
};

/**
 * A run like `paycli` of program.ts, from argv to exit code, but in this process and from source: for a tenth of the
 * cost. With `cwd`, one run at a time. Tests of the process, its streams, its signals, a terminal or the bundle need
 * `paycli`. If the options name a program, that is run instead; if PAYCLI_PROGRAM names one, too, unless
 * PAYCLI_TEST_IN_PROCESS is set.
 */
export const inProcess = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  IS_HERE && options.program === undefined ? here(args, options) : paycli(args, options);

/** A run that goes on in this process while the test looks at it, like one of `start`. A signal asks it to stop. */
export const startHere = (args: readonly string[], options: RunOptions = {}): Running => {
  if (!IS_HERE) return start(args, options);
  const [stdin, stop, leave] = [new PassThrough(), new AbortController(), new AbortController()];
  if (options.stdin !== null) stdin.end(options.stdin ?? '');
  const texts: [stdout: string, stderr: string] = ['', ''];
  const into = (at: 0 | 1) => (text: string) => {
    texts[at] += text;
    sights.check();
  };
  const signals = { stop: stop.signal, leave: leave.signal };
  const ended = here(args, options, { stdin, wrote: into(0), said: into(1), signals });
  const sights = openSights(() => texts, ended);
  const kill = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGKILL') throw new Error('only a process of its own can be killed');
    (stop.signal.aborted ? leave : stop).abort(signal);
  };
  onTestFinished(async () => {
    for (const one of [stop, leave]) one.abort('SIGTERM');
    await ended;
  });
  return {
    pid: undefined,
    ended,
    kill,
    stdout: () => texts[0],
    stderr: () => texts[1],
    feed: async (text) => void stdin.write(text),
    leave: () => void stdin.end(),
    readStdout: () => undefined,
    saw: sights.saw,
  };
};
