import type { Charge, Mark, Moment } from './ledger.ts';

/** How long it is from one moment to another by the clock that nobody sets; undefined when that can't be told. */
export const elapsed = (from: Mark, to: Mark): number | undefined =>
  from.boot !== '' && from.boot === to.boot && Math.min(from.uptime, to.uptime) >= 0
    ? to.uptime - from.uptime
    : undefined;

/** Clocks that were never compared may differ by so much, in milliseconds. */
const UNCOMPARED_MS = 2 * 60_000;

/**
 * What the service's clock shows now, as far as a charge lets us know: by what the service told then and how long ago that
 * was. After a restart of the machine, whose clock may have been set, the earlier of two guesses.
 */
export const serviceTime = ({ told }: Charge, { at, mark }: Moment): number => {
  if (told === undefined) return at - UNCOMPARED_MS;
  const passed = elapsed(told.mark, mark);
  return passed === undefined ? Math.min(at, at + told.service - told.at) : told.service + passed;
};
