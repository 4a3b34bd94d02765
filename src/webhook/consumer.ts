import { backoff } from '../core/async.ts';
import { reasonOf } from '../core/error.ts';
import { type Clock, withTimeout } from '../core/io.ts';

/** Something to handle: after the others with its key, and not before `due`. */
export interface QueueItem {
  readonly key: string;
  readonly due: number;
}

/** The keys of what is being handled. */
export type Busy = ReadonlyMap<string, unknown>;

/** The items to handle now, and the milliseconds until the next is due; undefined if that depends on other events. */
export interface Step<T extends QueueItem> {
  readonly start: readonly T[];
  readonly wait: number | undefined;
}

/** Selects what is due at `now`, at most `room`, and one of each idle key. `waiting` has the earliest first. */
export const dueOf = <T extends QueueItem>(waiting: readonly T[], busy: Busy, room: number, now: number): Step<T> => {
  if (room <= 0) return { start: [], wait: undefined };
  const keys = new Set(busy.keys());
  const idle = waiting.filter(({ key }) => !keys.has(key) && keys.add(key));
  const next = idle.find(({ due }) => due > now);
  return { start: idle.filter(({ due }) => due <= now).slice(0, room), wait: next && next.due - now };
};

/** Something that handles each item of a queue at least once: its place moves on only after that. */
export interface Consumer<T extends QueueItem> {
  /** Called after each `notify`, and when the wait is over. */
  readonly next: (busy: Busy) => Step<T> | Promise<Step<T>>;
  /** Handles an item and stores the place behind it. Never rejects. */
  readonly handle: (item: T) => Promise<void>;
}

/** Lets a consumer handle its items, one at a time of each key, until `stop`. */
export const consume = <T extends QueueItem>(
  { next, handle }: Consumer<T>,
  clock: Pick<Clock, 'sleep'>,
  stop: AbortSignal,
) => {
  const busy = new Map<string, Promise<void>>();
  /** Conditions to wait for, each with the callback to call once it holds. */
  const conditions = new Map<(busy: Busy) => boolean, () => void>();
  let change = Promise.withResolvers<void>();
  const notify = (): void => change.resolve();
  stop.addEventListener('abort', notify, { once: true });

  const run = async (): Promise<void> => {
    while (!stop.aborted) {
      // A call from here on ends the wait.
      change = Promise.withResolvers();
      const { start, wait } = await next(busy);
      for (const item of start) {
        const handled = handle(item).finally(() => {
          busy.delete(item.key);
          notify();
        });
        busy.set(item.key, handled);
      }
      for (const [holds, done] of conditions) if (holds(busy) && conditions.delete(holds)) done();
      await (wait === undefined ? change.promise : withTimeout(change.promise, Math.max(0, wait), clock));
    }
    await Promise.all(busy.values());
    for (const done of conditions.values()) done();
  };

  return {
    /** Call this when `next` may have more. */
    notify,
    /** Resolves once it has stopped, and the results of what was being handled are stored. */
    ended: run(),
    /** Resolves once a condition holds, or at the end. */
    until: (holds: (busy: Busy) => boolean): Promise<void> =>
      new Promise((resolve) => {
        conditions.set(holds, resolve);
        notify();
      }),
  };
};

/** Retries a write until it succeeds; resolves to false if the run ends first. */
export const retryUntilWritten = async (
  write: () => Promise<void>,
  { clock, say }: { readonly clock: Clock; readonly say: (text: string) => void },
  stop: AbortSignal,
): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await write();
      return true;
    } catch (thrown) {
      if (tries === 0) say(`the queue can't be written to (${reasonOf(thrown)}); this is tried again until it can`);
      if (stop.aborted) return false;
      const pause = backoff(tries, () => 1, { base: 500, cap: 30_000 });
      await clock.sleep(pause, stop).catch(() => undefined);
    }
  }
};

/** The time of day at this call, monotonic from there: setting the clock extends no pause. */
export const steadyTime = (clock: Clock): (() => number) => {
  const offset = clock.now() - clock.ticks();
  return () => Math.floor(clock.ticks() + offset);
};
