import type { Dispatcher } from 'undici';
import type { Method } from '../contract/operations.ts';
import type { Clean } from '../core/cleaned.ts';
import { PayError } from '../core/error.ts';
import { httpDate } from '../core/http-date.ts';
import type { Clock, Env } from '../core/io.ts';
import { ageOf } from './age.ts';
import { answerTo, type RawAnswer } from './answer.ts';
import { authorize, type Credentials } from './authorize.ts';
import { type Body, readBody } from './body.ts';
import { openDispatcher, routeOf } from './dispatcher.ts';
import { endsOf, type Limits } from './ends.ts';
import { type Failure, failureOf } from './failure.ts';
import { type HandOver, newMark, withMark } from './marker.ts';

/** An attempt that has an answer. */
export interface Answered {
  readonly kind: 'answer';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The `Date` header: the service's clock in milliseconds since the epoch, to the second. */
  readonly servedAt?: number | undefined;
  /** How long the answer had lain in a cache by then, in milliseconds; undefined where it had not. */
  readonly age?: number | undefined;
  readonly body: Body;
}

/** What one attempt ended as. */
export type Outcome = Answered | Failure;

/** One request to be made. */
export interface Attempt extends Limits {
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
  send(attempt: Attempt): Promise<Outcome>;
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
  mark: HandOver,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<Outcome> => {
  const answer = await withMark(mark, () =>
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
const attemptOver = async (dispatcher: Dispatcher, attempt: Attempt, options: TransportOptions): Promise<Outcome> => {
  const { clock, debug, credentials } = options;
  const mark = newMark(attempt.method, attempt.path);
  const ends = endsOf(attempt, mark);
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
  const over = async (idle: Dispatcher[], attempt: Attempt): Promise<Outcome> => {
    const own = idle.pop() ?? (await openDispatcher(route));
    const outcome = await attemptOver(own, attempt, options);
    if (outcome.kind === 'answer' && (idle === alive || 'text' in outcome.body)) idle.push(own);
    else drop(own);
    return outcome;
  };
  /** Reads are made side by side until the service asks for less (429); then one after the other. */
  let before: Promise<unknown> | undefined;
  const read = async (attempt: Attempt): Promise<Outcome> => {
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
