import type { Clock } from '../core/io.ts';

/** What one waits for, and others call. A call that nobody waited for counts for the next wait. */
export interface Wake {
  call(): void;
  /** Resolves at a call, or after so long. */
  wait(ms?: number): Promise<void>;
}

export const openWake = (clock: Pick<Clock, 'sleep'>): Wake => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    call: () => resolve(),
    wait: async (ms) => {
      const over = new AbortController();
      const late = ms === undefined ? [] : [clock.sleep(Math.max(0, ms), over.signal).catch(() => undefined)];
      await Promise.race([promise, ...late]);
      over.abort();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
};
