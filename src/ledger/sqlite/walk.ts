import { turn } from '../../core/breath.ts';
import type { Row } from '../columns.ts';
import type { Entry } from '../entry.ts';
import type { Taker } from '../walk.ts';

const AT_ONCE = 500;

/** The next ones, as many as make a step. */
const someOf = (rows: Iterator<Row, void>): Row[] => {
  const some: Row[] = [];
  while (some.length < AT_ONCE) {
    const next = rows.next();
    if (next.done === true) break;
    some.push(next.value);
  }
  return some;
};

/**
 * One statement sees the file as it was when it began, so only its beginning may find the file locked, and be tried again.
 * Between two steps a signal is heard.
 */
export const walkBy = async <T>(
  rows: () => Generator<Row, void>,
  entriesOf: (rows: readonly Row[]) => readonly Entry[],
  begin: () => Taker<T>,
  read: <R>(work: () => R) => Promise<R>,
  asError: (thrown: unknown) => unknown,
): Promise<T> => {
  const taker = begin();
  const { walk, first } = await read(() => {
    const begun = rows();
    return { walk: begun, first: someOf(begun) };
  });
  try {
    for (let some = first; ; some = someOf(walk)) {
      taker.take(entriesOf(some));
      if (some.length < AT_ONCE) return taker.end();
      await turn();
    }
  } catch (thrown) {
    throw asError(thrown);
  } finally {
    walk.return();
  }
};
