import type { Operation } from '../contract/operations.ts';
import { elementsOf } from '../core/json.ts';
import type { Received, ReceivedPage } from '../core/received.ts';
import type { Outcome } from './transport.ts';

type Answer = Pick<Extract<Outcome, { kind: 'answer' }>, 'body' | 'servedAt'>;

interface PageValue {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** Bodies into values that the contract vouches for, with their text kept. */
export const decode = {
  /** The answer of an operation, or what about it breaks the contract. */
  answer: (operation: Operation, { body, servedAt }: Answer): Received | { readonly fault: string } => {
    if ('fault' in body) return body;
    const checked = operation.success.schema.safeParse(body.json);
    if (checked.success) return { value: body.json, text: body.text, ...(servedAt === undefined ? {} : { servedAt }) };
    const issue = checked.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? 'the answer' : `"${issue.path.join('.')}"`;
    return { fault: `the answer breaks the contract: ${where}: ${issue?.message ?? 'not as agreed'}` };
  },

  /** A page and its records, each with the very text it came as. */
  page: ({ value, text }: Received, cursor: string | undefined): ReceivedPage => {
    const { data, next_cursor: nextCursor } = value as PageValue;
    const texts = elementsOf(text, 'data');
    return { records: data.map((record, index) => ({ value: record, text: texts[index] ?? '' })), cursor, nextCursor };
  },
};
