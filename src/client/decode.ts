import { nounOf } from '../core/ids.ts';
import { elementsOf } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { Received, ReceivedPage } from '../core/received.ts';
import type { Exchange, Subject } from './exchange.ts';
import type { Outcome } from './transport.ts';

type Answer = Pick<Extract<Outcome, { kind: 'answer' }>, 'body'> &
  Partial<Pick<Extract<Outcome, { kind: 'answer' }>, 'servedAt'>>;

interface PageValue {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** How many records a page has, and where it leads. */
export const pageValue = (value: unknown): PageValue => value as PageValue;

type Judged = Pick<Exchange, 'operation' | 'subject'>;

interface Fault {
  readonly fault: string;
}

/** Whether a body can be walked on from; what is not so breaks the contract. */
const isPage = (value: unknown): value is PageValue => {
  const next = valueAt(value, 'next_cursor');
  return Array.isArray(valueAt(value, 'data')) && (next === null || (typeof next === 'string' && next !== ''));
};

/** An answer about something else must not decide what became of this. */
const aboutOther = ({ prefix, uid }: Subject, value: unknown): Fault | undefined => {
  const answered = valueAt(value, 'uid');
  if (answered === uid) return undefined;
  return { fault: `the service answered with another ${nounOf(prefix)}, ${answered}` };
};

/** Bodies into values that the contract vouches for, with their text kept. */
export const decode = {
  /** The answer of an operation, or what about it breaks the contract. */
  answer: ({ operation, subject }: Judged, { body, servedAt }: Answer): Received | Fault => {
    if ('fault' in body) return body;
    const checked = operation.success.schema.safeParse(body.json);
    const other = checked.success && subject !== undefined ? aboutOther(subject, body.json) : undefined;
    if (other !== undefined) return other;
    if (checked.success) return { value: body.json, text: body.text, ...(servedAt === undefined ? {} : { servedAt }) };
    const issue = checked.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? 'the answer' : `"${issue.path.join('.')}"`;
    return { fault: `the answer breaks the contract: ${where}: ${issue?.message ?? 'not as agreed'}` };
  },

  /** A page whose records are looked at later: what leads to the next one is all that is checked. */
  arrived: (judged: Judged, answer: Answer): Received | Fault => {
    const { body } = answer;
    return 'json' in body && isPage(body.json) ? { value: body.json, text: body.text } : decode.answer(judged, answer);
  },

  /** A page and its records, each with the text it came as, but for blanks between tokens. */
  page: ({ value, text }: Received, cursor: string | undefined): ReceivedPage => {
    const { data, next_cursor: nextCursor } = pageValue(value);
    const texts = elementsOf(text, 'data');
    return { records: data.map((record, index) => ({ value: record, text: texts[index] ?? '' })), cursor, nextCursor };
  },
};
