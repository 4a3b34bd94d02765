import { failedBy, type Outcome } from '../charge/outcome.ts';
import { backoff, spread } from '../core/async.ts';
import { interrupted, PayError } from '../core/error.ts';
import type { ApiPage, ApiRecord } from '../core/record.ts';
import { formatDuration, retryAfter } from '../core/time.ts';
import {
  decode,
  type Exchange,
  judgeAttempt,
  notSent,
  pause,
  rejection,
  requestShown,
  type SendContext,
  type Verdict,
} from './answer.ts';
import { untrustedError, withCode } from './connection.ts';
import type { AnsweredAttempt, AttemptResult, Transport } from './transport.ts';

const MAX_ATTEMPTS = 4;
const BUDGET_MS = 60_000;

/** Result of an attempt: the answer, or the error, with the permission for another attempt. */
type Reading =
  | { readonly received: ApiRecord }
  | { readonly fault: PayError; readonly again: boolean; readonly wait?: number | undefined };

const failedRead = (exchange: Exchange, reason: string, status?: number): PayError =>
  new PayError('read_failed', `couldn't ${status === undefined ? 'reach' : 'read from'} the service: ${reason}`, {
    ...(status === undefined ? {} : { status }),
    request: requestShown(exchange),
    hint: 'nothing was changed; run the same command again',
  });

/** The service's no; `isMissing` when it says that the requested object does not exist. */
const rejected = (exchange: Exchange, { status, body }: AnsweredAttempt): PayError => {
  const no = rejection(exchange, status, decode.problem(body));
  const { subject } = exchange;
  const isMissing = status === 404 && subject !== undefined && decode.names(body, subject);
  return isMissing ? no.with({ isMissing }) : no;
};

const readAnswer = (context: SendContext, exchange: Exchange, outcome: AnsweredAttempt): Reading => {
  const { status, body } = outcome;
  if (status >= 200 && status < 300) {
    const decoded = decode.answer(exchange, outcome);
    return 'fault' in decoded
      ? {
          fault: failedRead(exchange, decoded.fault, status).with(decoded.isOther ? { isOther: true } : {}),
          again: false,
        }
      : { received: decoded };
  }
  const problem = decode.problem(body);
  if (status === 408 || status === 429 || (status >= 500 && status !== 501)) {
    const wait = retryAfter(outcome.retryAfter, context.clock.now());
    const fault = failedRead(exchange, `the service answered ${status} ${problem?.title ?? ''}`.trimEnd(), status);
    return { fault, again: true, wait };
  }
  const isNo = status >= 400 && (problem !== undefined || status === 401 || status === 403);
  if (isNo) return { fault: rejected(exchange, outcome), again: false };
  const what = status >= 300 && status < 400 ? 'a redirect, which is never followed' : 'not one that the service gives';
  return { fault: failedRead(exchange, `the answer was ${status}, ${what}`, status), again: false };
};

const readOutcome = (context: SendContext, exchange: Exchange, outcome: AttemptResult): Reading => {
  if (outcome.kind === 'answer') return readAnswer(context, exchange, outcome);
  if (outcome.kind === 'not_sent' && outcome.untrusted) {
    return { fault: withCode(untrustedError(context.origin, outcome.reason), outcome), again: false };
  }
  return { fault: withCode(failedRead(exchange, outcome.reason), outcome), again: true };
};

/**
 * Sends a GET: up to 4 attempts started within 60 s, since repeating it changes nothing. No further attempt when the
 * service asks for a longer wait. `signal` is the caller's, for a page that is no longer needed.
 */
export const sendRead = async (
  context: SendContext,
  transport: Transport,
  exchange: Exchange,
  signal?: AbortSignal,
): Promise<ApiRecord> => {
  const { stop } = context.signals;
  const slowDown = context.pace?.slowDown;
  const ends = signal === undefined ? stop : AbortSignal.any([stop, signal]);
  const started = context.clock.ticks();
  for (let retry = 0; ; retry += 1) {
    if (stop.aborted) throw interrupted(stop.reason);
    const paused = context.requestedPause.check((reason) => failedRead(exchange, reason));
    if (paused !== undefined) throw paused;
    const outcome = await transport.send({
      ...exchange,
      method: exchange.operation.method,
      fresh: false,
      timeout: context.timeout,
      signal: ends,
    });
    if (stop.aborted) throw interrupted(stop.reason);
    const reading = readOutcome(context, exchange, outcome);
    if ('received' in reading) return reading.received;
    if ((reading.wait ?? 0) > BUDGET_MS) throw context.requestedPause.begin(reading.fault, reading.wait ?? 0);
    if (outcome.kind === 'answer' && outcome.status === 429) slowDown?.(reading.wait ?? 0);
    if (!reading.again || retry + 1 >= MAX_ATTEMPTS || signal?.aborted === true) throw reading.fault;
    const asked = reading.wait ?? backoff(retry, context.random);
    const wait = slowDown === undefined ? asked : spread(asked, context.random);
    if (context.clock.ticks() + wait - started > BUDGET_MS) throw reading.fault;
    context.debug(`. waiting ${Math.round(wait)} ms before attempt ${retry + 2} of ${MAX_ATTEMPTS}`);
    await pause(context, wait, signal);
  }
};

/** Extent of a walk: the first cursor, the maximum number of pages, and the number of records after which it ends. */
export interface Walk {
  readonly from?: string | undefined;
  readonly pages?: number | undefined;
  readonly records?: number | undefined;
}

/** A page whose next cursor is known before its records are read. */
interface ReceivedPage<T> {
  readonly count: number;
  readonly nextCursor: string | null;
  /** Creates its records. */
  readonly open: () => ApiPage<T>;
}

type FetchPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<ReceivedPage<T>>;

const SHORT_CURSOR = 64;

/** A short cursor itself, or the hash of a long one: a walk stores one per page, of which there may be a million. */
const cursorKey = async (cursor: string): Promise<string> =>
  cursor.length <= SHORT_CURSOR ? cursor : (await import('node:crypto')).hash('sha256', cursor);

/** More empty pages in a row than any correct list has. */
const MAX_EMPTY_PAGES = 1000;

const looping = (): PayError =>
  new PayError('read_failed', 'the service gave the same cursor twice, so the list would never end', {
    hint: 'everything shown so far is complete; report the cursor to the service',
  });

const endlesslyEmpty = (): PayError =>
  new PayError('read_failed', `the service sent ${MAX_EMPTY_PAGES} empty pages in a row, each with a next cursor`);

/** Number of pages after which memory stays constant, once V8's space for new objects has a useful size. */
const MANY_PAGES = 64;

/**
 * Keeps the memory of a long walk constant. V8's space for new objects stops growing. Bun, whose engine collects too
 * late, collects now.
 */
const holdMemory = async (): Promise<void> => {
  const { Bun } = globalThis as { readonly Bun?: { readonly gc: (wait: boolean) => void } };
  if (Bun === undefined) (await import('node:v8')).setFlagsFromString('--semi-space-growth-factor=1');
  else Bun.gc(true);
};

/**
 * Walks a list (docs/service.md, Lists): follows `next_cursor` to null, tolerates an empty page, stops at a repeated
 * cursor. The next page is requested before the current one is even parsed, so that it is on its way while this one is
 * processed and printed.
 */
export async function* walkPages<T>(fetch: FetchPage<T>, walk: Walk): AsyncGenerator<ApiPage<T>> {
  const seen = new Set<string>(walk.from === undefined ? [] : [await cursorKey(walk.from)]);
  const abort = new AbortController();
  let [pages, records, empty] = [0, 0, 0];
  let next: Promise<ReceivedPage<T>> = fetch(walk.from, abort.signal);
  try {
    for (;;) {
      const { count, nextCursor, open } = await next;
      pages += 1;
      records += count;
      if (pages % MANY_PAGES === 0) await holdMemory();
      empty = count === 0 ? empty + 1 : 0;
      const enough = pages >= (walk.pages ?? Infinity) || records >= (walk.records ?? Infinity);
      const key = nextCursor === null ? undefined : await cursorKey(nextCursor);
      const fault =
        key !== undefined && seen.has(key) ? looping() : empty >= MAX_EMPTY_PAGES ? endlesslyEmpty() : undefined;
      const more = nextCursor !== null && !enough && fault === undefined;
      if (more && key !== undefined) {
        seen.add(key);
        next = fetch(nextCursor, abort.signal);
        // The error is handled at the await; until then the rejection must not count as unhandled.
        next.catch(() => undefined);
      }
      yield open();
      if (fault !== undefined && !enough) throw fault;
      if (!more) return;
    }
  } finally {
    abort.abort();
  }
}

const MAX_CONNECTIONS = 3;
const MAX_SENDS = 3;
const MAX_RETRY_AFTER_MS = 120_000;

/** Maximum duration of a write, including its waits and repeats, in milliseconds. */
export const longestWrite = (timeout: number): number =>
  (MAX_CONNECTIONS + MAX_SENDS - 1) * timeout + (MAX_CONNECTIONS + MAX_SENDS - 2) * MAX_RETRY_AFTER_MS;

/** Callbacks of a caller during a write. */
export interface WriteOptions {
  /**
   * Returns true if it is too late to send. Called before each attempt of a write, and again when its connection is
   * open, in the turn in which the request would be handed over.
   */
  readonly isOverdue?: () => boolean;
  /**
   * Number of earlier tries. A write with it is not sent again after a 429, or when it is overdue: its caller reads and
   * checks again before the next try. The error says when that may be.
   */
  readonly tries?: number | undefined;
  /** Called after a 429 that proves nothing: true if a read shows that nothing was applied. */
  readonly isNothing?: () => Promise<boolean>;
}

interface WriteContext extends SendContext {
  /** Called when a signal arrives after a write was handed over; its answer is then awaited. */
  readonly onLateStop: () => void;
}

/** Prints once that answers are awaited, for all writes in flight together. */
export const noticeFinishing = ({ notice, timeout }: SendContext): (() => void) => {
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
  const { onLateStop } = context;
  const { stop, leave } = context.signals;
  const outcome = await transport.send({
    ...exchange,
    method: exchange.operation.method,
    fresh: true,
    timeout: context.timeout,
    signal: leave,
    stop: { signal: stop, onLateStop },
    mayStart,
  });
  const verdict = judgeAttempt(context.origin, exchange, outcome);
  if (outcome.kind === 'answer' || verdict.certain === 'accepted') return verdict;
  return { ...verdict, error: withCode(verdict.error, outcome) };
};

/** Number of times that a write which came too late is tried again, each time with twice the time. */
const MOST_LATE_TRIES = 5;

/**
 * Error of a write whose last check is too old: it may have been paid, or another process may have sent it meanwhile.
 */
const tooLate = (exchange: Exchange, { tries = MOST_LATE_TRIES }: WriteOptions): PayError =>
  notSent(exchange, 'the last check was too old before it could be sent').with(
    tries < MOST_LATE_TRIES ? { resendAfter: 0 } : {},
  );

/**
 * Sends a write once. Repeats it only if nothing was applied: after a failed connection (up to 3), or after the
 * service's own 429 (up to 3 sends, with the requested wait of at most 120 s; after a longer one there is no repeat).
 * An overdue write is not sent at all.
 */
export const sendWrite = async (
  context: WriteContext,
  transport: Transport,
  exchange: Exchange,
  options: WriteOptions = {},
): Promise<Outcome> => {
  const { isOverdue, tries, isNothing } = options;
  const { flight, signals, clock, requestedPause, pace } = context;
  const { stop } = signals;
  let [connections, sends] = [0, tries ?? 0];
  let late = false;
  const mayStart = (): boolean => {
    late = isOverdue?.() === true;
    return !late;
  };
  for (;;) {
    await pace?.turn?.();
    const fault = stop.aborted ? interrupted(stop.reason) : requestedPause.check((reason) => notSent(exchange, reason));
    if (fault !== undefined || !mayStart()) return failedBy(fault ?? tooLate(exchange, options));
    flight.open += 1;
    const first = await attemptOnce(context, transport, exchange, mayStart);
    const isSettled = first.ifNothing !== undefined && (await isNothing?.()) === true;
    const verdict = isSettled ? first.ifNothing : first;
    if (verdict.certain === 'unknown') return verdict;
    flight.open -= 1;
    if (verdict.certain === 'accepted') {
      flight.accepted += 1;
      return verdict;
    }
    const { error, slowDown: asked } = verdict;
    if (error.kind !== 'not_sent') return verdict;
    if (late) return failedBy(tooLate(exchange, options));
    const retryIn = asked && retryAfter(asked.retryAfter, clock.now());
    if ((retryIn ?? 0) > MAX_RETRY_AFTER_MS) return failedBy(requestedPause.begin(error, retryIn ?? 0));
    if (asked !== undefined) pace?.slowDown?.(retryIn ?? 0);
    if (isSettled) return verdict;
    if (stop.aborted) return failedBy(interrupted(stop.reason));
    const again = asked === undefined ? ++connections < MAX_CONNECTIONS : ++sends < MAX_SENDS;
    if (!again) return verdict;
    const wait = retryIn ?? backoff(sends + connections - 1, context.random);
    context.debug(`. nothing was applied; waiting ${Math.round(wait)} ms to send it again`);
    if (asked !== undefined && tries !== undefined) return failedBy(error.with({ resendAfter: wait }));
    // A signal ends the wait, and then the write.
    await clock.sleep(wait, stop).catch(() => undefined);
  }
};
