import type { ReceivedPage } from '../core/received.ts';
import { madeHere } from '../core/received.ts';

/** A list that is there whole, made here. */
export async function* onePage(values: readonly unknown[]): AsyncIterable<ReceivedPage> {
  yield { records: values.map((value) => madeHere(value)), cursor: undefined, nextCursor: null };
}
