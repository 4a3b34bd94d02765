import type { Clock } from '../../src/core/io.ts';

/** The real clock, for code in a process of its own. */
export const clock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((done, fail) => {
      if (signal?.aborted === true) return fail(signal.reason);
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        fail(signal.reason);
      });
    }),
};
