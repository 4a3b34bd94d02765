import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { PayError } from '../core/error.ts';
import { Redactor } from '../core/secret.ts';
import type { Clock, Env, Input, Io, Output, Signals } from './io.ts';
import { readAll } from './sources.ts';

const DEFAULT_WIDTH = 80;

const openOutput = (stream: NodeJS.WriteStream, env: Env, redactor: Redactor): Output => {
  let closed = false;
  // Without a listener an EPIPE would end the process; each write's callback reports it already.
  stream.on('error', () => undefined);
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns ?? (Number(env['COLUMNS']) || DEFAULT_WIDTH);
    },
    get closed() {
      return closed;
    },
    write: (text) =>
      closed
        ? Promise.resolve()
        : new Promise((resolve, reject) => {
            stream.write(redactor.clean(text), (error: NodeJS.ErrnoException | null | undefined) => {
              if (error === null || error === undefined) return resolve();
              closed = true;
              if (error.code === 'EPIPE') return resolve();
              reject(
                new PayError('read_failed', `the output could not be written: ${error.message}`, { cause: error }),
              );
            });
          }),
  };
};

/** Ctrl-C at a prompt: readline takes it from the terminal, so it never becomes a signal. */
const interruptedAtPrompt = (): PayError => new PayError('interrupted', 'stopped by SIGINT; nothing was in flight');

const askLine = (
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
  prompt: string,
  hidden: boolean,
): Promise<string | undefined> => {
  const muted = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!hidden) stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: stdin, output: muted, terminal: true, historySize: 0 });
  // Only now does the terminal no longer echo: a key that is pasted at the sight of the prompt stays unseen.
  stderr.write(prompt);
  return new Promise((resolve, reject) => {
    reader.once('SIGINT', () => reject(interruptedAtPrompt()));
    reader.once('close', () => resolve(undefined));
    reader.once('line', (line) => resolve(line));
  }).finally(() => {
    reader.close();
    if (hidden) stderr.write('\n');
  }) as Promise<string | undefined>;
};

const openInput = (stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Input => ({
  isTerminal: stdin.isTTY === true,
  text: (limit) => readAll(stdin, limit, 'standard input'),
  line: (prompt, { hidden }) => askLine(stdin, stderr, prompt, hidden),
});

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { ref: true, ...(signal === undefined ? {} : { signal }) });
    } catch (thrown) {
      throw signal?.reason ?? thrown;
    }
  },
};

const listen = (): Signals => {
  const [stop, leave] = [new AbortController(), new AbortController()];
  const count = { signals: 0 };
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      count.signals += 1;
      if (count.signals === 1) stop.abort(name);
      else if (count.signals === 2) leave.abort(name);
      else process.exit(code);
    });
  }
  return { stop: stop.signal, leave: leave.signal };
};

/** The real world. The secret key leaves the environment here, so that no child and no crash report inherits it. */
export const processIo = (): Io => {
  const env: Env = { ...process.env };
  delete process.env['PAYCLI_SECRET_KEY'];
  if (process.report !== undefined) process.report.excludeEnv = true;
  const redactor = new Redactor();
  redactor.add(env['PAYCLI_SECRET_KEY'] ?? '');
  return {
    env,
    redactor,
    clock,
    stdin: openInput(process.stdin, process.stderr),
    stdout: openOutput(process.stdout, env, redactor),
    stderr: openOutput(process.stderr, env, redactor),
    random: () => Math.random(),
    signals: listen(),
  };
};
