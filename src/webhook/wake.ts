import type { Clock } from '../core/io.ts';

/** What one waits for, and others call. A call that nobody waited for counts for the next wait. */
export const openWake = (clock: Pick<Clock, 'sleep'>) => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    call: (): void => resolve(),
    /** Resolves at a call, or after so long. */
    wait: async (ms?: number): Promise<void> => {
      const over = new AbortController();
      const late = ms === undefined ? [] : [clock.sleep(Math.max(0, ms), over.signal).catch(() => undefined)];
      await Promise.race([promise, ...late]);
      over.abort();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
};
export type Wake = ReturnType<typeof openWake>;
