import type { Clock } from '../core/io.ts';
import type { StatusLine } from './status-line.ts';

const SECOND_MS = 1000;

/** Told when a request begins; gives what is to be called when it has ended. */
export type Began = () => () => Promise<void>;

/**
 * Shows on a terminal that a request takes longer than a second: each second anew where the line can be written over, once
 * where not. It is gone when the request has ended. `isFree` says whether nothing else moves there already.
 */
export const openWaiting = (line: StatusLine, clock: Clock, host: string, isFree: () => boolean): Began => {
  const show = async (over: AbortSignal): Promise<void> => {
    const began = clock.ticks();
    do {
      await clock.sleep(SECOND_MS, over);
      if (isFree()) await line.show(`waiting for ${host} … ${Math.round((clock.ticks() - began) / SECOND_MS)}s`);
    } while (line.rewrites);
  };
  return () => {
    const over = new AbortController();
    const shown = show(over.signal).catch(() => undefined);
    return async () => {
      over.abort('over');
      await shown;
      await line.clear();
    };
  };
};
