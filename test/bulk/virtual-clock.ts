import type { Clock } from '../../src/core/io.ts';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Resolves after everything that does not wait for the clock. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that advances at once, and only while something waits. */
export class VirtualClock implements Clock {
  time = 0;
  readonly #late: () => number;
  readonly #sleepers = new Set<Sleeper>();

  /** `late` returns the delay of the next timer in ms. */
  constructor(late: () => number = () => 0) {
    this.#late = late;
  }

  /** The wall clock, which must not be used here. */
  now(): number {
    throw new Error('how long something takes is not told by a clock that can be set');
  }

  ticks(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper: Sleeper = { until: this.time + ms + this.#late(), wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort);
    });
  }

  /** Advances to the next timer; false if there is none. */
  async step(): Promise<boolean> {
    await settled();
    const until = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.until));
    if (until === Infinity) return false;
    this.time = Math.max(this.time, until);
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.time) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settled();
    return true;
  }

  /** Advances to this time. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    void this.sleep(ms);
    while (this.time < end) await this.step();
  }

  /** Advances until the promise settles; throws if it never would. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let over = false;
    const end = (): void => {
      over = true;
    };
    promise.then(end, end);
    for (;;) {
      await settled();
      if (over) return promise;
      if (!(await this.step()) && !over) throw new Error('it hangs: nothing is left to wait for');
    }
  }
}
