import { interrupted, PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { definedIn } from '../core/json.ts';
import { FRESH_MS, passedSince } from '../ledger/clock.ts';
import type { ChargeRun, Reading } from './request.ts';

/**
 * Returns a test: true once the read is too old to send by it. Each try doubles the limit: a service may take long to answer,
 * or to connect. No attempt outlives the deadline after which other processes give it up.
 */
export const openAge = (
  { since, askedAt }: Reading,
  tries: number,
  { client, ledger, io }: ChargeRun,
): (() => boolean) => {
  const start = ledger.moment();
  const from = since ?? start;
  // Failed attempts don't age a read. The ledger's clock may be its server's, and this machine's may have been set.
  const failing = askedAt === undefined ? 0 : askedAt - io.clock.now() + start.at - from.at;
  const spared = Math.min(failing, passedSince(from, start));
  const limit = Math.min(FRESH_MS * 2 ** tries, client.longestWrite - client.longestAttempt);
  return () => passedSince(from, ledger.moment()) - spared > limit;
};

/** Error of a request whose read is too old. It is read, checked and sent anew at once. */
export const tooOld = (): PayError =>
  new PayError('not_sent', 'nothing was sent: the last check is too old', {
    hint: 'it is safe to run the same command again',
    resendAfter: 0,
  });

/**
 * Reads, checks and sends a request. Starts again with the read after the wait of a 429, and if the read is too old: the
 * request may have been paid, cancelled or changed meanwhile. `tries` counts the earlier tries.
 */
export const sendAnew = async <T>(
  attempt: (tries: number) => Promise<T>,
  { clock, signals }: Pick<Io, 'clock' | 'signals'>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (thrown) {
      const { resendAfter, ledgerId } = thrown instanceof PayError ? thrown.detail : {};
      if (resendAfter === undefined) throw thrown;
      const { stop } = signals;
      await clock.sleep(resendAfter, stop).catch(() => undefined);
      if (stop.aborted) throw interrupted(stop.reason).with(definedIn({ ledgerId }));
    }
  }
};
