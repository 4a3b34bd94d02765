import { spread } from '../../core/backoff.ts';
import type { Clock } from '../../core/io.ts';
import type { Rate } from '../../core/rate.ts';
import { openMeter } from './rate.ts';

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
