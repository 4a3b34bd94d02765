import type { PayError } from '../../core/error.ts';
import type { Clock } from '../../core/io.ts';
import { type FlightOfRow, type Flights, openFlights } from './flights.ts';
import { type Halt, openHalt, type Stopped } from './halt.ts';
import { openPace, type Pace, type PaceOptions } from './pace.ts';

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
  readonly flights: Flights;
  readonly halt: Halt;
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
  const parts: Parts = { pace: openPace(run), flights: openFlights(), halt: openHalt(run.stop) };
  const { pace, flights, halt } = parts;
  let started = 0;

  const workOn = async (row: R, start: number, flight: FlightOfRow): Promise<void> => {
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
