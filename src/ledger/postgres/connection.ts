import { interrupted } from '../../core/interrupt.ts';
import { soon } from '../../core/soon.ts';
import type { LockWait } from '../sqlite/lock-wait.ts';
import { isPassing } from './errors.ts';
import type { Session } from './session.ts';

/** How long something is tried, in milliseconds, and what ends that. */
export interface Patience {
  readonly limit: number;
  readonly until: AbortSignal;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** What nobody waits for any more is left after so long, in milliseconds. */
const CLOSE_MS = 1000;

/**
 * The one connection of a process: opened when it is first wanted, and again when it was lost. `open` gives one that was
 * looked at and can be used.
 */
export const connectionBy = (open: () => Promise<Session>, wait: LockWait) => {
  let session: Session | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  const ready = async (): Promise<Session> => {
    if (session?.isOpen() !== true) session = await open();
    return session;
  };

  /** Tries until it is done, or fails for good. */
  const persistently = async <T>(work: (session: Session) => Promise<T>, { limit, until }: Patience): Promise<T> => {
    const started = wait.ticks();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work(await ready());
      } catch (thrown) {
        if (isOver || !isPassing(thrown) || wait.ticks() - started + pause > limit) throw thrown;
        await wait.sleep(pause, until).catch(() => undefined);
        if (until.aborted) throw until === wait.stop ? interrupted(until.reason) : thrown;
      }
    }
  };

  return {
    /** One piece of work at a time: nothing of another comes between its messages. */
    use: <T>(work: (session: Session) => Promise<T>, patience: Patience): Promise<T> => {
      const mine = last.then(() => persistently(work, patience));
      last = mine.catch(() => undefined);
      return mine;
    },
    close: async (): Promise<void> => {
      await soon(last, CLOSE_MS, wait);
      isOver = true;
      await session?.close();
    },
  };
};
export type Connection = ReturnType<typeof connectionBy>;
