import { spread } from '../core/async.ts';
import type { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { Rate } from '../core/time.ts';

/** Counts the rows that are being worked on. */
const openInFlight = () => {
  let [inFlight, open] = [0, 0];
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    /** Rows whose request is not answered yet. */
    get inFlight(): number {
      return inFlight;
    },
    /** Rows without a result yet, the landed ones included. */
    get open(): number {
      return open;
    },
    add: () => {
      inFlight += 1;
      open += 1;
      let landed = false;
      /** Marks the request as answered, or given up; only local work is left. Frees the row's place. */
      const land = (): void => {
        if (landed) return;
        landed = true;
        inFlight -= 1;
        tell();
      };
      return {
        land,
        /** Marks the row as finished. */
        end: (): void => {
          land();
          open -= 1;
          tell();
        },
      };
    },
    /** Resolves when the next row lands or ends; never where no row is open. */
    change: (): Promise<void> => next.promise,
  };
};
type InFlightRows = ReturnType<typeof openInFlight>;
type InFlightRow = ReturnType<InFlightRows['add']>;

/** The reason why no new row was started; `signal` is the first Ctrl-C or SIGTERM. */
export type Stopped = PayError | 'signal';

/** Stops the starting of rows. The first reason counts. A fault is stored beside it, since it must not be lost. */
const openRowStop = (signal: AbortSignal) => {
  const over = new AbortController();
  let stopped: Stopped | undefined;
  let fault: { readonly thrown: unknown } | undefined;
  const stop = (why: Stopped): void => {
    stopped ??= why;
    over.abort();
  };
  const onSignal = (): void => stop('signal');
  signal.addEventListener('abort', onSignal);
  if (signal.aborted) onSignal();
  return {
    /** Aborted once no new row may start. */
    signal: over.signal,
    get stopped(): Stopped | undefined {
      return stopped;
    },
    /** The first error thrown. */
    get fault(): typeof fault {
      return fault;
    },
    stop,
    fail: (thrown: unknown): void => {
      fault ??= { thrown };
      over.abort();
    },
    /** Ignores signals from now on. */
    release: (): void => signal.removeEventListener('abort', onSignal),
  };
};
type RowStop = ReturnType<typeof openRowStop>;

/** The time by which a start may be early after others were late, so that late timers don't cost speed. */
const LEEWAY_MS = 20;
const LEEWAY_SHARE = 0.02;

/** Keeps starts under a rate. Instants are monotonic ticks. */
interface Meter {
  /** The instant of the next allowed start; in the past where it is allowed at once. */
  next(): number;
  started(now: number): void;
}

const FREE: Meter = { next: () => -Infinity, started: () => undefined };

/**
 * A token bucket that is never more than the leeway ahead. The starts are a little further apart than the rate
 * requires: with the leeway there are then exactly `count` in the fullest window, and never one more.
 */
const openMeter = (rate: Rate | undefined): Meter => {
  if (rate === undefined) return FREE;
  const leeway = Math.min(LEEWAY_MS, rate.ms * LEEWAY_SHARE);
  const apart = (rate.ms + leeway) / rate.count;
  let due = -Infinity;
  return {
    next: () => due - leeway,
    started: (now) => {
      due = Math.max(due, now) + apart;
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
  const meter = openMeter(rate);
  const aheadMeter = openMeter(rate);
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

  const waitFor = ({ next }: Meter): number => Math.max(0, Math.max(heldUntil, next()) - clock.ticks());
  const startBy = ({ started }: Meter): number => {
    started(clock.ticks());
    starts += 1;
    return starts;
  };

  return {
    /** The current limit for rows in flight. */
    get limit(): number {
      return limit;
    },
    /** Milliseconds until the next start is allowed; 0 where it is allowed now. */
    wait: (): number => waitFor(meter),
    /** Counts a start and returns its number. */
    start: (): number => startBy(meter),
    /** The same for a read ahead of a row's turn. */
    waitAhead: (): number => waitFor(aheadMeter),
    startAhead: (): number => startBy(aheadMeter),
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
  /** The pause that the service asked for, in milliseconds; 0 where it named no time. */
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

export interface RowsRun<R, E extends Consequence = Consequence> extends PaceOptions {
  /**
   * Pulled only when a row can be started, and closed when the run ends early. A row that is being read is awaited,
   * also after a signal: a source that can hang must end by itself. A function gets the pace, for a source that reads
   * ahead.
   */
  readonly rows: AsyncIterable<R> | ((pace: Pace) => AsyncIterable<R>);
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

interface Parts {
  readonly pace: Pace;
  readonly flights: InFlightRows;
  readonly halt: RowStop;
}

/**
 * Rows that may have landed but not settled, for each row in flight: beyond that, the run waits for the reader of the
 * report.
 */
const LANDED = 3;

/** The maximum number of rows sent but not settled, for a given number in flight. */
export const mostOpen = (inFlight: number): number => inFlight * (1 + LANDED);

/** Waits until one more row may start; resolves to false when no more may. */
const mayStart = async ({ pace, flights, halt }: Parts, clock: RowsRun<unknown>['clock']): Promise<boolean> => {
  while (!halt.signal.aborted) {
    const wait = pace.wait();
    const isFull = flights.inFlight >= pace.limit || flights.open >= mostOpen(pace.limit);
    if (isFull) await flights.change();
    else if (wait <= 0) return true;
    else await clock.sleep(Math.ceil(wait), halt.signal).catch(() => undefined);
  }
  return false;
};

const startRows = async <R>(
  run: Pick<RowsRun<R>, 'rows' | 'clock'>,
  parts: Parts,
  start: (row: R) => void,
): Promise<void> => {
  const ready = (): Promise<boolean> => mayStart(parts, run.clock);
  if (!(await ready())) return;
  for await (const row of typeof run.rows === 'function' ? run.rows(parts.pace) : run.rows) {
    // The pace may have changed while the row was being read.
    if (!(await ready())) return;
    start(row);
    if (!(await ready())) return;
  }
};

/**
 * Works on rows concurrently, as many at once as the pace allows; each row at most once. Ends when all are done. After
 * a signal or a result that stops the run, it ends when the rows in flight are done.
 */
export const runRows = async <R, E extends Consequence = Consequence>(run: RowsRun<R, E>): Promise<Ran> => {
  const parts: Parts = { pace: openPace(run), flights: openInFlight(), halt: openRowStop(run.stop) };
  const { pace, flights, halt } = parts;
  const turn = openTurns(run);
  let started = 0;
  const landing = new Set<Promise<void>>();

  const workOn = async (row: R, start: number, flight: InFlightRow): Promise<void> => {
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const landed: RowSignals['landed'] = (stops) => {
      if (stops !== undefined) halt.stop(stops);
      landing.add(settled);
      flight.land();
    };
    try {
      const end = await run.work(row, { turn, slowDown: (ms) => pace.slowDown(start, ms), landed });
      if (end.stops !== undefined) halt.stop(end.stops);
      if (end.slowDown === undefined) pace.succeed(start);
      else pace.slowDown(start, end.slowDown);
      // A row that ends at once, such as one that is not sent, follows the rows that gave it their place.
      if (!landing.has(settled)) await Promise.all(landing);
      await run.onSettled(row, end);
    } catch (thrown) {
      halt.fail(thrown);
    }
    landing.delete(settled);
    settle();
    flight.end();
  };
  const start = (row: R): void => {
    started += 1;
    void workOn(row, pace.start(), flights.add());
  };

  await startRows(run, parts, start).catch(halt.fail);
  halt.release();
  while (flights.open > 0) await flights.change();
  if (halt.fault !== undefined) throw halt.fault.thrown;
  return { started, ...(halt.stopped === undefined ? {} : { stopped: halt.stopped }) };
};
