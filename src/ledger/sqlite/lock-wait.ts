import { interrupted } from '../../core/interrupt.ts';
import { isBusy } from '../../database/sqlite-error.ts';

/** What waiting for a locked file needs of the world. */
export interface LockWait {
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The first and the second signal of the user. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** Milliseconds by a clock that only ever grows. */
  readonly ticks: () => number;
}

/** For so long others may keep the file locked, in milliseconds. */
const LIMIT_MS = 20_000;
/** For so long SQLite itself waits in one try; no signal of the user is heard meanwhile. */
export const TRY_MS = 100;
const STEP_MS = 20;

/**
 * Does a piece of work as soon as nobody else keeps the file locked. The waiting is between two tries and not inside SQLite,
 * where no signal of the user would be heard; at `until` it ends, as `interrupted` when that is the first signal.
 */
export const patiently = async <T>(work: () => T, lockWait: LockWait, until: AbortSignal): Promise<T> => {
  const started = lockWait.ticks();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || lockWait.ticks() - started >= LIMIT_MS) throw thrown;
      await lockWait.sleep(STEP_MS, until).catch(() => undefined);
      if (until.aborted) throw until === lockWait.stop ? interrupted(until.reason) : thrown;
    }
  }
};
