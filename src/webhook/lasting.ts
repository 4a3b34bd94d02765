import { backoff } from '../core/backoff.ts';
import { reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';

/** Between two tries, in milliseconds. */
const RANGE = { base: 500, cap: 30_000 };

interface LastingWorld {
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/** Writes until the disk takes it; false where all is to end before it does. */
export const lasting = async (
  write: () => Promise<void>,
  { clock, say }: LastingWorld,
  stop: AbortSignal,
): Promise<boolean> => {
  for (let tries = 0; ; tries += 1) {
    try {
      await write();
      return true;
    } catch (thrown) {
      if (tries === 0) say(`the queue can't be written to (${reasonOf(thrown)}); this is tried again until it can`);
      if (stop.aborted) return false;
      await clock
        .sleep(
          backoff(tries, () => 1, RANGE),
          stop,
        )
        .catch(() => undefined);
    }
  }
};
