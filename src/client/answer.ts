import { isPaged, type Operation, REFUSALS } from '../contract/operations.ts';
import { isOwnDocument, namesThing, type Problem, readProblem } from '../contract/problem.ts';
import type { Params } from '../contract/proof.ts';
import { grouped } from '../core/bounds.ts';
import { ANY_WRITE, mayBeDone } from '../core/charge.ts';
import { interrupted, PayError, reasonOf } from '../core/error.ts';
import { type IdPrefix, nounOf, wordsFor } from '../core/ids.ts';
import type { Clock, Flight, Signals } from '../core/io.ts';
import { isJsonObject, mayBeInexact, parseTexts, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { formatDuration, formatLocal } from '../core/time.ts';
import type { AnswerBody, JsonBody } from './body.ts';
import { untrustedError } from './failure.ts';
import type { AnsweredAttempt, AttemptResult } from './transport.ts';

/** The time for which the service asks to be left alone, where that is longer than a request waits by itself. */
interface Hold {
  /** Begins such a time, of so many milliseconds; gives the error that says so. */
  readonly begin: (error: PayError, ms: number) => PayError;
  /** Throws what is made of the reason, while the time is not over. */
  readonly check: (fault: (reason: string) => PayError) => void;
}

export const openHold = ({ ticks, now }: Pick<Clock, 'ticks' | 'now'>): Hold => {
  let until = -Infinity;
  const said = (ms: number): string => `asks to wait ${formatDuration(ms)}, until ${formatLocal(now() + ms, now())}`;
  const told = (error: PayError, ms: number): PayError =>
    error.with({ retryAt: now() + ms, hint: 'run the same command again after that' });
  return {
    begin: (error, ms) => {
      until = Math.max(until, ticks() + ms);
      return told(error.saying(`${error.message}; the service ${said(ms)}`), ms);
    },
    check: (fault) => {
      const left = until - ticks();
      if (left > 0) throw told(fault(`the service ${said(left)}`), left);
    },
  };
};

/** A thing that is named by the last parameter of a path. */
export interface Subject {
  readonly prefix: IdPrefix;
  readonly uid: string;
}

/** One operation with its path, query and body made: what travels, but for the key. */
export interface Exchange {
  readonly operation: Operation;
  readonly path: string;
  readonly body: string | undefined;
  /** The parameters in the path. */
  readonly params: Params;
  /** The one thing that is read: an answer about anything else says nothing. */
  readonly subject?: Subject;
}

/** What sending needs of the world. */
export interface SendContext {
  readonly origin: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signals: Signals;
  readonly flight: Flight;
  readonly hold: Hold;
  /** Bound on one attempt, from look-up to last byte, in milliseconds. */
  readonly timeout: number;
  /** One line per HTTP step (--debug). */
  readonly debug: (line: string) => void;
  /** A line for people while they wait. */
  readonly notice: (line: string) => void;
}

/** How an error names the request; the query stays out, since a cursor is long and says nothing. */
export const requestOf = ({ operation, path }: Exchange): { method: string; path: string } => ({
  method: operation.method,
  path: path.split('?')[0] ?? path,
});

/** Waits between two attempts; a signal ends the run there, since nothing is in flight. */
export const pause = async (context: SendContext, ms: number, signal?: AbortSignal): Promise<void> => {
  const stop = signal === undefined ? context.signals.stop : AbortSignal.any([context.signals.stop, signal]);
  try {
    await context.clock.sleep(ms, stop);
  } catch (thrown) {
    if (context.signals.stop.aborted) throw interrupted(context.signals.stop.reason);
    throw thrown;
  }
};

interface AnswerFault {
  readonly fault: string;
  /** It is a whole object, and another one than was asked for. */
  readonly isOther?: true;
}

/** An answer about something else must not decide what became of this. */
const aboutOther = ({ prefix, uid }: Subject, value: unknown): string | undefined => {
  const answered = valueAt(value, 'uid');
  return answered === uid ? undefined : `the service answered with another ${nounOf(prefix)}, ${answered}`;
};

/**
 * The value of a thing, which is kept and passed on to a customer: no number loses digits. Of an answer that holds too much, so
 * much as can be read.
 */
const readValue = (body: JsonBody): unknown => {
  if (body.excess !== undefined) return body.kept;
  return mayBeInexact(body.text) ? parseTexts(body.text) : body.value;
};

const errorIn = (body: JsonBody): unknown => (body.excess === undefined ? body.value : body.kept);

/** Bodies into values whose identity is proven, with their text kept. */
export const decode = {
  /** The answer of an operation, or why it is none. That of a list is its body: of its records no value was made yet. */
  answer: (
    { operation, params, subject }: Pick<Exchange, 'operation' | 'params' | 'subject'>,
    { body, servedAt, age }: Pick<AnsweredAttempt, 'body' | 'servedAt' | 'age'>,
  ): ApiRecord | AnswerFault => {
    if ('fault' in body) return body;
    const { text, excess: cut } = body;
    // It fails a read. What a write did is done all the same.
    if (cut !== undefined && operation.safety === 'safe') return { fault: cut };
    if (!body.isJson) return { fault: 'the answer is not JSON' };
    const isList = isPaged(operation);
    const value = isList ? body.envelope : readValue(body);
    const unproven = operation.success.proof(value, params);
    const fault = unproven ?? (subject === undefined ? undefined : aboutOther(subject, value));
    if (fault !== undefined) return isJsonObject(isList ? body.value : value) ? { fault, isOther: true } : { fault };
    const times = { ...(servedAt === undefined ? {} : { servedAt }), ...(age === undefined ? {} : { age }) };
    // Its values are made when they are asked for, which a copy would do at once.
    if (isList) return Object.assign(body, times);
    return { value, text, ...(cut === undefined ? {} : { cut }), ...times };
  },

  /** Whether an error document names the thing that was asked for. */
  names: (body: AnswerBody, { prefix, uid }: Subject): boolean =>
    !('fault' in body) && body.isJson && namesThing(errorIn(body), [uid, ...wordsFor(prefix)]),

  /** What an error document says; undefined where it is no JSON object. */
  problem: (body: AnswerBody): Problem | undefined => {
    if ('fault' in body || !body.isJson) return undefined;
    return readProblem(errorIn(body));
  },
};

const HINTS: Readonly<Record<number, string>> = {
  401: 'the key was rotated, mistyped or belongs to the other environment: log in again with `paycli login`, or fix PAYCLI_SECRET_KEY if it is set',
  402: "the workspace's balance is too low",
  403: 'this key has no permission for that: use another key, or ask the owner of the workspace',
  404: 'check the identifier, and that your profile is for the same workspace',
  405: 'the service has no such operation: check the address, --base-url or the profile',
  409: 'its current status does not allow this',
};

/** The service's no (interface.md section 7): exit 4 where the key is at fault, else 3. */
export const refusal = (exchange: Exchange, status: number, problem: Problem | undefined): PayError => {
  const violations = problem?.violations ?? [];
  // With violations the detail only says them again, in one long line.
  const words = [problem?.title, violations.length > 0 ? '' : problem?.detail].filter(
    (text) => text !== undefined && text !== '',
  );
  const said = words.length === 0 ? '' : `: ${words.join(': ')}`;
  const { more } = problem ?? {};
  const all = violations.length + (more ?? 0);
  const shown = more === undefined ? '' : ` (showing ${violations.length} of ${grouped(all)} violations)`;
  // What is wrong with a field is not its status.
  const hint = status === 409 && violations.length > 0 ? undefined : HINTS[status];
  return new PayError(
    status === 401 || status === 403 ? 'auth' : 'rejected',
    `the service answered ${status}${said}${shown}`,
    {
      status,
      request: requestOf(exchange),
      violations,
      ...(problem === undefined || problem.title === '' ? {} : { title: problem.title }),
      ...(hint === undefined ? {} : { hint }),
    },
  );
};

/**
 * What became of a write. `slow_down` and `not_sent` are certain to have applied nothing; `unknown` is everything that
 * is not proven otherwise.
 */
export type Verdict =
  | { readonly state: 'accepted'; readonly received: ApiRecord }
  | { readonly state: 'refused'; readonly error: PayError }
  | SlowDown
  | { readonly state: 'not_sent'; readonly error: PayError }
  | Unknown;

interface SlowDown {
  readonly state: 'slow_down';
  readonly error: PayError;
  readonly retryAfter: string | undefined;
}

interface Unknown {
  readonly state: 'unknown';
  readonly error: PayError;
  /** A 429 in words that others use, too: what it is once a read shows that nothing was applied. */
  readonly ifNothing?: SlowDown;
}

const unknown = (exchange: Exchange, reason: string, status?: number, answer?: string): Unknown => {
  const { effect = ANY_WRITE } = exchange.operation;
  const detail = {
    hint: effect.hint,
    request: requestOf(exchange),
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer }),
  };
  return { state: 'unknown', error: new PayError('unknown', `${mayBeDone(effect)}: ${reason}`, detail) };
};

/** The error of a write of which it is certain that nothing was applied, and that another may follow. */
export const notSent = (exchange: Exchange, reason: string, status?: number): PayError =>
  new PayError('not_sent', `nothing was applied: ${reason}`, {
    request: requestOf(exchange),
    hint: 'it is safe to run the same command again',
    ...(status === undefined ? {} : { status }),
  });

/** A no of the service: whoever lacks the right is told so before the body is looked at, in whatever words. */
const isNo = (status: number, problem: Problem | undefined): boolean =>
  status === 401 || (problem !== undefined && REFUSALS.includes(status));

const judgeAnswer = (exchange: Exchange, outcome: AnsweredAttempt): Verdict => {
  const { status, body } = outcome;
  if (status >= 200 && status < 300) {
    const decoded = decode.answer(exchange, outcome);
    if (!('fault' in decoded)) return { state: 'accepted', received: decoded };
    const answer = 'text' in body ? body.text : undefined;
    return unknown(exchange, `the service answered ${status}, but ${decoded.fault}`, status, answer);
  }
  const problem = decode.problem(body);
  if (isNo(status, problem)) return { state: 'refused', error: refusal(exchange, status, problem) };
  const said =
    problem === undefined
      ? `the answer was ${status} and not a JSON object`
      : `the service answered ${status} ${problem.title}`.trimEnd();
  if (status !== 429) return unknown(exchange, said, status);
  const slowDown = (what: string): SlowDown => ({
    state: 'slow_down',
    error: notSent(exchange, what, status),
    retryAfter: outcome.retryAfter,
  });
  // Proxies say 429, too, having passed the request on or not.
  if (!('fault' in body) && body.excess === undefined && isOwnDocument(status, body.value)) return slowDown(said);
  return { ...unknown(exchange, said, status), ifNothing: slowDown(`${said}, and a read behind it shows nothing new`) };
};

/** Once a write is handed over, what goes wrong here leaves it unknown. */
const judged = (exchange: Exchange, outcome: AnsweredAttempt): Verdict => {
  try {
    return judgeAnswer(exchange, outcome);
  } catch (thrown) {
    return unknown(exchange, `its answer couldn't be understood: ${reasonOf(thrown)}`, outcome.status);
  }
};

/**
 * What became of a write (docs/adr/0002, interface.md section 7). Only the service's own word, or the proof that nothing
 * left, makes it certain; whatever is not named here is `unknown`.
 */
export const judge = (origin: string, exchange: Exchange, outcome: AttemptResult): Verdict => {
  switch (outcome.kind) {
    case 'answer':
      return judged(exchange, outcome);
    case 'broken':
      return unknown(exchange, `the request was sent, but no complete answer came back: ${outcome.reason}`);
    case 'not_sent':
      return outcome.untrusted
        ? { state: 'refused', error: untrustedError(origin, outcome.reason) }
        : { state: 'not_sent', error: notSent(exchange, outcome.reason) };
  }
};
