import type { Pace, RowSignals } from './pace.ts';

export interface ReadingAhead<R> {
  /** The rows in their order. */
  readonly rows: AsyncIterable<R>;
  /**
   * Starts what a row needs before its turn; undefined where it needs nothing. Never rejects: an error belongs to the
   * row's turn.
   */
  readonly read: (row: R, slowDown: RowSignals['slowDown']) => Promise<void> | undefined;
  readonly pace: Pick<Pace, 'limit' | 'waitAhead' | 'startAhead' | 'slowDown'>;
}

/**
 * Passes rows on in their order, and reads for the next ones while the earlier ones are sent. As many rows wait, and as
 * many reads run, as rows may be in flight, so memory stays constant. A row that is asked for never waits for its read:
 * it comes with the read in progress, or without one where the pace allows none.
 */
export async function* readAhead<R>({ rows, read, pace }: ReadingAhead<R>): AsyncGenerator<R> {
  const waiting: R[] = [];
  const reads = new Set<Promise<void>>();
  let [isWanted, isOver, isAtEnd] = [false, false, false];
  let next = Promise.withResolvers<void>();
  const tell = (): void => {
    next.resolve();
    next = Promise.withResolvers();
  };

  const isDue = (): boolean =>
    waiting.length < pace.limit && reads.size < pace.limit && !isOver && pace.waitAhead() <= 0;
  const begin = (row: R): void => {
    let start = 0;
    const reading = read(row, (ms) => pace.slowDown(start, ms));
    if (reading === undefined) return;
    start = pace.startAhead();
    reads.add(reading);
    void reading.then(() => {
      reads.delete(reading);
      tell();
    });
  };
  const fill = async (): Promise<void> => {
    for await (const row of rows) {
      if (isDue()) begin(row);
      waiting.push(row);
      isWanted = false;
      tell();
      while (!isWanted && !isOver && !isDue()) await next.promise;
      if (isOver) return;
    }
  };

  const filling = fill().finally(() => {
    isAtEnd = true;
    tell();
  });
  // Handled after the rows that were read before the error.
  filling.catch(() => undefined);
  try {
    for (;;) {
      while (waiting.length === 0 && !isAtEnd) {
        isWanted = true;
        tell();
        await next.promise;
      }
      const [row] = waiting.splice(0, 1);
      if (row === undefined) break;
      tell();
      yield row;
    }
    await filling;
  } finally {
    isOver = true;
    tell();
    await filling.catch(() => undefined);
    await Promise.all(reads);
  }
}
