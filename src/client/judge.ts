import { REFUSALS } from '../contract/operations.ts';
import { isOwnDocument, type Problem } from '../contract/problem.ts';
import { ANY_EFFECT, mayBeDone } from '../core/effect.ts';
import { PayError, reasonOf } from '../core/error.ts';
import type { Received } from '../core/received.ts';
import { decode } from './decode.ts';
import { type Exchange, requestOf } from './exchange.ts';
import { untrustedError } from './failure.ts';
import { refusal } from './refusal.ts';
import type { Answered, Outcome } from './transport.ts';

/**
 * What became of a write. `slow_down` and `not_sent` are certain to have applied nothing; `unknown` is everything that
 * is not proven otherwise.
 */
export type Verdict =
  | { readonly state: 'accepted'; readonly received: Received }
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
  const { effect = ANY_EFFECT } = exchange.operation;
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

const judgeAnswer = (exchange: Exchange, outcome: Answered): Verdict => {
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
const judged = (exchange: Exchange, outcome: Answered): Verdict => {
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
export const judge = (origin: string, exchange: Exchange, outcome: Outcome): Verdict => {
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
