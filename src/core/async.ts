import { getBuiltinModule } from 'node:process';

/** Makes a value when it is first asked for, and never again. */
export const memo = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The same for what may fail: then it is made when it is asked for the next time. */
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

/** In bytes or characters: less is worked through in a few milliseconds. */
const MUCH = 256 * 1024;

/** What makes an engine collect at once, made where it is first wanted. */
const collector = memo((): (() => void) => {
  const { Bun } = globalThis as { Bun?: { gc(now: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
});

/**
 * Frees what nothing needs any more, around work on a large answer: engines let garbage grow with what is in use, Bun's by half as
 * much again. It takes up to twenty milliseconds.
 */
export const free = (): void => collector()();

/** The next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Between two steps of work on so much: a signal is heard only between two turns of the event loop. */
export const yieldToEventLoop = async (size: number): Promise<void> => {
  if (size < MUCH) return;
  await turn();
  free();
};

/** Memory is freed each time that so many steps are done. */
const STEPS = 8;

/** Work that says itself where a step ends, with a turn of the event loop between two of them. */
export const inTurns = async <T>(work: Generator<void, T>): Promise<T> => {
  for (let steps = 1; ; steps += 1) {
    const { done, value } = work.next();
    if (done === true) return value;
    await turn();
    if (steps % STEPS === 0) free();
  }
};

/** The same in one go. */
export const atOnce = <T>(work: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
};

/**
 * Gathers what this turn of the program asks for, and the next ones as long as each brings more, and has it done together:
 * `run` takes what it does out of the list, and is called again while there is more.
 */
export const batching = <T>(run: (waiting: T[]) => Promise<void>): ((one: T) => void) => {
  const waiting: T[] = [];
  let _running: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      for (let before = 0; waiting.length > before; ) {
        before = waiting.length;
        await turn();
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

/** What `act` gives; undefined where it throws, for questions whose failure says no more than that there is no answer. */
export const attempt = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

/** How fast tries follow one another, in milliseconds: the longest wait before the first repeat, and before any. */
interface BackoffRange {
  readonly base: number;
  readonly cap: number;
}

/** Requests to the service. */
const REQUESTS: BackoffRange = { base: 500, cap: 20_000 };

/** Makes a wait up to a fifth longer, so that requests that wait together don't come back together. */
export const spread = (ms: number, random: () => number): number => ms * (1 + 0.2 * random());

/** Full jitter: uniform in [0, min(cap, base × 2^retry)), `retry` counted from 0. */
export const backoff = (retry: number, random: () => number, { base, cap }: BackoffRange = REQUESTS): number =>
  random() * Math.min(cap, base * 2 ** retry);
