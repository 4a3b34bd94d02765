import type { Received } from '../core/received.ts';
import type { Ending, Result, Waited } from '../core/result.ts';
import type { Countdown } from './countdown.ts';

type Wait = Extract<Result, { kind: 'wait' }>;

/** How a wait is shown. */
export interface WaitShow {
  /** A person watches: what is known is shown at once, and in the end only what has changed of it. */
  readonly watched: boolean;
  readonly countdown: Countdown;
  /** Shows a record, `before` being the one that is shown already. */
  readonly show: (record: Received, before: Received | undefined) => Promise<void>;
}

/**
 * Shows a wait, and gives what it leaves to be said. What was known before is shown even where the wait is rejected: it
 * may be the only word of something that was done.
 */
export const showWait = async ({ record, wait }: Wait, { watched, countdown, show }: WaitShow): Promise<Ending> => {
  if (watched && record !== undefined) await show(record, undefined);
  let waited: Waited | undefined;
  let failure: unknown;
  try {
    waited = await wait(countdown.tell);
    failure = waited.failure;
  } catch (thrown) {
    failure = thrown;
  } finally {
    await countdown.end();
  }
  const last = waited?.record ?? record;
  const before = watched ? record : undefined;
  if (last !== undefined && last !== before) await show(last, before);
  return waited?.notice === undefined ? { failure } : { failure, notice: waited.notice };
};
