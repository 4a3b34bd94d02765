import type { RowSignals } from '../pacing/run.ts';
import type { RowItem } from '../reading/rows.ts';
import type { RowEnd } from '../row-end.ts';

/** How the rows of a job are sent, each once over any number of runs. */
export interface Sender<T> {
  /** How the rows from `first` to `last` stand that were ever begun, by what is kept of earlier runs. */
  readonly earlier: (first: number, last: number) => Promise<ReadonlyMap<number, RowEnd>>;
  /** Whether a row that stands like this is to be sent, or sent again. */
  readonly takesUp: (end: RowEnd) => boolean;
  /** Whether a slice of the rows is left to this run; false where another machine is at it. */
  readonly lease: (slice: number) => Promise<boolean>;
  /** Sends it, once, and tells meanwhile what the others must hear of. */
  readonly send: (asked: RowItem<T>, row: number, signals: RowSignals) => Promise<RowEnd>;
}

/** A job whose rows are sent. */
export interface Sending {
  readonly job: string;
  /** --retry-failed. */
  readonly retry: boolean;
}

/** Whether a row that was begun before is left as it is by this run. */
export const hasEnd = async <T>({ earlier, takesUp }: Sender<T>, row: number): Promise<boolean> => {
  const end = (await earlier(row, row)).get(row);
  return end !== undefined && !takesUp(end);
};
