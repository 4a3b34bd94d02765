/** Creates a value on first use and returns the same one from then on. */
export const memo = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Like `memo` for work that can fail: after a failure the next call tries again. */
export const memoDone = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((thrown: unknown) => {
      made = undefined;
      throw thrown;
    });
    return made;
  };
};

/** Lets others wait for the next change. */
export const openChange = () => {
  let next = Promise.withResolvers<void>();
  return {
    notify: (): void => {
      next.resolve();
      next = Promise.withResolvers();
    },
    changed: (): Promise<void> => next.promise,
  };
};

/** Rejects at a signal, with the error of its reason. */
export const rejectAt = (signal: AbortSignal, errorOf: (reason: unknown) => Error): Promise<never> =>
  new Promise((_, reject) => {
    const onAbort = (): void => reject(errorOf(signal.reason));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Collects the requests of this turn, and of the next turns as long as each adds more, and handles them in one call.
 * Without `waits`, it handles the first at once, and those that arrive meanwhile in the next call. `run` removes the
 * entries that it handles, and is called again until the list is empty.
 */
export const batching = <T>(run: (waiting: T[]) => Promise<void>, { waits = true } = {}): ((one: T) => void) => {
  const waiting: T[] = [];
  let _running: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      for (let before = 0; waits && waiting.length > before; ) {
        before = waiting.length;
        await nextTurn();
      }
      await run(waiting);
    }
    _running = undefined;
  };
  return (one) => {
    waiting.push(one);
    _running ??= flush();
  };
};

/** Result of `act`; undefined if it throws. For calls whose failure only means that there is no answer. */
export const attempt = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

/** Adds up to a fifth to a wait, so that requests that wait together don't resume together. */
export const spread = (ms: number, random: () => number): number => ms * (1 + 0.2 * random());

/**
 * Full jitter: uniform in [0, min(cap, base × 2^retry)), `retry` counted from 0. `base` caps the wait before the first
 * repeat, `cap` every wait, in milliseconds. The default is for requests to the service.
 */
export const backoff = (retry: number, random: () => number, { base, cap } = { base: 500, cap: 20_000 }): number =>
  random() * Math.min(cap, base * 2 ** retry);

/** Time for the work that is under way when a signal comes. */
const GRACE_MS = 400;

/** Resolves to true when the work is done, or to false soon after the signal is aborted. */
export const isDoneInTime = async (work: Promise<void>, signal: AbortSignal): Promise<boolean> => {
  const { promise: left, resolve } = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    timer = setTimeout(() => resolve(false), GRACE_MS);
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  const done = work.then(() => true);
  return Promise.race([done, left]).finally(() => {
    signal.removeEventListener('abort', leave);
    // A timer would keep the program from ending.
    clearTimeout(timer);
  });
};
