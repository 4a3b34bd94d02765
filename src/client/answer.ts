import { EXPIRY_LIMIT_MS } from '../charge/mediums.ts';
import { type Failed, failedBy, type Outcome } from '../charge/outcome.ts';
import { answersPage, type Operation } from '../contract/operations.ts';
import { isOwnDocument, namesThing, type Problem, readProblem } from '../contract/problem.ts';
import type { Params } from '../contract/proof.ts';
import { grouped } from '../core/bounds.ts';
import { ANY_WRITE, mayBeDone } from '../core/charge.ts';
import { interrupted, PayError, REJECTIONS, reasonOf } from '../core/error.ts';
import { type IdPrefix, nounOf, wordsFor } from '../core/ids.ts';
import type { Clock, Flight, Signals } from '../core/io.ts';
import { definedIn, isJsonObject, mayBeInexact, parseTexts, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import { formatDuration, formatLocal, MINUTE_MS } from '../core/time.ts';
import { type AnswerBody, type JsonBody, TOO_LARGE } from './body.ts';
import { untrustedError } from './connection.ts';
import type { AnsweredAttempt, Attempt, AttemptResult } from './transport.ts';

/** A pause that the service has requested, longer than a request waits by itself. */
interface RequestedPause {
  /** Starts a pause of `ms` milliseconds; returns the error that reports it. */
  readonly begin: (error: PayError, ms: number) => PayError;
  /** During a pause, the error that `fault` creates from the reason; otherwise undefined. */
  readonly check: (fault: (reason: string) => PayError) => PayError | undefined;
}

export const openRequestedPause = ({ ticks, now }: Pick<Clock, 'ticks' | 'now'>): RequestedPause => {
  let until = -Infinity;
  const said = (ms: number): string => `asks to wait ${formatDuration(ms)}, until ${formatLocal(now() + ms, now())}`;
  const withRetryAt = (error: PayError, ms: number): PayError =>
    error.with({ retryAt: now() + ms, hint: 'run the same command again after that' });
  return {
    begin: (error, ms) => {
      until = Math.max(until, ticks() + ms);
      return withRetryAt(error.saying(`${error.message}; the service ${said(ms)}`), ms);
    },
    check: (fault) => {
      const left = until - ticks();
      return left > 0 ? withRetryAt(fault(`the service ${said(left)}`), left) : undefined;
    },
  };
};

/** An object that the last parameter of a path identifies. */
export interface Subject {
  readonly prefix: IdPrefix;
  readonly uid: string;
}

/** One operation with its path, query and body: the whole request except for the key. */
export interface Exchange extends Pick<Attempt, 'path' | 'headers' | 'body' | 'onHead'> {
  readonly operation: Operation;
  readonly params: Params;
  /** The object of a read: an answer about any other object is rejected. */
  readonly subject?: Subject;
  /** Advice for a rejected key, which depends on where the key came from. */
  readonly keyHint?: string | undefined;
}

/** Signals between the requests of one row and the others of its run. */
export interface RequestPace {
  /** Awaited before each attempt of a write, if many writes keep to a rate together. */
  readonly turn?: () => Promise<void>;
  /** Called for each 429 of the service, with the requested milliseconds, or 0 without a usable time. */
  readonly slowDown?: (ms: number) => void;
  /** Called with the outcome of a write, before anything is made of it. */
  readonly answered?: (outcome: Outcome) => void;
}

export interface SendContext {
  readonly pace?: RequestPace | undefined;
  readonly origin: string;
  readonly keyHint?: Exchange['keyHint'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly signals: Signals;
  readonly flight: Flight;
  readonly requestedPause: RequestedPause;
  /** Time limit of one attempt, from DNS lookup to last byte, in milliseconds. */
  readonly timeout: number;
  /** Prints one line per HTTP step (--debug). */
  readonly debug: (line: string) => void;
  /** Prints a line for people while they wait. */
  readonly notice: (line: string) => void;
}

/** Request in an error, without its query: a cursor is long and carries no information. */
export const requestShown = ({ operation, path }: Exchange): { method: string; path: string } => ({
  method: operation.method,
  path: path.split('?')[0] ?? path,
});

/** Waits between two attempts; a signal ends the run here, since nothing is in flight. */
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
  /** The answer is a JSON object, but not the expected one. Not set for a page, which nobody looks up. */
  readonly isOther?: true;
}

/** Rejects an answer about another object, which must not decide the outcome. */
export const otherObjectFault = ({ prefix, uid }: Subject, value: unknown): string | undefined => {
  const answered = valueAt(value, 'uid');
  return answered === uid ? undefined : `the service answered with another ${nounOf(prefix)}, ${answered}`;
};

/** The value of an answer for storing and passing on: no number loses digits. */
const exactValueOf = (body: JsonBody): unknown => {
  if (body.excess !== undefined) return body.mainFields;
  return mayBeInexact(body.text) ? parseTexts(body.text) : body.value;
};

const errorIn = (body: JsonBody): unknown => (body.excess === undefined ? body.value : body.mainFields);

/** Turns bodies into values with a proven identity, together with their text. */
export const decode = {
  /**
   * The answer of an operation, or the reason why it is rejected. A page is returned as its body, whose records have
   * no values yet.
   */
  answer: (
    { operation, params, subject }: Pick<Exchange, 'operation' | 'params' | 'subject'>,
    { body, servedAt, age, askedAt }: Pick<AnsweredAttempt, 'body' | 'servedAt' | 'age' | 'askedAt'>,
  ): ApiRecord | AnswerFault => {
    if ('fault' in body) return body;
    const { excess: cut } = body;
    // An oversized answer fails a read. A write is done all the same.
    if (cut !== undefined && operation.safety === 'safe') return { fault: cut };
    if (!body.isJson && !body.isCut) return { fault: 'the answer is not JSON' };
    const isList = answersPage(operation);
    const value = isList ? body.envelope : exactValueOf(body);
    const unproven = operation.success.proof(value, params);
    const fault = unproven ?? (subject === undefined ? undefined : otherObjectFault(subject, value));
    if (fault !== undefined && body.isCut) return { fault: TOO_LARGE };
    if (fault !== undefined) return !isList && isJsonObject(value) ? { fault, isOther: true } : { fault };
    const times = definedIn({ servedAt, age, askedAt });
    // A copy would evaluate the lazy values of the body at once.
    if (isList) return Object.assign(body, times);
    const note = cut === undefined ? body.note : `${cut}; only its main fields are read and shown`;
    return { value, text: cut === undefined ? body.text : JSON.stringify(value), ...definedIn({ note }), ...times };
  },

  /** True if an error document names the requested object. */
  names: (body: AnswerBody, { prefix, uid }: Subject): boolean =>
    !('fault' in body) && body.isJson && namesThing(errorIn(body), [uid, ...wordsFor(prefix)]),

  /** Content of an error document; undefined without a JSON object. */
  problem: (body: AnswerBody): Problem | undefined => {
    if ('fault' in body || !body.isJson) return undefined;
    return readProblem(errorIn(body));
  },
};

const STATUS_HINTS: Readonly<Record<number, string>> = {
  402: "top up the workspace's balance, then run the same command again",
  403: 'this key has no permission for that: use another key, or ask the owner of the workspace',
  404: 'check the identifier, and that your profile is for the same workspace',
  405: 'the service has no such operation: check the address, --base-url or the profile',
  409: 'its current status does not allow this: see it with `paycli ugwo get` or `paycli onye get`',
};

/** Error of the service's no (docs/service.md, Errors). */
export const rejection = (exchange: Exchange, status: number, problem: Problem | undefined): PayError => {
  const violations = problem?.violations ?? [];
  // Next to violations the detail only repeats them, in one long line.
  const words = [problem?.title, violations.length > 0 ? '' : problem?.detail].filter(
    (text) => text !== undefined && text !== '',
  );
  const said = words.length === 0 ? '' : `: ${words.join(': ')}`;
  const { more } = problem ?? {};
  const all = violations.length + (more ?? 0);
  const shown = more === undefined ? '' : ` (showing ${violations.length} of ${grouped(all)} violations)`;
  // The hint is about the status of the object, not about violations of a field.
  const hint =
    status === 409 && violations.length > 0 ? undefined : status === 401 ? exchange.keyHint : STATUS_HINTS[status];
  return new PayError(REJECTIONS.get(status) ?? 'rejected', `the service answered ${status}${said}${shown}`, {
    status,
    request: requestShown(exchange),
    violations,
    ...(problem === undefined || problem.title === '' ? {} : { title: problem.title }),
    ...(hint === undefined ? {} : { hint }),
  });
};

/** Outcome of one attempt of a write. */
export type Verdict = Outcome & {
  /** Set for a 429 of the service. */
  readonly slowDown?: { readonly retryAfter: string | undefined };
  /** For an unknown 429 in a shape that others also use: the verdict if a read shows that nothing was applied. */
  readonly ifNothing?: Verdict & Failed;
};

const unknown = (exchange: Exchange, reason: string, status?: number, answer?: string): Failed => {
  const { effect = ANY_WRITE } = exchange.operation;
  const detail = {
    hint: effect.hint,
    request: requestShown(exchange),
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer }),
  };
  return failedBy(new PayError('unknown', `${mayBeDone(effect)}: ${reason}`, detail));
};

/** Error of a write that certainly applied nothing, so that it may be sent again. */
export const notSent = (exchange: Exchange, reason: string, status?: number): PayError =>
  new PayError('not_sent', `nothing was applied: ${reason}`, {
    request: requestShown(exchange),
    hint: 'it is safe to run the same command again',
    ...(status === undefined ? {} : { status }),
  });

/** A difference of clocks that does not matter to an expiry, in milliseconds. */
const CLOCK_TOLERANCE_MS = 30_000;

/** Adds a hint if this machine's clock is off and the service rejects an expiry, which is counted by that clock. */
const blamingClock = (error: PayError, { servedAt, age, askedAt }: AnsweredAttempt): PayError => {
  const isExpiry = error.detail.violations?.some(({ propertyPath }) => propertyPath.includes('expires_at'));
  if (isExpiry !== true || servedAt === undefined || askedAt === undefined || age !== undefined) return error;
  const ahead = askedAt - servedAt;
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS) return error;
  const off = `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the service's`;
  return error.with({
    hint: `this machine's clock is ${off}: set it; without an expiry, the service's clock counts ${EXPIRY_LIMIT_MS / MINUTE_MS} minutes`,
  });
};

const judgeAnswer = (exchange: Exchange, outcome: AnsweredAttempt): Verdict => {
  const { status, body } = outcome;
  if (status >= 200 && status < 300) {
    const decoded = decode.answer(exchange, outcome);
    if (!('fault' in decoded)) return { certain: 'accepted', record: decoded };
    const answer = 'text' in body ? body.text : undefined;
    return unknown(exchange, `the service answered ${status}, but ${decoded.fault}`, status, answer);
  }
  const problem = decode.problem(body);
  // The key is checked before the request; other statuses need an error document.
  if (status === 401 || (problem !== undefined && REJECTIONS.has(status))) {
    return failedBy(blamingClock(rejection(exchange, status, problem), outcome));
  }
  const said =
    problem === undefined
      ? `the answer was ${status} and not a JSON object`
      : `the service answered ${status} ${problem.title}`.trimEnd();
  if (status !== 429) return unknown(exchange, said, status);
  const slowDown = (what: string): Verdict & Failed => ({
    ...failedBy(notSent(exchange, what, status)),
    slowDown: { retryAfter: outcome.retryAfter },
  });
  // Proxies also answer 429, before or after they have passed the request on.
  if (!('fault' in body) && body.excess === undefined && isOwnDocument(status, body.value)) return slowDown(said);
  return { ...unknown(exchange, said, status), ifNothing: slowDown(`${said}, and a read behind it shows nothing new`) };
};

/** The verdict about one attempt of a write. After it was sent, an exception in this program makes it unknown. */
export const judgeAttempt = (origin: string, exchange: Exchange, outcome: AttemptResult): Verdict => {
  switch (outcome.kind) {
    case 'answer':
      try {
        return judgeAnswer(exchange, outcome);
      } catch (thrown) {
        return unknown(exchange, `its answer couldn't be understood: ${reasonOf(thrown)}`, outcome.status);
      }
    case 'broken':
      return unknown(exchange, `the request was sent, but no complete answer came back: ${outcome.reason}`);
    case 'not_sent':
      return failedBy(outcome.untrusted ? untrustedError(origin, outcome.reason) : notSent(exchange, outcome.reason));
  }
};
