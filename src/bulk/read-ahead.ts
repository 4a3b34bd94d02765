import { openChange } from '../core/async.ts';
import type { Clock } from '../core/io.ts';
import { FRESH_MS, passedSince } from '../ledger/clock.ts';
import type { Moment } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Pace, RowSignals } from './pace.ts';

export interface ReadingAhead<R> {
  readonly rows: AsyncIterable<R>;
  /**
   * Starts what a row needs before its turn; undefined if it needs nothing. Never rejects: an error belongs to the
   * row's turn.
   */
  readonly read: (row: R, slowDown: RowSignals['slowDown']) => Promise<void> | undefined;
  readonly pace: Pick<Pace, 'limit' | 'reads' | 'slowDown'>;
  readonly clock: Pick<Clock, 'ticks'>;
}

/** Number of the last rows over which the time between two rows is averaged. */
const AVERAGED = 8;

/**
 * Passes rows on in their order, and reads for the next ones while the earlier ones are sent. At most as many rows wait,
 * and as many reads run, as rows may be in flight, so memory stays constant. If rows are sent slowly, fewer wait: no
 * read gets too old before its row's turn. A row that is asked for never waits for its read: it comes with the read in
 * progress, or without one if the pace allows none.
 */
export async function* readAhead<R>({ rows, read, pace, clock }: ReadingAhead<R>): AsyncGenerator<R> {
  const waiting: R[] = [];
  const reads = new Set<Promise<void>>();
  let [isWanted, isOver, isAtEnd] = [false, false, false];
  const { notify, changed } = openChange();

  /** Average time between two rows, in milliseconds. */
  let apart = 0;
  let passedOn = clock.ticks();
  const passOn = (): void => {
    const now = clock.ticks();
    apart += (now - passedOn - apart) / AVERAGED;
    passedOn = now;
  };

  const isDue = (): boolean =>
    waiting.length < pace.limit &&
    // Half the time is left for a row that takes longer than the others.
    (waiting.length + 1) * apart <= FRESH_MS / 2 &&
    reads.size < pace.limit &&
    !isOver &&
    pace.reads.wait() <= 0;
  const begin = (row: R): void => {
    let start = 0;
    const reading = read(row, (ms) => pace.slowDown(start, ms));
    if (reading === undefined) return;
    start = pace.reads.start();
    reads.add(reading);
    void reading.then(() => {
      reads.delete(reading);
      notify();
    });
  };
  const fill = async (): Promise<void> => {
    for await (const row of rows) {
      if (isDue()) begin(row);
      waiting.push(row);
      isWanted = false;
      notify();
      while (!isWanted && !isOver && !isDue()) await changed();
      if (isOver) return;
    }
  };

  const filling = fill().finally(() => {
    isAtEnd = true;
    notify();
  });
  // Handled after the rows that were read before the error.
  filling.catch(() => undefined);
  try {
    for (;;) {
      while (waiting.length === 0 && !isAtEnd) {
        isWanted = true;
        notify();
        await changed();
      }
      const [row] = waiting.splice(0, 1);
      if (row === undefined) break;
      passOn();
      notify();
      yield row;
    }
    await filling;
  } finally {
    isOver = true;
    notify();
    await filling.catch(() => undefined);
    await Promise.all(reads);
  }
}

/** A read in progress, and the moment just before it. */
interface StartedRead<R> {
  readonly since: Moment;
  readonly result: Promise<R>;
}

/** Keeps reads that were started ahead of their row's turn, each for one item. */
export const openReads = <T extends object, R>(ledger: Pick<Ledger, 'moment'>) => {
  const early = new WeakMap<T, StartedRead<R>>();
  const start = (read: () => Promise<R>): StartedRead<R> => ({ since: ledger.moment(), result: read() });
  return {
    /** Starts to read for an item. Resolves when the read has ended, also with an error. */
    start: async (item: T, read: () => Promise<R>): Promise<void> => {
      const started = start(read);
      early.set(item, started);
      await started.result.catch(() => undefined);
    },
    /** Returns the early read for an item once, or a new one if there is none or it is too old. */
    take: (item: T, read: () => Promise<R>): StartedRead<R> => {
      const started = early.get(item);
      early.delete(item);
      const isOld = started === undefined || passedSince(started.since, ledger.moment()) > FRESH_MS;
      return isOld ? start(read) : started;
    },
  };
};
