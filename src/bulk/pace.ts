import { spread } from '../core/async.ts';
import type { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { Rate } from '../core/time.ts';

/** The rows that are being worked on. */
const openInFlight = () => {
  let [inFlight, open] = [0, 0];
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    /** Those that the service is at. */
    get inFlight(): number {
      return inFlight;
    },
    /** Those that have no end yet, among them the landed ones. */
    get open(): number {
      return open;
    },
    add: () => {
      inFlight += 1;
      open += 1;
      let landed = false;
      /** The service has answered, or never will: what is left of the row is ours. Its place is free from here on. */
      const land = (): void => {
        if (landed) return;
        landed = true;
        inFlight -= 1;
        tell();
      };
      return {
        land,
        /** Nothing of it is left to do. */
        end: (): void => {
          land();
          open -= 1;
          tell();
        },
      };
    },
    /** Resolves when one row more has landed or ended; never when there is none. */
    change: (): Promise<void> => next.promise,
  };
};
type InFlightRows = ReturnType<typeof openInFlight>;
type InFlightRow = ReturnType<InFlightRows['add']>;

/** Why no new row was started; `signal` is the first Ctrl-C or SIGTERM. */
export type Stopped = PayError | 'signal';

/** The end of starting rows. The first reason counts; a fault is kept beside it, since it must not be lost. */
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
    /** Aborted once nothing new may start. */
    signal: over.signal,
    get stopped(): Stopped | undefined {
      return stopped;
    },
    /** The first thing that was thrown. */
    get fault(): typeof fault {
      return fault;
    },
    stop,
    fail: (thrown: unknown): void => {
      fault ??= { thrown };
      over.abort();
    },
    /** From here on a signal changes nothing. */
    release: (): void => signal.removeEventListener('abort', onSignal),
  };
};
type RowStop = ReturnType<typeof openRowStop>;

/** By how much a start may be early after others were late, so that late timers don't cost speed. */
const LEEWAY_MS = 20;
const LEEWAY_SHARE = 0.02;

/** Keeps starts under a rate. Instants are by the clock that nobody sets. */
interface Meter {
  /** When the next start is allowed; in the past where it is at once. */
  next(): number;
  started(now: number): void;
}

const FREE: Meter = { next: () => -Infinity, started: () => undefined };

/**
 * A token bucket that is never more than the leeway ahead. The starts are a little further apart than the rate asks for:
 * with the leeway there are then exactly `count` in the fullest window, and never one more.
 */
export const openMeter = (rate: Rate | undefined): Meter => {
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

/** The hold where the service says no time: doubled each time until a row gets through. */
const FIRST_HOLD_MS = 250;
const LONGEST_HOLD_MS = 20_000;
/** How many rows in a row must get through before there is one more worker; more where there are more workers. */
const FEWEST_SUCCESSES = 10;

export interface PaceOptions {
  /** How many rows are in flight at most; at least 1. */
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
 * Starts at full width and keeps to the rate. When the service asks for less, nothing starts for the time it said, and
 * half as many rows are in flight from then on; one more at a time comes back as rows get through. Rows that were started
 * before the last halving say nothing about the new width: a burst that is refused as a whole halves it once.
 * Every start has a number, the first one is 1.
 */
export const openPace = ({ concurrency, rate, clock, random }: PaceOptions) => {
  const meter = openMeter(rate);
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

  return {
    /** How many rows may be in flight now. */
    get limit(): number {
      return limit;
    },
    /** Milliseconds until the next start is allowed; 0 when it is now. */
    wait: (): number => Math.max(0, Math.max(heldUntil, meter.next()) - clock.ticks()),
    /** Counts a start, and gives its number. */
    start: (): number => {
      meter.started(clock.ticks());
      starts += 1;
      return starts;
    },
    /** The service asked for `ms` without requests, or said no time (0), about the row with this number. */
    slowDown: (start: number, ms: number): void => {
      if (start > halvedAt) halve();
      heldUntil = Math.max(heldUntil, clock.ticks() + holdOf(ms, refusals, random));
    },
    /** The row with this number got through. */
    succeed: (start: number): void => {
      if (start <= halvedAt) return;
      refusals = 0;
      successes += 1;
      if (limit < concurrency && successes >= Math.max(FEWEST_SUCCESSES, limit)) grow();
    },
  };
};
export type Pace = ReturnType<typeof openPace>;

/** What the end of one row means for the others. */
export interface Consequence {
  /** The milliseconds that the service asked to be left alone for, or 0 where it said no time. */
  readonly slowDown?: number;
  /** Nothing new may start after this: the key is not taken, the ledger can't be written, an outcome is unknown. */
  readonly stops?: PayError;
}

/** What a row tells while it goes on, so that the others needn't wait for its end to hear of it. */
export interface RowSignals {
  /** The service asks to be left alone for so many milliseconds, or says no time (0). */
  readonly slowDown: (ms: number) => void;
  /**
   * The service has answered: another row may take its place, unless nothing new may start. What is left to be written of
   * this one then shares its sync with what the next one writes.
   */
  readonly landed: (stops: PayError | undefined) => void;
}

export interface RowsRun<R, E extends Consequence = Consequence> extends PaceOptions {
  /**
   * Asked for a row only when one can be started, and closed when the run ends before it. A row that is being read is
   * waited for, also after a signal: what can hang must end by itself.
   */
  readonly rows: AsyncIterable<R>;
  /** Works on one row. What it throws is a defect: the rows in flight are finished, and then it is thrown. */
  readonly work: (row: R, signals: RowSignals) => Promise<E>;
  /** Aborted: nothing new starts, and what is in flight is finished. */
  readonly stop: AbortSignal;
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  /** Called as rows settle; no more than a few rows are ahead of it. */
  readonly onSettled: (row: R, end: E) => void | Promise<void>;
}

export interface Ran {
  readonly started: number;
  /** Why rows may be left that were not started; a signal that came after the last one is not among the reasons. */
  readonly stopped?: Stopped;
}

interface Parts {
  readonly pace: Pace;
  readonly flights: InFlightRows;
  readonly halt: RowStop;
}

/** For each row in flight so many may have landed and not be settled: then whoever reads the report is waited for. */
const LANDED = 3;

/** So many rows may have been sent, and not be settled, where so many are in flight. */
export const mostOpen = (inFlight: number): number => inFlight * (1 + LANDED);

/** Waits until one more row may start; false when none may any more. */
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
  for await (const row of run.rows) {
    // Much can change while a row is being read.
    if (!(await ready())) return;
    start(row);
    if (!(await ready())) return;
  }
};

/**
 * Works on rows side by side, as many at once as the pace allows; each one once, or not at all. Ends when all are done,
 * or when those in flight are, after a signal or an end that stops.
 */
export const runRows = async <R, E extends Consequence = Consequence>(run: RowsRun<R, E>): Promise<Ran> => {
  const parts: Parts = { pace: openPace(run), flights: openInFlight(), halt: openRowStop(run.stop) };
  const { pace, flights, halt } = parts;
  let started = 0;

  const workOn = async (row: R, start: number, flight: InFlightRow): Promise<void> => {
    const landed: RowSignals['landed'] = (stops) => {
      if (stops !== undefined) halt.stop(stops);
      flight.land();
    };
    try {
      const end = await run.work(row, { slowDown: (ms) => pace.slowDown(start, ms), landed });
      if (end.stops !== undefined) halt.stop(end.stops);
      if (end.slowDown === undefined) pace.succeed(start);
      else pace.slowDown(start, end.slowDown);
      await run.onSettled(row, end);
    } catch (thrown) {
      halt.fail(thrown);
    }
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
