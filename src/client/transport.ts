import type { Dispatcher } from 'undici';
import type { Method } from '../contract/operations.ts';
import { PayError } from '../core/error.ts';
import type { Clock, Env } from '../core/io.ts';
import type { Clean } from '../core/redact.ts';
import { keyFault } from '../core/secret.ts';
import { httpDate } from '../core/time.ts';
import { type AnswerBody, answerTo, type RawAnswer, readBody } from './body.ts';
import { openDispatcher, routeOf } from './connection.ts';
import { type Failure, failureOf, newSentDetector, type SentDetector, withSentDetector } from './failure.ts';

const LONGEST_S = 10 * 365 * 24 * 3600;

/**
 * How long an answer has lain in a cache (`Age`, RFC 9111 section 5.1), in milliseconds. Undefined where it comes from the
 * service itself, and where the header is no whole number of seconds or says more than ten years.
 */
export const ageOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const text = header.trim();
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= LONGEST_S ? seconds * 1000 : undefined;
};

export interface Credentials {
  /** The one origin that the key is for. */
  readonly origin: string;
  readonly key: string;
}

/**
 * The only place where the key meets a request. It goes to exactly one origin, compared as a whole; a key that can't
 * stand in a header never reaches the HTTP library, whose exception would quote it.
 */
export const authorize = (credentials: Credentials, url: URL): string => {
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

/** When an attempt ends at the latest. */
export interface AttemptLimits {
  /** From look-up to last byte, in milliseconds. */
  readonly timeout: number;
  /** Ends the attempt wherever it is. */
  readonly signal: AbortSignal;
  /** Ends it only while nothing has been handed over; afterwards `held` is called once and the answer awaited. */
  readonly stop?: { readonly signal: AbortSignal; readonly held: () => void };
}

/** The one signal that ends an attempt early. */
interface Ends {
  readonly signal: AbortSignal;
  /** Lets go of all that was waited for: the attempt is over. */
  readonly release: () => void;
}

/** Calls `told` with the reason once the signal is aborted; gives the way to stop listening. */
const onAbort = (signal: AbortSignal, told: (reason: unknown) => void): (() => void) => {
  const listener = (): void => told(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
};

/** Calls `told` after `ms`, unless it is cancelled before. */
const after = (ms: number, told: () => void): (() => void) => {
  const timer = setTimeout(told, ms);
  return () => clearTimeout(timer);
};

/**
 * What ends an attempt: its own signal, its timeout, and a signal of the user that finds nothing handed over; one that has
 * been handed over is told about and awaited. A run has one pair of signals and may have a million attempts, so nothing
 * of an attempt stays with them. (AbortSignal.any would keep what somebody still listens to.)
 */
const abortOf = ({ signal, stop, timeout }: AttemptLimits, mark: SentDetector): Ends => {
  const end = new AbortController();
  const onStop = (reason: unknown): void => {
    if (mark.handedOver) stop?.held();
    else end.abort(reason);
  };
  const releases = [
    onAbort(signal, (reason) => end.abort(reason)),
    // The reason is the sentence that an error will show.
    after(timeout, () => end.abort(new Error(`no complete answer within ${timeout / 1000} s (--timeout)`))),
    ...(stop === undefined ? [] : [onAbort(stop.signal, onStop)]),
  ];
  return {
    signal: end.signal,
    release: () => {
      for (const release of releases) release();
    },
  };
};

/** An attempt that has an answer. */
export interface AnsweredAttempt {
  readonly kind: 'answer';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The `Date` header: the service's clock in milliseconds since the epoch, to the second. */
  readonly servedAt?: number | undefined;
  /** How long the answer had lain in a cache by then, in milliseconds; undefined where it had not. */
  readonly age?: number | undefined;
  readonly body: AnswerBody;
}

/** What one attempt ended as. */
export type AttemptResult = AnsweredAttempt | Failure;

/** One request to be made. */
export interface Attempt extends AttemptLimits {
  readonly method: Method;
  readonly path: string;
  readonly body: string | undefined;
  /** A connection of its own, closed behind it: a write never rides on a connection that may be half dead. */
  readonly fresh: boolean;
  /** Asked once more when the connection stands, in the turn in which the request would be handed over; false: it is not. */
  readonly mayStart?: () => boolean;
}

/** The way to one origin. */
export interface Transport {
  /** What became of the attempt; throws a PayError of kind `auth` for a key that can't be used. */
  send(attempt: Attempt): Promise<AttemptResult>;
  close(): Promise<void>;
}

/** What a transport is made of. */
export interface TransportOptions {
  readonly credentials: Credentials;
  readonly env: Env;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly debug: (line: string) => void;
  /** Takes the known secrets out of what is answered. */
  readonly clean: Clean;
}

const header = ({ headers }: RawAnswer, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const headersOf = (attempt: Attempt, { credentials, userAgent }: TransportOptions): Record<string, string> => ({
  authorization: authorize(credentials, new URL(attempt.path, credentials.origin)),
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': userAgent,
  // What a cache remembers says nothing of how a payment stands now.
  ...(attempt.method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
  ...(attempt.body === undefined ? {} : { 'content-type': 'application/json' }),
});

const requestOf = (attempt: Attempt, options: TransportOptions): Dispatcher.DispatchOptions => ({
  origin: options.credentials.origin,
  path: attempt.path,
  method: attempt.method,
  headers: headersOf(attempt, options),
  body: attempt.body === undefined ? null : Buffer.from(attempt.body),
  reset: attempt.fresh,
});

const roundTrip = async (
  dispatcher: Dispatcher,
  attempt: Attempt,
  mark: SentDetector,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<AttemptResult> => {
  const answer = await withSentDetector(mark, () =>
    answerTo(dispatcher, requestOf(attempt, options), signal, attempt.mayStart),
  );
  return {
    kind: 'answer',
    status: answer.status,
    retryAfter: header(answer, 'retry-after'),
    servedAt: httpDate(header(answer, 'date') ?? ''),
    age: ageOf(header(answer, 'age')),
    body: await readBody(answer.body, options.clean),
  };
};

/** One attempt over one dispatcher, which is destroyed when it fails: nothing can leave it afterwards. */
const attemptOver = async (
  dispatcher: Dispatcher,
  attempt: Attempt,
  options: TransportOptions,
): Promise<AttemptResult> => {
  const { clock, debug, credentials } = options;
  const mark = newSentDetector(attempt.method, attempt.path);
  const ends = abortOf(attempt, mark);
  const started = clock.now();
  debug(`> ${attempt.method} ${credentials.origin}${attempt.path}`);
  try {
    const outcome = await roundTrip(dispatcher, attempt, mark, ends.signal, options);
    if (outcome.kind === 'answer') debug(`< ${outcome.status} in ${clock.now() - started} ms`);
    return outcome;
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    // undici notices an abort only once it is connected, and a proxy may never let it: only this makes it certain.
    dispatcher.destroy().catch(() => undefined);
    const outcome = failureOf(thrown, mark);
    debug(
      `! ${outcome.kind} after ${clock.now() - started} ms: ${outcome.reason}${outcome.code === undefined ? '' : ` (${outcome.code})`}`,
    );
    return outcome;
  } finally {
    ends.release();
  }
};

/**
 * One origin, its key and its connections. Sends what it is told to, once, and says what became of it. Throws a PayError of
 * kind `auth` for a proxy or a setting that can't be used.
 */
export const openTransport = (options: TransportOptions): Transport => {
  const route = routeOf(options.credentials.origin, options.env);
  /** Those that are kept alive for the next request, and those whose connection is closed behind each: they can make new ones. */
  const [alive, closed]: [Dispatcher[], Dispatcher[]] = [[], []];
  const drop = (one: Dispatcher): void => void one.destroy().catch(() => undefined);
  /** Over one that nobody else uses meanwhile: a request waits for no other's answer. */
  const over = async (idle: Dispatcher[], attempt: Attempt): Promise<AttemptResult> => {
    const own = idle.pop() ?? (await openDispatcher(route));
    const outcome = await attemptOver(own, attempt, options);
    if (outcome.kind === 'answer' && (idle === alive || 'text' in outcome.body)) idle.push(own);
    else drop(own);
    return outcome;
  };
  /** Reads are made side by side until the service asks for less (429); then one after the other. */
  let before: Promise<unknown> | undefined;
  const read = async (attempt: Attempt): Promise<AttemptResult> => {
    const reading = before === undefined ? over(alive, attempt) : before.then(() => over(alive, attempt));
    if (before !== undefined) before = reading.catch(() => undefined);
    const outcome = await reading;
    if (outcome.kind === 'answer' && outcome.status === 429) before ??= Promise.resolve();
    return outcome;
  };
  return {
    send: async (attempt) => {
      if (attempt.fresh) return over(closed, attempt);
      const isNew = alive.length === 0;
      const outcome = await read(attempt);
      if (isNew || outcome.kind !== 'broken' || attempt.signal.aborted) return outcome;
      // A kept connection may have been closed meanwhile, which says nothing of the service: once more on a new one.
      alive.splice(0).forEach(drop);
      return read(attempt);
    },
    close: async () => [...alive, ...closed].forEach(drop),
  };
};
