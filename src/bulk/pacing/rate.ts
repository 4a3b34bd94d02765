import type { Rate } from '../../core/rate.ts';

/** By how much a start may be early after others were late, so that late timers don't cost speed. */
const LEEWAY_MS = 20;
const LEEWAY_SHARE = 0.02;

/** Keeps starts under a rate. Instants are by the clock that nobody sets. */
export interface Meter {
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
