import { FRESH_MS, passedSince } from '../../ledger/clock.ts';
import type { Moment } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** A read in progress, and the moment just before it. */
export interface StartedRead<R> {
  readonly since: Moment;
  readonly result: Promise<R>;
}

type Clocked = Pick<Ledger, 'moment'>;

/** Keeps reads that were begun ahead of their row's turn, each for one item. */
export const openReads = <T extends object, R>() => {
  const early = new WeakMap<T, StartedRead<R>>();
  const begin = (read: () => Promise<R>, ledger: Clocked): StartedRead<R> => ({
    since: ledger.moment(),
    result: read(),
  });
  return {
    /** Begins to read for an item. Resolves when the read has ended, also with an error. */
    begin: async (item: T, read: () => Promise<R>, ledger: Clocked): Promise<void> => {
      const reading = begin(read, ledger);
      early.set(item, reading);
      await reading.result.catch(() => undefined);
    },
    /** Returns the early read for an item once, or a new one if there is none or it is too old. */
    take: (item: T, read: () => Promise<R>, ledger: Clocked): StartedRead<R> => {
      const reading = early.get(item);
      early.delete(item);
      const isOld = reading === undefined || passedSince(reading.since, ledger.moment()) > FRESH_MS;
      return isOld ? begin(read, ledger) : reading;
    },
  };
};
