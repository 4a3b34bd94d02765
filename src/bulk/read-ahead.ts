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

/** Rows that wait for their turn, and the reads for them. */
class Ahead<R> {
  readonly #reading: ReadingAhead<R>;
  readonly #waiting: R[] = [];
  readonly #reads = new Set<Promise<void>>();
  readonly #change = openChange();
  #isWanted = false;
  #isOver = false;
  #isAtEnd = false;
  /** Average time between two rows, in milliseconds. */
  #spacing = 0;
  #passedOn: number;

  constructor(reading: ReadingAhead<R>) {
    this.#reading = reading;
    this.#passedOn = reading.clock.ticks();
  }

  async *rows(): AsyncGenerator<R> {
    const filling = this.#fill().finally(() => {
      this.#isAtEnd = true;
      this.#change.notify();
    });
    // Handled after the rows that were read before the error.
    filling.catch(() => undefined);
    try {
      for (let row = await this.#next(); row !== undefined; row = await this.#next()) yield row;
      await filling;
    } finally {
      this.#isOver = true;
      this.#change.notify();
      await filling.catch(() => undefined);
      await Promise.all(this.#reads);
    }
  }

  /** Resolves to undefined after the last row. */
  async #next(): Promise<R | undefined> {
    while (this.#waiting.length === 0 && !this.#isAtEnd) {
      this.#isWanted = true;
      this.#change.notify();
      await this.#change.changed();
    }
    if (this.#waiting.length === 0) return undefined;
    const now = this.#reading.clock.ticks();
    this.#spacing += (now - this.#passedOn - this.#spacing) / AVERAGED;
    this.#passedOn = now;
    const row = this.#waiting.shift();
    this.#change.notify();
    return row;
  }

  async #fill(): Promise<void> {
    for await (const row of this.#reading.rows) {
      if (this.#isDue()) this.#begin(row);
      this.#waiting.push(row);
      this.#isWanted = false;
      this.#change.notify();
      while (!this.#isWanted && !this.#isOver && !this.#isDue()) await this.#change.changed();
      if (this.#isOver) return;
    }
  }

  #isDue(): boolean {
    const { limit, reads } = this.#reading.pace;
    const isRoom = this.#waiting.length < limit && this.#reads.size < limit;
    // Half the time is left for a row that takes longer than the others.
    const isSoon = (this.#waiting.length + 1) * this.#spacing <= FRESH_MS / 2;
    return isRoom && isSoon && !this.#isOver && reads.wait() <= 0;
  }

  #begin(row: R): void {
    const { read, pace } = this.#reading;
    let start = 0;
    const reading = read(row, (ms) => pace.slowDown(start, ms));
    if (reading === undefined) return;
    start = pace.reads.start();
    this.#reads.add(reading);
    void reading.then(() => {
      this.#reads.delete(reading);
      this.#change.notify();
    });
  }
}

/**
 * Passes rows on in their order, and reads for the next ones while the earlier ones are sent. At most as many rows wait,
 * and as many reads run, as rows may be in flight, so memory stays constant. If rows are sent slowly, fewer wait: no
 * read gets too old before its row's turn. A row that is asked for never waits for its read: it comes with the read in
 * progress, or without one if the pace allows none.
 */
export const readAhead = <R>(reading: ReadingAhead<R>): AsyncGenerator<R> => new Ahead(reading).rows();

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
