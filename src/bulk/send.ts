import type { BulkInput } from '../cli/bulk-options.ts';
import type { RowState } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { InputRow } from './cells.ts';
import { type BitSet, bitSet, type Counters, type CounterValues, openCounters } from './counters.ts';
import type { RowServices } from './kind.ts';
import { type Pace, type RowSignals, runRows, type Stopped } from './pace.ts';
import { type ReadingAhead, readAhead } from './read-ahead.ts';
import type { RowsFile } from './read-file.ts';
import { invalidEnd, type RowEnd, wasStopped } from './row-end.ts';
import type { RowItem, RowReader } from './rows.ts';

/** Sends the rows of a job, each once over any number of runs. */
export interface RowSender<T> {
  /** The stored results of the started rows from `first` to `last`. */
  readonly earlier: (first: number, last: number) => Promise<ReadonlyMap<number, RowEnd>>;
  /** True for a result after which the row is to be sent, or sent again. */
  readonly takesUp: (end: RowEnd) => boolean;
  /** Leases a slice of the rows for this run; resolves to false while another machine has it. */
  readonly lease: (slice: number) => Promise<boolean>;
  /** Returns what reads for a row ahead of its turn, and never rejects; undefined where `send` needs no such read. */
  readonly ahead?: () => ((asked: RowItem<T>, slowDown: RowSignals['slowDown']) => Promise<void>) | undefined;
  /** Sends a row once; signals the others meanwhile. */
  readonly send: (asked: RowItem<T>, row: number, signals: RowSignals) => Promise<RowEnd>;
}

/** The job whose rows are sent. */
export interface SendingJob {
  readonly job: string;
  /** --retry-failed. */
  readonly retry: boolean;
}

/** Resolves to true for a started row that this run leaves as it is. */
export const hasEnd = async <T>({ earlier, takesUp }: RowSender<T>, row: number): Promise<boolean> => {
  const end = (await earlier(row, row)).get(row);
  return end !== undefined && !takesUp(end);
};

/** Runs work with the same key one after the other: with --allow-repeats the order of the rows counts. */
export const keyQueue = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <R>(key: string, work: () => Promise<R>): Promise<R> => {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
};

/** `leave`: once aborted, the remaining rows are not reported any more. */
interface WorkOff<T>
  extends Pick<RowServices, 'clock' | 'random' | 'stop' | 'leave'>,
    Pick<BulkInput, 'concurrency' | 'rate' | 'continueOnUnknown' | 'allowRepeats'> {
  readonly input: Pick<RowsFile, 'rows'>;
  readonly reader: Pick<RowReader<T>, 'read'>;
  readonly sender: RowSender<T>;
  readonly rows: number;
  /** Rows to leave out. */
  readonly excluded: BitSet;
  /** Called once for each row with a result, in no particular order. */
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: CounterValues) => void;
  /** Called while another process is still sending some rows. */
  readonly onWaiting: (rows: number) => Promise<void>;
}

/** The totals of a run, and the reason why it stopped early. */
export interface WorkedOff extends Counters {
  readonly stopped?: Stopped;
}

/** Milliseconds after which a run renews its lease of a slice. */
const RENEW_MS = 20_000;
/** Milliseconds before the rows of another process are checked again; doubled each time. */
const LOOK_AGAIN_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** Errors after which the ledger can't be read any more. */
const UNREADABLE: readonly PayError['kind'][] = ['ledger', 'unrecorded'];

/** After this many unknown rows in a row, the service is at fault and not a row. */
const MOST_UNKNOWN = 3;

/**
 * Stops the run at a result that follows too many unknown ones. Only an answer proves that the service is available.
 */
const openDoubts = (goesOn: boolean) => {
  let inARow = 0;
  return (end: RowEnd): RowEnd => {
    if (end.kept !== undefined) return end;
    if (end.state === 'unknown') inARow += 1;
    else if (ANSWERED.includes(end.state)) inARow = 0;
    if (inARow < MOST_UNKNOWN || goesOn || end.stops !== undefined) return end;
    return { ...end, stops: new PayError('unknown', `the results of ${MOST_UNKNOWN} rows in a row are unknown`) };
  };
};
const ANSWERED: readonly RowState[] = ['accepted', 'rejected', 'failed'];

/** Converts usage errors: rows have been sent by now, so the run must not end with exit 2 (bad input, nothing done). */
const unreadable = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError)) throw thrown;
  if (thrown.kind !== 'usage') return thrown;
  return new PayError('read_failed', thrown.message, {
    hint: 'the ledger has every row that was sent: restore the file and run the same command again to continue; a changed file is a new job',
    cause: thrown,
  });
};

/** The number of rows to look up at a time, and to lease to one machine. */
const ROWS_IN_A_SLICE = 128;

interface Item<T> extends RowItem<T> {
  readonly row: InputRow;
  /** The stored end of the row. */
  readonly before: RowState | undefined;
}

/** A row that is settled in its turn without being sent: it is invalid, or has a stored result. */
interface Settled {
  readonly row: InputRow;
  readonly end: RowEnd;
  /** True for a result of this run. */
  readonly own: boolean;
  readonly before?: RowState | undefined;
}

/** A row without a result in this run, and its stored result. */
interface OpenRow {
  readonly row: InputRow;
  readonly end: RowEnd | undefined;
}

const sliceOf = (row: InputRow | undefined): number => Math.floor(((row?.number ?? 1) - 1) / ROWS_IN_A_SLICE);

const hasEarlierEnd = ({ untouched, state }: RowEnd): boolean => untouched !== true && state !== 'sending';

/**
 * Sends the rows of a file, each once over any number of runs and processes: the intent that `sender.send` writes
 * claims the row. Repeats until every row has a result, including those that another process is sending. Ends early
 * after a signal, or after a result that stops the run.
 */
export const workOff = async <T>(job: WorkOff<T>): Promise<WorkedOff> => {
  const { input, reader, sender, rows: all, excluded, clock, stop, onWaiting } = job;
  const { open, tally, settle, adjust } = openCounters(job);
  /** Skips rows that this run has already done. */
  const touched = bitSet();
  const inTurn = keyQueue();
  const doubted = openDoubts(job.continueOnUnknown);

  /** The rows without a result, a slice at a time, each with its stored result of earlier runs. */
  async function* openSlices(): AsyncGenerator<readonly OpenRow[]> {
    let batch: InputRow[] = [];
    const withEnds = async (): Promise<readonly OpenRow[]> => {
      const [first, last] = [batch[0]?.number ?? 0, batch.at(-1)?.number ?? 0];
      const ends = await sender.earlier(first, last);
      return batch.map((row) => ({ row, end: ends.get(row.number) }));
    };
    for await (const row of input.rows()) {
      if (!open.has(row.number)) continue;
      if (batch[0] !== undefined && sliceOf(batch[0]) !== sliceOf(row)) {
        yield await withEnds();
        batch = [];
      }
      batch.push(row);
    }
    if (batch.length > 0) yield await withEnds();
  }

  const isToDo = ({ row, end }: OpenRow): boolean =>
    end === undefined || (sender.takesUp(end) && !touched.has(row.number));

  /** Caches the lease of a slice; asks for it again after RENEW_MS. */
  const leaseOf = (slice: number) => {
    let asked = Number.NEGATIVE_INFINITY;
    let mine = false;
    return async (): Promise<boolean> => {
      if (clock.ticks() - asked < RENEW_MS) return mine;
      asked = clock.ticks();
      mine = await sender.lease(slice);
      return mine;
    };
  };

  /** The rows to send, and those to settle. Skips the rows of other processes. */
  async function* inOrder(): AsyncGenerator<Item<T> | Settled> {
    for await (const rows of openSlices()) {
      const isMine = leaseOf(sliceOf(rows[0]?.row));
      for (const one of rows) {
        const { row, end } = one;
        if (isToDo(one)) {
          if (!(await isMine())) continue;
          const read = reader.read(row);
          if ('faults' in read) yield { row, end: invalidEnd(read.faults), own: true, before: end?.state };
          else yield { row, before: end?.state, ...read };
        } else if (end !== undefined && end.state !== 'sending') yield { row, end, own: false };
      }
    }
  }

  /** The rows to send. Settles the others on the way. Nothing is read ahead for a key that an earlier row may change. */
  async function* toDo(pace: Pace): AsyncGenerator<Item<T>> {
    const ahead = job.allowRepeats ? undefined : sender.ahead?.();
    const read: ReadingAhead<Item<T> | Settled>['read'] = (next, slowDown) =>
      'end' in next ? undefined : ahead?.(next, slowDown);
    const rows = ahead === undefined ? inOrder() : readAhead({ rows: inOrder(), read, pace, clock });
    for await (const next of rows) {
      if ('end' in next) await settle(next.row, next.end, next.own, next.before);
      else yield next;
    }
  }

  /** An error that prevents reading or looking up rows ends the run, and hides no result of the run. */
  let broken: PayError | undefined;
  async function* whileReadable(pace: Pace): AsyncGenerator<Item<T>> {
    try {
      yield* toDo(pace);
    } catch (thrown) {
      broken = unreadable(thrown);
    }
  }

  const work = async (item: Item<T>, signals: RowSignals): Promise<RowEnd> => {
    const { number } = item.row;
    const end = doubted(await inTurn(item.key, () => sender.send(item, number, signals)));
    if (hasEarlierEnd(end)) touched.set(number);
    return end;
  };
  const onSettled = async ({ row, before }: Item<T>, end: RowEnd): Promise<void> => {
    if (hasEarlierEnd(end)) await settle(row, end, true, end.before ?? before);
  };

  /**
   * Reports the rows that a run did not reach before it ended early: their stored results, and the number that another
   * process is sending.
   */
  const tellRest = async (): Promise<number> => {
    let sending = 0;
    for await (const rows of openSlices()) {
      for (const { row, end } of rows) {
        if (job.leave.aborted) return sending;
        if (end?.state === 'sending') sending += 1;
        else if (end !== undefined && wasStopped(end)) adjust(undefined, end.state);
        else if (end !== undefined) await settle(row, end, false);
      }
    }
    return sending;
  };

  /** Rows that can't be read or looked up count as not started. */
  const endedBy = async (stopped: Stopped): Promise<WorkedOff> => {
    const canTell = stopped === 'signal' || (stopped !== broken && !UNREADABLE.includes(stopped.kind));
    const sending = canTell ? await tellRest().catch(() => 0) : 0;
    const told = tally();
    return { ...told, counts: { ...told.counts, sending }, stopped };
  };

  for (let row = 1; row <= all; row += 1) {
    if (excluded.has(row)) adjust('invalid', (await sender.earlier(row, row)).get(row)?.state);
  }
  for (let looks = 0; ; looks += 1) {
    const ran = await runRows({ ...job, rows: whileReadable, work, onSettled });
    const stopped = ran.stopped ?? broken;
    if (stopped !== undefined) return endedBy(stopped);
    if (open.count === 0) return tally();
    await onWaiting(open.count);
    await clock.sleep(Math.min(LONGEST_WAIT_MS, LOOK_AGAIN_MS * 2 ** looks), stop).catch(() => undefined);
    if (stop.aborted) return endedBy('signal');
  }
};
