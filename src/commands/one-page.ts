import type { Received, ReceivedPage } from '../core/received.ts';
import { madeHere } from '../core/received.ts';

/** A list that is one page. */
export async function* pageOf(records: readonly Received[]): AsyncGenerator<ReceivedPage> {
  yield { records, cursor: undefined, nextCursor: null };
}

/** A list that is there whole, made here. */
export const onePage = (values: readonly unknown[]): AsyncGenerator<ReceivedPage> =>
  pageOf(values.map((value) => madeHere(value)));
