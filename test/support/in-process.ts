import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import packageJson from '../../package.json' with { type: 'json' };
import { widthFor } from '../../src/cli/globals.ts';
import { runProgram } from '../../src/cli/run.ts';
import { readAll, readStream } from '../../src/cli/sources.ts';
import { allSpecs, NOUNS, specsFor } from '../../src/commands/all.ts';
import { complete } from '../../src/compose/complete.ts';
import { openRun } from '../../src/compose/open.ts';
import { storedDefaults } from '../../src/compose/run.ts';
import type { Clock, Env, Io, Output } from '../../src/core/io.ts';
import { Redactor } from '../../src/core/secret.ts';
import { forTerminal } from '../../src/core/text.ts';
import { IS_HERE } from './built.ts';
import { clock } from './clock.ts';
import { type Ended, environment, keep, paycli, type RunOptions } from './program.ts';

/** jq's built thread, since no thread runs from source. */
const FILES = { jq: { worker: resolve('dist/jq/worker.js'), wasm: resolve('dist/jq/jq.wasm') } };
const NEVER = new AbortController().signal;
/** A completion offers nothing after a second: on a busy machine that would be too soon. */
const WITHOUT_LIMIT: Clock = { ...clock, sleep: () => new Promise(() => undefined) };
const { version } = packageJson;
const { stackTraceLimit } = Error;

/** What a run in this process has instead of pipes that are read at its end. */
interface Streams {
  /** The stdin that a test talks with while the run goes on. */
  readonly stdin?: Readable;
  /** Called with each piece of stdout. */
  readonly wrote?: (text: string) => void;
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
  const { columns, wrote } = streams;
  const shown = (text: string): string => (columns === undefined ? text : forTerminal(text));
  const texts = { stdout: '', stderr: '' };
  const stdin = streams.stdin ?? Readable.from([Buffer.from(options.stdin ?? '')]);
  const io: Io = {
    env,
    redactor,
    clock,
    stdout: openOutput(env, columns, (text) => {
      const cleaned = shown(redactor.clean(text));
      texts.stdout += cleaned;
      wrote?.(cleaned);
    }),
    stderr: openOutput(env, columns, (text) => {
      texts[columns === undefined ? 'stderr' : 'stdout'] += shown(redactor.cleanAll(text));
    }),
    stdin: {
      isTerminal: columns !== undefined,
      bytes: () => readStream(stdin, NEVER),
      text: (limit) => readAll(stdin, { limit, what: 'standard input', stop: NEVER }),
      line: async (prompt, { hidden }) => {
        if (columns === undefined) return undefined;
        await io.stderr.write(prompt);
        const line = streams.typed?.(texts.stdout);
        await io.stderr.write(hidden ? '\n' : `${line}\n`);
        return line;
      },
    },
    signals: { stop: NEVER, leave: NEVER },
    flight: { open: 0, accepted: 0 },
    random: () => Math.random(),
  };
  return { io, texts };
};

/** A run in this process; resolves when it has ended. */
export const here = async (args: readonly string[], options: RunOptions, streams: Streams = {}): Promise<Ended> => {
  if (['program', 'readStdout'].some((name) => name in options) || options.stdin === null) {
    throw new Error('only a process of its own has these options');
  }
  const { io, texts } = ioOf(options, streams);
  const before = process.cwd();
  process.chdir(options.cwd ?? before);
  const [verb, ...rest] = args;
  const code = await (verb === '__complete'
    ? complete(rest, { ...io, clock: WITHOUT_LIMIT }).then(() => 0)
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
