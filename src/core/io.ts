import type { Redactor } from './secret.ts';

/**
 * One output stream, and the one door to it: secrets that are known are taken out of all that is written, and what goes to a
 * terminal holds nothing but text and what this program draws with. Writes resolve when the stream has taken them, so that a
 * slow reader slows the writer. Bytes are UTF-8.
 */
export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Hands a text to the clipboard of the terminal, which may or may not take it. False where there is no terminal to take it. */
  copy(text: string): Promise<boolean>;
  /**
   * What takes away what is drawn to be written over, for when something else gets the terminal (Ctrl-Z); undefined where
   * nothing is drawn.
   */
  drawn(erase: (() => string) | undefined): void;
  readonly isTerminal: boolean;
  /** Width in columns; 80 where nothing says it. */
  readonly columns: number;
  /** Height in rows, where it is a terminal that says so. */
  readonly rows?: number | undefined;
  /** The reader has gone (`| head -1`) or the stream has failed: nothing more need be made. */
  readonly closed: boolean;
}

export interface Input {
  readonly isTerminal: boolean;
  /** All of it, at most `limit` bytes, as UTF-8; a usage error beyond. */
  text(limit: number): Promise<string>;
  /** All of it as it comes; throws `interrupted` at the first signal. */
  bytes(): AsyncIterable<Uint8Array>;
  /** One line typed on the terminal, shown or hidden; undefined at the end of input. */
  line(prompt: string, options: { readonly hidden: boolean }): Promise<string | undefined>;
}

export interface Clock {
  /** Milliseconds since the epoch, by a clock that can be set: for what others say of time. */
  now(): number;
  /** Milliseconds that only ever grow, since any moment: for how long something takes. */
  ticks(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Ctrl-C and SIGTERM: `stop` at the first one, `leave` at the second. The reason is the signal's name. */
export interface Signals {
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

/** What has become of the writes of this run, counted, for whatever ends the run from outside. */
export interface Flight {
  /** Those that may have been applied: sent and not judged yet, or judged unknown. */
  open: number;
  /** Those that the service has done and whose answer is not safe yet: whoever has kept it for good takes it off again. */
  accepted: number;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Everything of the world outside that the program touches; tests pass their own. */
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

/** Whether the locale says that its terminal shows UTF-8; that of Windows does, and has no such variables. */
export const speaksUtf8 = (env: Env): boolean =>
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '') || env['OS'] === 'Windows_NT';

const nothing = (): undefined => undefined;

/** What `work` gives; nothing where that takes longer than so many milliseconds. */
export const withTimeout = async <T>(
  work: Promise<T>,
  ms: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<T | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, over.signal).then(nothing, nothing)]);
  } finally {
    over.abort();
  }
};
