import type { RunState } from '../commands/run.ts';
import type { Clock, Input, Io, Output } from '../core/io.ts';
import { SECOND_MS } from '../core/time.ts';
import type { StatusLine } from '../output/status-line.ts';

/** The parts of the line of a silent run, which are read each time it is drawn. */
type Status = Readonly<RunState['status']>;

const lineText = ({ words, doing, host }: Status, silent: number): string => {
  const now = [doing?.(), host && `waiting for ${host}`].filter((part) => part !== undefined).join(', ');
  return `${words}${now && `: ${now}`} … ${Math.round(silent / SECOND_MS)}s`;
};

/** Watches the streams of a terminal, and shows a line after a second without output or typing. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #status: Status;
  readonly #over = new AbortController();
  /** Streams on which something else is drawn. */
  readonly #drawn = new Set<Output>();
  #since: number;
  #line: StatusLine | undefined;
  #isTyping = false;
  #isUnfinished = false;

  constructor(clock: Clock, status: Status) {
    this.#clock = clock;
    this.#status = status;
    this.#since = clock.ticks();
  }

  /** The same streams, each use of which ends the silence. */
  streams(io: Io): Io {
    const { stdin, stdout, stderr } = io;
    return {
      ...io,
      stdin: stdin.isTerminal ? this.#input(stdin) : stdin,
      stdout: this.#output(stdout, stdout.isTerminal),
      stderr: this.#output(stderr, false),
    };
  }

  /** Shows the line in each silent second, until it can't be rewritten or the run is over. */
  async show(openLine: () => Promise<StatusLine>): Promise<void> {
    for (let pause = SECOND_MS; this.#line?.rewrites !== false; ) {
      await this.#clock.sleep(pause, this.#over.signal, 'idle');
      if (this.#silent >= SECOND_MS) this.#line ??= await openLine();
      const silent = this.#silent;
      pause = silent < SECOND_MS ? Math.ceil(SECOND_MS - silent) : SECOND_MS;
      const { hold, words } = this.#status;
      const isBusy = this.#isTyping || this.#isUnfinished || this.#drawn.size > 0 || hold !== undefined;
      if (silent >= SECOND_MS && !isBusy && words !== undefined) {
        await this.#line?.show(lineText(this.#status, silent));
      }
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#line?.clear();
  }

  get #silent(): number {
    return this.#clock.ticks() - this.#since;
  }

  #moved(): void {
    this.#since = this.#clock.ticks();
    // Written within this turn, so it comes before what follows.
    void this.#line?.clear();
  }

  #type(isNow: boolean): void {
    this.#isTyping = isNow;
    this.#moved();
  }

  async #typed<T>(read: Promise<T>): Promise<T> {
    this.#type(true);
    return read.finally(() => this.#type(false));
  }

  #input(stdin: Input): Input {
    const bytes = async function* (this: SilenceWatch): AsyncIterable<Uint8Array> {
      this.#type(true);
      try {
        yield* stdin.bytes();
      } finally {
        this.#type(false);
      }
    };
    return {
      isTerminal: true,
      line: (prompt, how) => this.#typed(stdin.line(prompt, how)),
      text: (limit) => this.#typed(stdin.text(limit)),
      bytes: () => bytes.call(this),
    };
  }

  #output(output: Output, isData: boolean): Output {
    return {
      isTerminal: output.isTerminal,
      get columns() {
        return output.columns;
      },
      get rows() {
        return output.rows;
      },
      get closed() {
        return output.closed;
      },
      copy: (text) => output.copy(text),
      drawn: (erase) => {
        this.#moved();
        if (erase === undefined) this.#drawn.delete(output);
        else this.#drawn.add(output);
        output.drawn(erase);
      },
      write: (data) => {
        if (output.isFile !== true) this.#moved();
        const last = data.at(-1) ?? '\n';
        if (isData) this.#isUnfinished = last !== '\n' && last !== 10;
        return output.write(data);
      },
    };
  }
}
