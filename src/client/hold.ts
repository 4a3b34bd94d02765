import { formatDuration } from '../core/duration.ts';
import type { PayError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { formatLocal } from '../core/time.ts';

/** The time for which the service asks to be left alone, where that is longer than a request waits by itself. */
export interface Hold {
  /** Begins such a time, of so many milliseconds; gives the error that says so. */
  readonly begin: (error: PayError, ms: number) => PayError;
  /** Throws what is made of the reason, while the time is not over. */
  readonly check: (fault: (reason: string) => PayError) => void;
}

export const openHold = ({ ticks, now }: Pick<Clock, 'ticks' | 'now'>): Hold => {
  let until = -Infinity;
  const said = (ms: number): string => `asks to wait ${formatDuration(ms)}, until ${formatLocal(now() + ms, now())}`;
  const told = (error: PayError, ms: number): PayError =>
    error.with({ retryAt: now() + ms, hint: 'run the same command again after that' });
  return {
    begin: (error, ms) => {
      until = Math.max(until, ticks() + ms);
      return told(error.saying(`${error.message}; the service ${said(ms)}`), ms);
    },
    check: (fault) => {
      const left = until - ticks();
      if (left > 0) throw told(fault(`the service ${said(left)}`), left);
    },
  };
};
