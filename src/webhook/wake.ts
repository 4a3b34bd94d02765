import type { Clock } from '../core/io.ts';
import { soon } from '../core/soon.ts';

/** What one waits for, and others call. A call that nobody waited for counts for the next wait. */
export const openWake = (clock: Pick<Clock, 'sleep'>) => {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    call: (): void => resolve(),
    /** Resolves at a call, or after so long. */
    wait: async (ms?: number): Promise<void> => {
      await (ms === undefined ? promise : soon(promise, Math.max(0, ms), clock));
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
};
export type Wake = ReturnType<typeof openWake>;
