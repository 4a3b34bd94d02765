import { backoff } from '../core/async.ts';
import { interrupted, type PayError } from '../core/error.ts';
import type { ApiRecord } from '../core/record.ts';
import { formatDuration, retryAfter } from '../core/time.ts';
import { type Exchange, judge, notSent, pause, type SendContext, type Verdict } from './answer.ts';
import { withCode } from './failure.ts';
import type { Transport } from './transport.ts';

const MAX_CONNECTIONS = 3;
const MAX_SENDS = 3;
const MAX_RETRY_AFTER_MS = 120_000;

/** Maximum duration of a write, including its waits and repeats, in milliseconds. */
export const longestWrite = (timeout: number): number =>
  (MAX_CONNECTIONS + MAX_SENDS - 1) * timeout + (MAX_CONNECTIONS + MAX_SENDS - 2) * MAX_RETRY_AFTER_MS;

/** Callbacks of a caller during a write. */
export interface WriteOptions {
  /**
   * Called before each attempt of a write, and again on its open connection, in the turn in which the request would be
   * handed over: true when nothing may be sent any more.
   */
  readonly overdue?: () => boolean;
  /** Called for each 429 of the service to a write, with the requested milliseconds, or 0 without a usable time. */
  readonly slowDown?: (ms: number) => void;
  /** Called after a 429 that proves nothing: true when a read shows that nothing was applied. */
  readonly isNothing?: () => Promise<boolean>;
}

export interface WriteContext extends SendContext {
  /** Called when a signal arrives after a write was handed over; its answer is then awaited. */
  readonly held: () => void;
}

/** Prints once that answers are awaited, for all writes in flight together. */
export const sayHeld = ({ notice, timeout }: SendContext): (() => void) => {
  let said = false;
  return () => {
    if (said) return;
    said = true;
    notice(
      `Finishing requests in flight (up to ${formatDuration(timeout)}). Ctrl-C again stops now and leaves them unknown.`,
    );
  };
};

const attemptOnce = async (
  context: WriteContext,
  transport: Transport,
  exchange: Exchange,
  mayStart: () => boolean,
): Promise<Verdict> => {
  const { held } = context;
  const { stop, leave } = context.signals;
  const outcome = await transport.send({
    method: exchange.operation.method,
    path: exchange.path,
    body: exchange.body,
    fresh: true,
    timeout: context.timeout,
    signal: leave,
    stop: { signal: stop, held },
    mayStart,
  });
  const verdict = judge(context.origin, exchange, outcome);
  if (outcome.kind === 'answer' || verdict.state === 'accepted') return verdict;
  return { ...verdict, error: withCode(verdict.error, outcome) };
};

/** The verdict after an additional read, if that can settle it. */
const settled = async (verdict: Verdict, isNothing: WriteOptions['isNothing']): Promise<Verdict> => {
  if (verdict.state !== 'unknown' || verdict.ifNothing === undefined) return verdict;
  return (await isNothing?.()) === true ? verdict.ifNothing : verdict;
};

/**
 * Error after the machine slept, or the process was paused: others may have concluded meanwhile that nothing was sent.
 */
const stoodStill = (exchange: Exchange): PayError =>
  notSent(exchange, 'this process was paused for too long before it could send');

/**
 * Sends a write once. Repeats it only when the verdict proves that nothing was applied: after a failed connection (up
 * to 3), or after the service's own 429 (up to 3 sends, with the requested wait of at most 120 s; after a longer one
 * there is no repeat). An overdue write is not sent at all.
 */
export const sendWrite = async (
  context: WriteContext,
  transport: Transport,
  exchange: Exchange,
  { overdue, slowDown, isNothing }: WriteOptions = {},
): Promise<ApiRecord> => {
  const { flight, signals } = context;
  const { stop } = signals;
  let [connections, sends] = [0, 0];
  let late = false;
  const mayStart = (): boolean => {
    late = overdue?.() === true;
    return !late;
  };
  for (;;) {
    if (stop.aborted) throw interrupted(stop.reason);
    context.hold.check((reason) => notSent(exchange, reason));
    if (!mayStart()) throw stoodStill(exchange);
    flight.open += 1;
    const judged = await attemptOnce(context, transport, exchange, mayStart);
    const verdict = await settled(judged, isNothing);
    if (verdict.state === 'unknown') throw verdict.error;
    flight.open -= 1;
    if (late && verdict.state === 'not_sent') throw stoodStill(exchange);
    if (verdict.state === 'accepted') {
      flight.accepted += 1;
      return verdict.received;
    }
    if (verdict.state === 'refused') throw verdict.error;
    const told = verdict.state === 'slow_down' ? retryAfter(verdict.retryAfter, context.clock.now()) : undefined;
    if ((told ?? 0) > MAX_RETRY_AFTER_MS) throw context.hold.begin(verdict.error, told ?? 0);
    if (verdict.state === 'slow_down') slowDown?.(told ?? 0);
    if (judged.state === 'unknown') throw verdict.error;
    if (stop.aborted) throw interrupted(stop.reason);
    const again = verdict.state === 'slow_down' ? ++sends < MAX_SENDS : ++connections < MAX_CONNECTIONS;
    if (!again) throw verdict.error;
    const wait = told ?? backoff(sends + connections - 1, context.random);
    context.debug(`. nothing was applied; waiting ${Math.round(wait)} ms to send it again`);
    await pause(context, wait);
  }
};
