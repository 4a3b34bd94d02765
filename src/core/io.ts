import type { Redactor } from './secret.ts';

/**
 * One output stream, and the only way to write to it. Known secrets are removed from everything that is written, and a
 * terminal gets only text and this program's own control sequences. Writes resolve when the stream has accepted them,
 * so that a slow reader slows the writer. Bytes are UTF-8. The caller reuses them once the write resolves, so a stream
 * that keeps them makes a copy.
 */
export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Sends a text to the terminal's clipboard, which may ignore it. False if the stream is not a terminal. */
  copy(text: string): Promise<boolean>;
  /**
   * Registers a function whose output erases the drawn lines before another program gets the terminal (Ctrl-Z);
   * undefined if nothing is drawn.
   */
  drawn(erase: (() => string) | undefined): void;
  readonly isTerminal: boolean;
  /** Width in columns; 80 when unknown. */
  readonly columns: number;
  /** Height in rows; undefined if unknown. */
  readonly rows?: number | undefined;
  /** Goes to a file or to /dev/null, so that nobody sees it arrive. */
  readonly isFile?: boolean;
  /** The reader has closed the pipe (`| head -1`) or the stream has failed: further output is useless. */
  readonly closed: boolean;
}

export interface Input {
  readonly isTerminal: boolean;
  /** The whole input as UTF-8, at most `limit` bytes; a usage error beyond. */
  text(limit: number): Promise<string>;
  /** The input in chunks as it arrives; throws `interrupted` at the first signal. */
  bytes(): AsyncIterable<Uint8Array>;
  /** One line typed on the terminal, shown or hidden; undefined at the end of input. */
  line(prompt: string, options: { readonly hidden: boolean }): Promise<string | undefined>;
}

export interface Clock {
  /** Milliseconds since the epoch, by a clock that can be set: compared with times that others state. */
  now(): number;
  /** Milliseconds of a monotonic clock with an arbitrary start: for durations. */
  ticks(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason when it is aborted. An idle one doesn't keep the process
   * running. A limit ends work that takes too long; a test shortens other sleeps alone.
   */
  sleep(ms: number, signal?: AbortSignal, kind?: 'idle' | 'limit'): Promise<void>;
}

/** Ctrl-C and SIGTERM: `stop` at the first one, `leave` at the second. The reason is the signal's name. */
export interface Signals {
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

/** Numbers of this run's unsettled writes, for code that ends the run from outside. */
export interface Flight {
  /** Writes that may have been applied: sent without an outcome yet, or with an unknown one. */
  open: number;
  /**
   * Writes that the service has applied and whose answer is not stored yet: the code that stores it decrements this.
   */
  accepted: number;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** The program's whole access to the outside world; tests pass their own. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Env;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly signals: Signals;
  readonly redactor: Redactor;
  readonly flight: Flight;
}

/** True if the locale says that the terminal shows UTF-8. Windows terminals do, and have no such variables. */
export const speaksUtf8 = (env: Env): boolean =>
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '') || env['OS'] === 'Windows_NT';

/**
 * True for a terminal that can draw and rewrite lines. Screen readers and dumb terminals get words, and a new line each
 * time.
 */
export const canDraw = ({ isTerminal }: Pick<Output, 'isTerminal'>, env: Env): boolean =>
  isTerminal && env['TERM'] !== 'dumb' && (env['ACCESSIBLE'] ?? '') === '';

const nothing = (): undefined => undefined;

/** Result of `work`; undefined on timeout. `ms` is in milliseconds. */
export const withTimeout = async <T>(
  work: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<T | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, over.signal, 'limit').then(nothing, nothing)]);
  } finally {
    over.abort();
  }
};
