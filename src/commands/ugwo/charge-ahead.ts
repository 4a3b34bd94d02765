import { passedSince } from '../../ledger/clock.ts';
import type { Moment } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Maximum age of a read when its row's turn comes, in milliseconds. The row repeats an older one. */
const FRESH_MS = 5000;

/** A read in progress, and the moment just before it. */
export interface StartedRead<R> {
  readonly since: Moment;
  readonly result: Promise<R>;
}

type Clocked = Pick<Ledger, 'moment'>;

/** Keeps reads that were begun ahead of their row's turn, each for one item. */
export const openReads = <T extends object, R>() => {
  const early = new WeakMap<T, StartedRead<R> & { isAnswered: boolean }>();
  const begin = (read: () => Promise<R>, ledger: Clocked): StartedRead<R> => ({
    since: ledger.moment(),
    result: read(),
  });
  return {
    /** Begins to read for an item. Resolves when the read has ended, also with an error. */
    begin: async (item: T, read: () => Promise<R>, ledger: Clocked): Promise<void> => {
      const begun = { ...begin(read, ledger), isAnswered: false };
      early.set(item, begun);
      await begun.result.catch(() => undefined);
      begun.isAnswered = true;
    },
    /** Returns the early read for an item, or a new one if there is none or it is too old. */
    take: (item: T, read: () => Promise<R>, ledger: Clocked): StartedRead<R> => {
      const begun = early.get(item);
      if (begun === undefined) return begin(read, ledger);
      return begun.isAnswered && passedSince(begun.since, ledger.moment()) > FRESH_MS ? begin(read, ledger) : begun;
    },
  };
};
