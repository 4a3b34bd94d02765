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
import { IS_HERE } from './built.ts';
import { clock } from './clock.ts';
import { type Ended, environment, keep, paycli, type RunOptions } from './program.ts';

const NEVER = new AbortController().signal;
/** A completion offers nothing after a second: on a busy machine that would be too soon. */
const WITHOUT_LIMIT: Clock = { ...clock, sleep: () => new Promise(() => undefined) };
const { version } = packageJson;
const { stackTraceLimit } = Error;

/** The streams of a run that a test talks with while it goes on. */
interface Talk {
  readonly stdin: Readable;
  readonly wrote: (text: string) => void;
}

const openPipe = (env: Env, clean: (text: string) => string, wrote?: Talk['wrote']) => {
  const texts: string[] = [];
  const keepText = (text: string): void => {
    texts.push(text);
    wrote?.(text);
  };
  const output: Output = {
    isTerminal: false,
    columns: widthFor(undefined, env),
    closed: false,
    copy: async () => false,
    drawn: () => undefined,
    write: async (data) => keepText(clean(typeof data === 'string' ? data : new TextDecoder().decode(data))),
  };
  return { output, text: () => texts.join('') };
};

const ioOf = (options: RunOptions, talk?: Talk) => {
  // As in a process, no name is inherited.
  const env: Env = Object.assign(Object.create(null), environment(options));
  const redactor = new Redactor();
  redactor.add(env['PAYCLI_SECRET_KEY'] ?? '');
  const stdout = openPipe(env, (text) => redactor.clean(text), talk?.wrote);
  const stderr = openPipe(env, (text) => redactor.cleanAll(text));
  const stdin = talk?.stdin ?? Readable.from([Buffer.from(options.stdin ?? '')]);
  const io: Io = {
    env,
    redactor,
    clock,
    stdout: stdout.output,
    stderr: stderr.output,
    stdin: {
      isTerminal: false,
      bytes: () => readStream(stdin, NEVER),
      text: (limit) => readAll(stdin, { limit, what: 'standard input', stop: NEVER }),
      line: async () => undefined,
    },
    signals: { stop: NEVER, leave: NEVER },
    flight: { open: 0, accepted: 0 },
    random: () => Math.random(),
  };
  return { io, stdout, stderr };
};

/** A run in this process; resolves when it has ended. */
export const here = async (args: readonly string[], options: RunOptions, talk?: Talk): Promise<Ended> => {
  if (['program', 'readStdout'].some((name) => name in options) || options.stdin === null) {
    throw new Error('only a process of its own has these options');
  }
  const { io, stdout, stderr } = ioOf(options, talk);
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
        open: (globals, words) => openRun(io, globals, {}, words),
        defaults: (globals) => storedDefaults(io, globals),
      })
  ).finally(() => process.chdir(before));
  // A run leaves the stack trace limit unchanged.
  Error.stackTraceLimit = stackTraceLimit;
  const ended = { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
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
