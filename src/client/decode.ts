import { isPaged } from '../contract/operations.ts';
import { namesThing, type Problem, readProblem } from '../contract/problem.ts';
import { nounOf, wordsFor } from '../core/ids.ts';
import { isJsonObject, mayBeInexact, parseTexts } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import type { Body, JsonBody } from './body.ts';
import type { Exchange, Subject } from './exchange.ts';
import type { Answered } from './transport.ts';

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
    { body, servedAt, age }: Pick<Answered, 'body' | 'servedAt' | 'age'>,
  ): Received | AnswerFault => {
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
  names: (body: Body, { prefix, uid }: Subject): boolean =>
    !('fault' in body) && body.isJson && namesThing(errorIn(body), [uid, ...wordsFor(prefix)]),

  /** What an error document says; undefined where it is no JSON object. */
  problem: (body: Body): Problem | undefined => {
    if ('fault' in body || !body.isJson) return undefined;
    return readProblem(errorIn(body));
  },
};
