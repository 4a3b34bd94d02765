import { fstatSync, type Stats, statSync, writeSync } from 'node:fs';
import { attempt, isDoneInTime, memo } from '../core/async.ts';
import { abruptExit, PayError, STOP_SIGNALS } from '../core/error.ts';
import type { Clock, Env, Flight, Input, Io, Output, Signals } from '../core/io.ts';
import { Redactor } from '../core/secret.ts';
import { forTerminal } from '../core/text.ts';
import { refuseStreamLog } from '../core/unsafe-settings.ts';
import { widthFor } from './globals.ts';

/**
 * Handles signals: the first asks the run to stop, the second abandons its waits, a third ends it at once. SIGXFSZ
 * (file size limit) doesn't end the process: the write that hit it fails and reports it.
 */
const listenToSignals = (flight: Flight, exit: (code: number) => never): Signals => {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let signals = 0;
  for (const [name, code] of Object.entries(STOP_SIGNALS)) {
    process.on(name, () => {
      signals += 1;
      if (signals === 1) stop.abort(name);
      else if (signals === 2) leave.abort(name);
      else exit(abruptExit(flight, code));
    });
  }
  if (process.platform !== 'win32') process.on('SIGXFSZ', () => undefined);
  return { stop: stop.signal, leave: leave.signal };
};

const SHUT_HINT = 'leave it open, or discard the output with >/dev/null';

/** Writes everything, or throws: a single write to a full file succeeds with only a part of the data. */
const writeToFile = (fd: number, data: string | Uint8Array): void => {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(fd, bytes, written);
};

/** Stats of a standard stream; undefined if it is closed. */
const statsOfDescriptor = (fd: number): Stats | undefined => attempt(() => fstatSync(fd));

const isNullDevice = (stats: Stats | undefined): boolean =>
  stats?.isCharacterDevice() === true && stats.rdev === attempt(() => statSync('/dev/null').rdev);

/** node:tty brings half of Node's streams, and is needed only for what can be a terminal. */
const isTerminal = (fd: number, stats: Stats | undefined): boolean =>
  stats?.isCharacterDevice() === true && !isNullDevice(stats) && process.getBuiltinModule('node:tty').isatty(fd);

/** Erases drawn lines before the shell gets the terminal back (Ctrl-Z). The code that draws redraws by itself. */
const eraseWhenSuspended = (stream: NodeJS.WriteStream, erase: () => string | undefined): void => {
  if (process.platform === 'win32') return;
  const suspend = (): void => {
    stream.write(erase() ?? '', () => {
      // Without a listener, the signal has its default effect.
      process.off('SIGTSTP', suspend);
      process.once('SIGCONT', () => process.on('SIGTSTP', suspend));
      process.kill(process.pid, 'SIGTSTP');
    });
  };
  process.on('SIGTSTP', suspend);
};

/** Builds an OSC 52 sequence. Base64 contains no character that could end it. */
const clipboardSequence = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;

/**
 * Returns a function that resolves once the data is written, and rejects with the system's error. A file needs no
 * stream.
 */
const openWriter = (stream: () => NodeJS.WriteStream, fd: number, stats: Stats | undefined) => {
  // The caller may have opened /dev/null for reading alone: nothing can be written to it then.
  if (isNullDevice(stats)) return async (): Promise<void> => undefined;
  if (stats?.isFile() === true) return async (data: string | Uint8Array): Promise<void> => writeToFile(fd, data);
  return (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stream().write(data, (error) => (error ? reject(error) : resolve()));
    });
};

/** Bytes of the pieces in which messages are written: what a pipe holds. */
const PIECE_SIZE = 65_536;

/**
 * Opens stdout (data) or stderr (messages). A failed write to stderr is lost, not thrown, since it must never end a
 * run. On stderr, text that only looks like a secret is removed too. Creates the stream at the first write, since most
 * runs never write to stderr.
 */
const openOutput = (fd: 1 | 2, env: Env, redactor: Redactor, leave: AbortSignal): Output => {
  const [isData, stats] = [fd === 1, statsOfDescriptor(fd)];
  let closed = false;
  const stream = memo(() => {
    // Without a listener, an EPIPE would end the process; each write's callback already reports it.
    return (isData ? process.stdout : process.stderr).on('error', () => undefined);
  });
  const write = openWriter(stream, fd, stats);
  // Node opens /dev/null in place of a stream that was closed at the start (`>&-`), which discards the output too.
  const isShut = isData && stats === undefined;
  const clean = (text: string): string => (isData ? redactor.clean(text) : redactor.cleanAll(text));
  const terminal = isTerminal(fd, stats);
  let drawn: (() => string) | undefined;
  const onSuspend = memo(() => eraseWhenSuspended(stream(), () => drawn?.()));
  const safe = (data: string | Uint8Array): string | Uint8Array => {
    if (typeof data !== 'string' && isData && !terminal && !redactor.holds(data)) return data;
    const text = clean(typeof data === 'string' ? data : new TextDecoder().decode(data));
    return terminal ? forTerminal(text) : text;
  };
  const writeSafe = async (data: string | Uint8Array): Promise<void> => {
    if (closed) return;
    if (isShut) throw new PayError('read_failed', 'standard output is closed', { hint: SHUT_HINT });
    const put = async (piece: string | Uint8Array): Promise<void> =>
      write(piece).catch((error: NodeJS.ErrnoException) => {
        closed = true;
        if (error.code === 'EPIPE' || !isData) return;
        throw new PayError('read_failed', `the output could not be written: ${error.message}`, { cause: error });
      });
    if (isData) return put(safe(data));
    const all = Buffer.from(safe(data));
    // Nobody may read the messages. While somebody does, a long one arrives whole.
    for (let at = 0; at < all.length; at += PIECE_SIZE) {
      if (!(await isDoneInTime(put(all.subarray(at, at + PIECE_SIZE)), leave))) return;
    }
  };
  return {
    isTerminal: terminal,
    isFile: stats?.isFile() === true || isNullDevice(stats),
    get columns() {
      return widthFor(terminal ? stream().columns : undefined, env);
    },
    get rows() {
      return terminal ? stream().rows : undefined;
    },
    get closed() {
      return closed;
    },
    write: writeSafe,
    drawn: (erase) => {
      if (terminal && erase !== undefined) onSuspend();
      drawn = erase;
    },
    copy: async (text) => {
      if (!terminal || closed || env['TERM'] === 'dumb') return false;
      await write(clipboardSequence(clean(text))).catch(() => undefined);
      return true;
    },
  };
};

/** Opens stdin. Loads the readers and creates the stream only when something is read. */
const openStdin = (stop: AbortSignal, stderr: Output): Input => ({
  get isTerminal() {
    return isTerminal(0, statsOfDescriptor(0));
  },
  bytes: async function* () {
    yield* (await import('./sources.ts')).readStream(process.stdin, stop);
  },
  text: async (limit) => {
    refuseStreamLog('standard input');
    return (await import('./sources.ts')).readAll(process.stdin, { limit, what: 'standard input', stop });
  },
  line: async (prompt, { hidden }) => {
    if (hidden) refuseStreamLog('what is typed');
    return (await import('./ask.ts')).askLine({ stdin: process.stdin, stderr, stop }, prompt, hidden);
  },
});

const systemClock: Clock = {
  now: () => Date.now(),
  // Node has this built in; `performance` is a module to load.
  ticks: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal, kind) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (kind === 'idle') timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/**
 * Connects to the real process. Removes the secret key from the environment, so that no child process or crash report
 * inherits it.
 */
export const processIo = (flight: Flight, exit: (code: number) => never): Io => {
  // No prototype, since the name of a variable may be `constructor`.
  const env: Env = Object.assign(Object.create(null), process.env);
  delete process.env['PAYCLI_SECRET_KEY'];
  if (process.report !== undefined) process.report.excludeEnv = true;
  const redactor = new Redactor();
  redactor.add(env['PAYCLI_SECRET_KEY'] ?? '');
  const signals = listenToSignals(flight, exit);
  const stderr = openOutput(2, env, redactor, signals.leave);
  return {
    env,
    redactor,
    clock: systemClock,
    signals,
    flight,
    stdin: openStdin(signals.stop, stderr),
    stdout: openOutput(1, env, redactor, signals.leave),
    stderr,
    random: () => Math.random(),
  };
};
