import { memo, openChange, spread } from '../core/async.ts';
import { endsAll, PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { Rate } from '../core/time.ts';

/** The reason why no new row was started; `signal` is the first Ctrl-C or SIGTERM. */
export type Stopped = PayError | 'signal';

/** The time by which a start may be early after others were late, so that late timers don't cost speed. */
const LEEWAY_MS = 20;
const LEEWAY_SHARE = 0.02;

/** Keeps starts under a rate. Instants are monotonic ticks. */
interface Meter {
  /** The instant of the next allowed start; in the past if it is allowed at once. */
  next(): number;
  started(now: number): void;
}

/**
 * A token bucket that is never more than the leeway ahead. The starts are a little further apart than the rate
 * requires: with the leeway there are then exactly `count` in the fullest window, and never one more.
 */
const openMeter = (rate: Rate | undefined): Meter => {
  if (rate === undefined) return { next: () => -Infinity, started: () => undefined };
  const leeway = Math.min(LEEWAY_MS, rate.ms * LEEWAY_SHARE);
  const spacing = (rate.ms + leeway) / rate.count;
  let due = -Infinity;
  return {
    next: () => due - leeway,
    started: (now) => {
      due = Math.max(due, now) + spacing;
    },
  };
};

/** Returns a wait for the turn to send. Turns come in the order of the calls, and keep to the rate. */
const openTurns = ({ rate, clock, stop }: Pick<RowsRun<never>, 'rate' | 'clock' | 'stop'>): RowSignals['turn'] => {
  const meter = openMeter(rate);
  const due = async (): Promise<void> => {
    for (let ms = meter.next() - clock.ticks(); ms > 0 && !stop.aborted; ms = meter.next() - clock.ticks()) {
      await clock.sleep(Math.ceil(ms), stop).catch(() => undefined);
    }
    meter.started(clock.ticks());
  };
  let last = Promise.resolve();
  return () => {
    last = last.then(due);
    return last;
  };
};

/** The hold when the service names no delay: doubled each time until a row succeeds. */
const FIRST_HOLD_MS = 250;
const LONGEST_HOLD_MS = 20_000;
/** The successes in a row before the limit grows by one; at least as many as the current limit. */
const FEWEST_SUCCESSES = 10;

interface PaceOptions {
  /** The maximum number of rows in flight; at least 1. */
  readonly concurrency: number;
  readonly rate?: Rate | undefined;
  readonly clock: Pick<Clock, 'ticks'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const holdOf = (asked: number, refusals: number, random: () => number): number => {
  if (asked > 0 && Number.isFinite(asked)) return spread(asked, random);
  return Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (refusals - 1)) * (0.5 + 0.5 * random());
};

/**
 * Starts at full concurrency and keeps to the rate. When the service asks to slow down, no row starts for the requested
 * time, and the limit is halved. It grows by one at a time as rows succeed. Rows that were started before the last
 * halving don't count for the new limit: a burst that is refused as a whole halves it once. Starts are numbered from 1.
 * Reads ahead of a row's turn keep to the same rate and pauses, and are numbered with the starts. So do the requests
 * that change something (see `RowSignals.turn`): the reads before them may end late, and many at once.
 */
const openPace = ({ concurrency, rate, clock, random }: PaceOptions) => {
  let limit = concurrency;
  let [starts, halvedAt] = [0, 0];
  let [successes, refusals] = [0, 0];
  let heldUntil = -Infinity;

  const halve = (): void => {
    limit = Math.max(1, Math.floor(limit / 2));
    halvedAt = starts;
    successes = 0;
    refusals += 1;
  };
  const grow = (): void => {
    limit += 1;
    successes = 0;
  };

  const startsBy = ({ next, started }: Meter) => ({
    /** Milliseconds until the next start is allowed; 0 if it is allowed now. */
    wait: (): number => Math.max(0, Math.max(heldUntil, next()) - clock.ticks()),
    start: (): number => {
      started(clock.ticks());
      starts += 1;
      return starts;
    },
  });

  return {
    /** The current limit for rows in flight. */
    get limit(): number {
      return limit;
    },
    ...startsBy(openMeter(rate)),
    /** Reads ahead of a row's turn. */
    reads: startsBy(openMeter(rate)),
    /**
     * Reports that the service asked for a pause of `ms`, or named no time (0), in answer to the row with this number.
     */
    slowDown: (start: number, ms: number): void => {
      if (start > halvedAt) halve();
      heldUntil = Math.max(heldUntil, clock.ticks() + holdOf(ms, refusals, random));
    },
    /** Reports that the row with this number succeeded. */
    succeed: (start: number): void => {
      if (start <= halvedAt) return;
      refusals = 0;
      successes += 1;
      if (limit < concurrency && successes >= Math.max(FEWEST_SUCCESSES, limit)) grow();
    },
  };
};
export type Pace = ReturnType<typeof openPace>;

/** The effect of one row's result on the others. */
interface Consequence {
  /** The pause that the service asked for, in milliseconds; 0 if it named no time. */
  readonly slowDown?: number;
  /** No new row may start after this: the key is not accepted, the ledger can't be written, an outcome is unknown. */
  readonly stops?: PayError;
}

/** Signals between a row in progress and the others, which need not wait for its result. */
export interface RowSignals {
  /** Resolves when the row may send a request that changes something, and at once after a signal. */
  readonly turn: () => Promise<void>;
  /** The service asks for a pause of `ms` milliseconds, or names no time (0). */
  readonly slowDown: (ms: number) => void;
  /**
   * The service has answered: another row may start, unless `stops` ends the run. The remaining write of this row then
   * shares its sync with the writes of the next one.
   */
  readonly landed: (stops: PayError | undefined) => void;
}

interface RowsRun<R, E extends Consequence = Consequence> extends PaceOptions {
  /**
   * Pulled only when a row can be started, and closed when the run ends early. A row that is being read is awaited,
   * also after a signal: a source that can hang must end by itself. A function gets the pace, for a source that reads
   * ahead.
   */
  readonly rows: Iterable<R> | AsyncIterable<R> | ((pace: Pace) => AsyncIterable<R>);
  /** Works on one row. An error that it throws is a defect: the rows in flight are finished, then it is rethrown. */
  readonly work: (row: R, signals: RowSignals) => Promise<E>;
  /** Once aborted, no new row starts, and the rows in flight are finished. */
  readonly stop: AbortSignal;
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  /** Called as rows settle. While its promise is pending, only a few more rows start. */
  readonly onSettled: (row: R, end: E) => void | Promise<void>;
}

interface Ran {
  readonly started: number;
  /** The reason why rows may not have been started. A signal after the last start does not count. */
  readonly stopped?: Stopped;
}

/**
 * Rows that may have landed but not settled, for each row in flight: beyond that, the run waits for the reader of the
 * report.
 */
const LANDED = 3;

/** The maximum number of rows sent but not settled, for a given number in flight. */
export const mostOpen = (inFlight: number): number => inFlight * (1 + LANDED);

/** One run over rows. */
class Running<R, E extends Consequence> {
  readonly #run: RowsRun<R, E>;
  readonly #pace: Pace;
  readonly #turn: RowSignals['turn'];
  readonly #change = openChange();
  /** Rows whose request is not answered yet. */
  #inFlight = 0;
  /** Rows without a result yet, the landed ones included. */
  #open = 0;
  #started = 0;
  readonly #landing = new Set<Promise<void>>();
  /** Aborted once no new row may start. */
  readonly #over = new AbortController();
  #stopped: Stopped | undefined;
  /** The first error thrown. It is stored beside the reason of the stop, since it must not be lost. */
  #fault: { readonly thrown: unknown } | undefined;

  constructor(run: RowsRun<R, E>) {
    this.#run = run;
    this.#pace = openPace(run);
    this.#turn = openTurns(run);
  }

  async toEnd(): Promise<Ran> {
    const { stop } = this.#run;
    const onSignal = (): void => this.#end('signal');
    stop.addEventListener('abort', onSignal);
    if (stop.aborted) onSignal();
    await this.#startAll().catch((thrown: unknown) => this.#fail(thrown));
    stop.removeEventListener('abort', onSignal);
    while (this.#open > 0) await this.#change.changed();
    if (this.#fault !== undefined) throw this.#fault.thrown;
    return { started: this.#started, ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }) };
  }

  async #startAll(): Promise<void> {
    const { rows } = this.#run;
    if (!(await this.#waitForSlot())) return;
    for await (const row of typeof rows === 'function' ? rows(this.#pace) : rows) {
      // The pace may have changed while the row was being read.
      if (!(await this.#waitForSlot())) return;
      this.#started += 1;
      this.#inFlight += 1;
      this.#open += 1;
      void this.#workOn(row, this.#pace.start());
      if (!(await this.#waitForSlot())) return;
    }
  }

  /** Waits until one more row may start; resolves to false if no more may. */
  async #waitForSlot(): Promise<boolean> {
    while (!this.#over.signal.aborted) {
      const wait = this.#pace.wait();
      if (this.#inFlight >= this.#pace.limit || this.#open >= mostOpen(this.#pace.limit)) await this.#change.changed();
      else if (wait <= 0) return true;
      else await this.#run.clock.sleep(Math.ceil(wait), this.#over.signal).catch(() => undefined);
    }
    return false;
  }

  async #workOn(row: R, start: number): Promise<void> {
    const { work, onSettled } = this.#run;
    const settled = Promise.withResolvers<void>();
    const land = memo(() => this.#freePlace());
    const landed: RowSignals['landed'] = (stops) => {
      this.#end(stops);
      this.#landing.add(settled.promise);
      land();
    };
    try {
      const slowDown: RowSignals['slowDown'] = (ms) => this.#pace.slowDown(start, ms);
      const result = await work(row, { turn: this.#turn, slowDown, landed });
      this.#end(result.stops);
      if (result.slowDown === undefined) this.#pace.succeed(start);
      else slowDown(result.slowDown);
      // A row that ends at once, such as one that is not sent, follows the rows that gave it their place.
      if (!this.#landing.has(settled.promise)) await Promise.all(this.#landing);
      await onSettled(row, result);
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#landing.delete(settled.promise);
    settled.resolve();
    land();
    this.#open -= 1;
    this.#change.notify();
  }

  /** The request of a row is answered, or given up; only local work is left. */
  #freePlace(): void {
    this.#inFlight -= 1;
    this.#change.notify();
  }

  #end(why: Stopped | undefined): void {
    if (why === undefined) return;
    this.#stopped ??= why;
    this.#over.abort();
  }

  #fail(thrown: unknown): void {
    this.#fault ??= { thrown };
    this.#over.abort();
  }
}

/**
 * Works on rows concurrently, as many at once as the pace allows; each row at most once. Ends when all are done. After
 * a signal or a result that stops the run, it ends when the rows in flight are done.
 */
export const runRows = <R, E extends Consequence = Consequence>(run: RowsRun<R, E>): Promise<Ran> =>
  new Running(run).toEnd();

/** Reads or other work at the same time, unless a run says otherwise. */
const READS_AT_ONCE = 8;

/** The error of a read that failed. Throws any other, such as that of the ledger. */
export const readFailureOf = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
  return thrown;
};

interface Checks<T> extends Omit<RowsRun<T>, 'work' | 'onSettled' | 'concurrency'> {
  readonly concurrency?: number;
  /** Reads the status of a charge and records it. */
  readonly check: (charge: T) => Promise<unknown>;
  /** Called after each check, also a failed one. */
  readonly checked?: (charge: T) => Promise<void>;
}

/**
 * Checks charges in parallel. Resolves to the errors of the failed reads, and to the reason why it left some out. Throws
 * the errors of the ledger.
 */
export const checkCharges = async <T>({
  concurrency = READS_AT_ONCE,
  check,
  checked = async () => undefined,
  ...run
}: Checks<T>): Promise<{ readonly failures: PayError[]; readonly stopped: Stopped | undefined }> => {
  const failures: PayError[] = [];
  const work = async (charge: T) => {
    try {
      await check(charge);
      return {};
    } catch (thrown) {
      const failure = readFailureOf(thrown);
      failures.push(failure);
      return endsAll(failure) ? { stops: failure } : { slowDown: 0 };
    }
  };
  const { stopped } = await runRows({ ...run, concurrency, work, onSettled: checked });
  return { failures, stopped };
};
