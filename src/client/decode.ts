import type { Operation } from '../contract/operations.ts';
import { fieldsOf } from '../contract/operations.ts';
import type { Problem } from '../contract/problem.ts';
import { PROBLEM_FIELDS, readProblem } from '../contract/problem.ts';
import type { ThingPage } from '../contract/proof.ts';
import { nounOf } from '../core/ids.ts';
import { elementsOf, mayBeInexact, parseTexts } from '../core/json.ts';
import { cutJson } from '../core/json-cut.ts';
import { valueAt } from '../core/path.ts';
import type { Received, ReceivedPage } from '../core/received.ts';
import type { Exchange, Subject } from './exchange.ts';
import type { Body, Outcome } from './transport.ts';

type Answer = Pick<Extract<Outcome, { kind: 'answer' }>, 'body'> &
  Partial<Pick<Extract<Outcome, { kind: 'answer' }>, 'servedAt' | 'age'>>;

type Judged = Pick<Exchange, 'operation' | 'params' | 'subject'>;

type Whole = Extract<Body, { readonly json: unknown }>;

interface Fault {
  readonly fault: string;
  /** It is a whole object, and another one than was asked for. */
  readonly isOther?: true;
}

const isFields = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An answer about something else must not decide what became of this. */
const aboutOther = ({ prefix, uid }: Subject, value: unknown): string | undefined => {
  const answered = valueAt(value, 'uid');
  return answered === uid ? undefined : `the service answered with another ${nounOf(prefix)}, ${answered}`;
};

/**
 * What is kept of a thing, and passed on to a customer, must not lose digits. The records of a list are only shown, from their
 * texts, and there are many.
 */
const keptValue = ({ query }: Operation, { json, text }: Whole): unknown =>
  query === undefined && mayBeInexact(text) ? parseTexts(text) : json;

/** An answer that holds too much fails a read. What a write did is done all the same: so much of it is read as can be. */
const readable = ({ operation }: Judged, body: Body): (Whole & { readonly cut?: string }) | Fault => {
  if ('fault' in body || 'json' in body) return body;
  const { text, excess } = body;
  if (operation.safety === 'safe') return { fault: excess };
  const cut = cutJson(text, fieldsOf(operation));
  return cut === undefined ? { fault: 'the answer is not JSON' } : { text, json: cut.value, cut: excess };
};

/** Bodies into values whose identity is proven, with their text kept. */
export const decode = {
  /** The answer of an operation, or why it is none. */
  answer: (judged: Judged, { body: received, servedAt, age }: Answer): Received | Fault => {
    const { operation, params, subject } = judged;
    const body = readable(judged, received);
    if ('fault' in body) return body;
    const unproven = operation.success.proof(body.json, params);
    const fault = unproven ?? (subject === undefined ? undefined : aboutOther(subject, body.json));
    if (fault !== undefined) return isFields(body.json) ? { fault, isOther: true } : { fault };
    const times = { ...(servedAt === undefined ? {} : { servedAt }), ...(age === undefined ? {} : { age }) };
    if (body.cut !== undefined) return { value: body.json, text: body.text, cut: body.cut, ...times };
    return { value: keptValue(operation, body), text: body.text, ...times };
  },

  /** What an error document says; undefined where it is no JSON object. */
  problem: (body: Body): Problem | undefined => {
    if ('fault' in body) return undefined;
    return readProblem('json' in body ? body.json : cutJson(body.text, PROBLEM_FIELDS)?.value);
  },

  /** A page and its records, each with the text it came as, but for blanks between tokens. */
  page: <T>({ value, text }: Received<ThingPage>, cursor: string | undefined): ReceivedPage<T> => {
    const texts = elementsOf(text, 'data');
    const records = texts.map((own, index) => ({ value: value.data[index] as T, text: own }));
    return { records, cursor, nextCursor: value.next_cursor };
  },
};
