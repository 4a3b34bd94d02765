import type { Operation } from '../contract/operations.ts';
import type { ThingPage } from '../contract/proof.ts';
import { nounOf } from '../core/ids.ts';
import { elementsOf, mayBeInexact, parseTexts } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { Received, ReceivedPage } from '../core/received.ts';
import type { Exchange, Subject } from './exchange.ts';
import type { Body, Outcome } from './transport.ts';

type Answer = Pick<Extract<Outcome, { kind: 'answer' }>, 'body'> &
  Partial<Pick<Extract<Outcome, { kind: 'answer' }>, 'servedAt' | 'age'>>;

type Judged = Pick<Exchange, 'operation' | 'params' | 'subject'>;

type Whole = Extract<Body, { readonly text: string }>;

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

/** Bodies into values whose identity is proven, with their text kept. */
export const decode = {
  /** The answer of an operation, or why it is none. */
  answer: ({ operation, params, subject }: Judged, { body, servedAt, age }: Answer): Received | Fault => {
    if ('fault' in body) return body;
    const unproven = operation.success.proof(body.json, params);
    const fault = unproven ?? (subject === undefined ? undefined : aboutOther(subject, body.json));
    if (fault !== undefined) return isFields(body.json) ? { fault, isOther: true } : { fault };
    const times = { ...(servedAt === undefined ? {} : { servedAt }), ...(age === undefined ? {} : { age }) };
    return { value: keptValue(operation, body), text: body.text, ...times };
  },

  /** A page and its records, each with the text it came as, but for blanks between tokens. */
  page: <T>({ value, text }: Received<ThingPage>, cursor: string | undefined): ReceivedPage<T> => {
    const texts = elementsOf(text, 'data');
    const records = value.data.map((record, index) => ({ value: record as T, text: texts[index] ?? '' }));
    return { records, cursor, nextCursor: value.next_cursor };
  },
};
