import type { Dispatcher } from 'undici';
import type { Method } from '../contract/operations.ts';
import { PayError } from '../core/error.ts';
import type { Clock, Env } from '../core/io.ts';
import { type Clean, keyFault } from '../core/secret.ts';
import { cacheAge, httpDate } from '../core/time.ts';
import { everyAuthority } from '../core/unsafe-settings.ts';
import { type AnswerBody, type AnswerHead, type RawAnswer, readAnswerBody, readAnswerTo } from './body.ts';
import {
  type Failure,
  failureFrom,
  newSentDetector,
  openDispatcher,
  routeTo,
  type SentDetector,
  withSentDetector,
} from './connection.ts';

interface Credentials {
  /** The one origin that the key is for. */
  readonly origin: string;
  readonly key: string;
}

/**
 * The only place that adds the key to a request. It goes to exactly one origin, compared as a whole. A key that a
 * header can't hold never reaches the HTTP library, whose exception would quote it.
 */
const authorize = (credentials: Credentials, url: URL): string => {
  if (url.origin !== credentials.origin) {
    throw new PayError('auth', `the key is for ${credentials.origin} and was not sent to ${url.origin}`);
  }
  const fault = keyFault(credentials.key, credentials.origin);
  if (fault !== undefined) {
    const { problem, ...detail } = fault;
    throw new PayError('auth', `the secret key ${problem}`, detail);
  }
  return `Bearer ${credentials.key}`;
};

export interface AttemptLimits {
  /** From DNS lookup to last byte, in milliseconds. */
  readonly timeout: number;
  /** Ends the attempt in any phase. */
  readonly signal: AbortSignal;
  /**
   * Ends it only before the request is handed over; after that it calls `onLateStop` once, and the answer is awaited.
   */
  readonly stop?: { readonly signal: AbortSignal; readonly onLateStop: () => void };
}

/** The one signal that ends an attempt early. */
interface AttemptEnd {
  readonly signal: AbortSignal;
  /** Removes all listeners and timers after the attempt. */
  readonly release: () => void;
}

/** Calls the listener when the signal is aborted. */
const whenAborted = (signal: AbortSignal | undefined, listener: () => void): void => {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
};

/**
 * Combines the ends of an attempt: its own signal, its timeout, and a signal of the user before the request is handed
 * over. After that the user's signal is only reported, and the answer is awaited. A run has one pair of signals and
 * may have a million attempts, so all listeners are removed from them. (AbortSignal.any would keep those that still
 * have a listener.)
 */
const openAttemptEnd = ({ signal, stop, timeout }: AttemptLimits, detector: SentDetector): AttemptEnd => {
  const end = new AbortController();
  const onSignal = (): void => end.abort(signal.reason);
  const onStop = (): void => {
    if (detector.handedOver) stop?.onLateStop();
    else end.abort(stop?.signal.reason);
  };
  const onTimeout = (): void =>
    // The reason becomes the message of an error.
    end.abort(new Error(`no complete answer within ${timeout / 1000} s (--timeout)`));
  whenAborted(signal, onSignal);
  whenAborted(stop?.signal, onStop);
  const timer = setTimeout(onTimeout, timeout);
  return {
    signal: end.signal,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onSignal);
      stop?.signal.removeEventListener('abort', onStop);
    },
  };
};

export interface AnsweredAttempt {
  readonly kind: 'answer';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The `Date` header: the service's clock in milliseconds since the epoch, to the second. */
  readonly servedAt?: number | undefined;
  /** Time that the answer spent in a cache, in milliseconds; undefined if none. */
  readonly age?: number | undefined;
  /** Start of the attempt, by this machine's clock, in milliseconds since the epoch. */
  readonly askedAt?: number | undefined;
  readonly body: AnswerBody;
}

export type AttemptResult = AnsweredAttempt | Failure;

export interface Attempt extends AttemptLimits {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the status and the headers of the answer. */
  readonly onHead?: ((head: AnswerHead) => void) | undefined;
  readonly body: string | undefined;
  /** Uses a connection that is closed afterwards: a write is never sent over a connection that may be half dead. */
  readonly fresh: boolean;
  /**
   * Called again on the open connection, in the turn in which the request would be handed over; false holds it back.
   */
  readonly mayStart?: () => boolean;
}

export interface Transport {
  /** Result of the attempt; throws a PayError of kind `auth` for an unusable key. */
  send(attempt: Attempt): Promise<AttemptResult>;
  close(): Promise<void>;
}

interface TransportOptions {
  readonly credentials: Credentials;
  readonly env: Env;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly debug: (line: string) => void;
  /** Removes the known secrets from answers. */
  readonly clean: Clean;
}

const header = ({ headers }: RawAnswer, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const attemptRequest = (
  attempt: Attempt,
  { credentials, userAgent }: TransportOptions,
): Dispatcher.DispatchOptions => ({
  origin: credentials.origin,
  path: attempt.path,
  method: attempt.method,
  headers: {
    ...attempt.headers,
    authorization: authorize(credentials, new URL(attempt.path, credentials.origin)),
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    // A cached answer does not show the current state of a payment.
    ...(attempt.method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
    ...(attempt.body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  body: attempt.body === undefined ? null : Buffer.from(attempt.body),
  reset: attempt.fresh,
});

const roundTrip = async (
  dispatcher: Dispatcher,
  attempt: Attempt,
  detector: SentDetector,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<AttemptResult> => {
  const askedAt = options.clock.now();
  const answer = await withSentDetector(detector, () =>
    readAnswerTo(dispatcher, attemptRequest(attempt, options), signal, attempt.mayStart),
  );
  attempt.onHead?.(answer);
  return {
    kind: 'answer',
    status: answer.status,
    retryAfter: header(answer, 'retry-after'),
    servedAt: httpDate(header(answer, 'date') ?? ''),
    age: cacheAge(header(answer, 'age')),
    askedAt,
    body: readAnswerBody(answer.body, options.clean),
  };
};

/** One attempt over one dispatcher, which is destroyed after a failure: then nothing can be sent over it. */
const attemptOver = async (
  dispatcher: Dispatcher,
  attempt: Attempt,
  options: TransportOptions,
): Promise<AttemptResult> => {
  const { clock, debug, credentials } = options;
  const detector = newSentDetector(attempt.method, attempt.path);
  const ends = openAttemptEnd(attempt, detector);
  const started = clock.now();
  debug(`> ${attempt.method} ${credentials.origin}${attempt.path}`);
  try {
    const outcome = await roundTrip(dispatcher, attempt, detector, ends.signal, options);
    if (outcome.kind === 'answer') debug(`< ${outcome.status} in ${clock.now() - started} ms`);
    return outcome;
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    // undici notices an abort only once it is connected, and a proxy may delay that forever: only this makes it
    // certain.
    dispatcher.destroy().catch(() => undefined);
    const outcome = failureFrom(thrown, detector);
    debug(
      `! ${outcome.kind} after ${clock.now() - started} ms: ${outcome.reason}${outcome.code === undefined ? '' : ` (${outcome.code})`}`,
    );
    return outcome;
  } finally {
    ends.release();
  }
};

/**
 * One origin with its key and its connections. Sends each attempt once and returns its result. Throws a PayError of
 * kind `auth` for an unusable proxy or setting.
 */
export const openTransport = (options: TransportOptions): Transport => {
  const route = routeTo(options.credentials.origin, options.env);
  /**
   * Idle dispatchers: those with a connection that is kept alive for the next request, and those that open a new one
   * for each.
   */
  const [alive, closed]: [Dispatcher[], Dispatcher[]] = [[], []];
  const drop = (one: Dispatcher): void => void one.destroy().catch(() => undefined);
  /** Every authority, once the runtime's own have not vouched for the service. Shared, since reading them is slow. */
  let authorities: Parameters<typeof openDispatcher>[1];
  /** Sends over a dispatcher that no other attempt uses: a request never waits for the answer to another. */
  const sendOver = async (idle: Dispatcher[], attempt: Attempt): Promise<AttemptResult> => {
    const trusted = authorities;
    const own = idle.pop() ?? (await openDispatcher(route, trusted));
    const outcome = await attemptOver(own, attempt, options);
    if (outcome.kind === 'answer' && (idle === alive || 'text' in outcome.body)) idle.push(own);
    else drop(own);
    if (outcome.kind === 'not_sent' && outcome.untrusted && trusted === undefined && !attempt.signal.aborted) {
      const { createSecureContext } = await import('node:tls');
      authorities ??= { secureContext: createSecureContext({ ca: await everyAuthority(options.env) }) };
      return sendOver(idle, attempt);
    }
    return outcome;
  };
  /** Reads run in parallel until the service asks for fewer (429); then one after the other. */
  let before: Promise<unknown> | undefined;
  const read = async (attempt: Attempt): Promise<AttemptResult> => {
    const reading = before === undefined ? sendOver(alive, attempt) : before.then(() => sendOver(alive, attempt));
    if (before !== undefined) before = reading.catch(() => undefined);
    const outcome = await reading;
    if (outcome.kind === 'answer' && outcome.status === 429) before ??= Promise.resolve();
    return outcome;
  };
  return {
    send: async (attempt) => {
      if (attempt.fresh) return sendOver(closed, attempt);
      const isNew = alive.length === 0;
      const outcome = await read(attempt);
      if (isNew || outcome.kind !== 'broken' || attempt.signal.aborted) return outcome;
      // An idle connection may have been closed meanwhile, which is no fault of the service: try once more on a new
      // one.
      alive.splice(0).forEach(drop);
      return read(attempt);
    },
    close: async () => [...alive, ...closed].forEach(drop),
  };
};
