import type { Clock } from './io.ts';

const nothing = (): undefined => undefined;

/** What `work` gives; nothing where that takes longer than so many milliseconds. */
export const soon = async <T>(work: Promise<T>, ms: number, clock: Pick<Clock, 'sleep'>): Promise<T | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, over.signal).then(nothing, nothing)]);
  } finally {
    over.abort();
  }
};
