import type { BulkInput } from '../cli/bulk-options.ts';
import { PayError } from '../core/error.ts';
import type { RowState } from '../core/row.ts';
import type { InputRow } from './cells.ts';
import { type BitSet, bitSet, type Counters, type CounterValues, openCounters } from './counters.ts';
import { type RowSignals, runRows, type Stopped } from './pace.ts';
import type { RowsFile } from './read-file.ts';
import { invalidEnd, type RowEnd, wasStopped } from './row-end.ts';
import type { RowItem, RowReader } from './rows.ts';
import type { RowServices } from './world.ts';

/** How the rows of a job are sent, each once over any number of runs. */
export interface RowSender<T> {
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
export interface SendingJob {
  readonly job: string;
  /** --retry-failed. */
  readonly retry: boolean;
}

/** Whether a row that was begun before is left as it is by this run. */
export const hasEnd = async <T>({ earlier, takesUp }: RowSender<T>, row: number): Promise<boolean> => {
  const end = (await earlier(row, row)).get(row);
  return end !== undefined && !takesUp(end);
};

/** Lets what is about the same thing wait for what was begun before it: with --allow-repeats its order counts. */
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

/** `leave`: what is left to tell is left untold. */
export interface WorkOff<T>
  extends Pick<RowServices, 'clock' | 'random' | 'stop' | 'leave'>,
    Pick<BulkInput, 'concurrency' | 'rate' | 'continueOnUnknown'> {
  readonly input: Pick<RowsFile, 'rows'>;
  readonly reader: Pick<RowReader<T>, 'read'>;
  readonly sender: RowSender<T>;
  readonly rows: number;
  /** Rows that are left out. */
  readonly excluded: BitSet;
  /** Called once for each row that has an end, in no order. */
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: CounterValues) => void;
  /** Rows are left that another process is sending. */
  readonly onWaiting: (rows: number) => Promise<void>;
}

/** How far it is in the end. */
export interface WorkedOff extends Counters {
  readonly stopped?: Stopped;
}

/** So often what is left to this run is asked for again while it is at it, in milliseconds. */
const RENEW_MS = 20_000;
/** How long to wait for rows that another process is sending before they are looked at again: each time longer. */
const LOOK_AGAIN_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** After these nothing more can be asked of the ledger. */
const UNREADABLE: readonly PayError['kind'][] = ['ledger', 'unrecorded'];

/** After so many unknown rows in a row it is the service that is at fault, and not a row. */
const MOST_UNKNOWN = 3;

/** Adds to an end that the run stops, where too many before it were unknown, too. Only an answer says that the service is there. */
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

/** Rows were sent by now, so that it is no longer the input that is at fault with nothing done (exit 2). */
const unreadable = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError)) throw thrown;
  if (thrown.kind !== 'usage') return thrown;
  return new PayError('read_failed', thrown.message, {
    hint: 'the ledger has every row that was sent: restore the file and run the same command again to continue; a changed file is a new job',
    cause: thrown,
  });
};

/** So many rows are looked up, and left to one machine, at a time. */
const ROWS_IN_A_SLICE = 128;

interface Item<T> extends RowItem<T> {
  readonly row: InputRow;
  /** How it stands by what is kept. */
  readonly before: RowState | undefined;
}

/** A row without an end, and how it stands by what is kept. */
interface OpenRow {
  readonly row: InputRow;
  readonly end: RowEnd | undefined;
}

const sliceOf = (row: InputRow | undefined): number => Math.floor(((row?.number ?? 1) - 1) / ROWS_IN_A_SLICE);

const hasEarlierEnd = ({ untouched, state }: RowEnd): boolean => untouched !== true && state !== 'sending';

/**
 * Works off the rows of a file, each of them once over any number of runs and processes: a row is claimed by the intent that
 * `sender.send` writes. Goes over the file until every row has an end, those included that another process is sending; ends
 * before that after a signal, or after an end that stops.
 */
export const workOff = async <T>(job: WorkOff<T>): Promise<WorkedOff> => {
  const { input, reader, sender, rows: all, excluded, clock, stop, onWaiting } = job;
  const { open, tally, settle, adjust } = openCounters(job);
  /** What this run has done is not done again by it. */
  const touched = bitSet();
  const inTurn = keyQueue();
  const doubted = openDoubts(job.continueOnUnknown);

  /** The rows without an end, a slice at a time, each with how it stands by what is kept of earlier runs. */
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

  /** Whether a slice is left to this run, asked again when that was long ago. */
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

  /** Rows to be sent; those that have an end already are settled on the way, those in other hands are passed over. */
  async function* toDo(): AsyncGenerator<Item<T>> {
    for await (const rows of openSlices()) {
      const isMine = leaseOf(sliceOf(rows[0]?.row));
      for (const one of rows) {
        const { row, end } = one;
        if (isToDo(one)) {
          if (!(await isMine())) continue;
          const read = reader.read(row);
          if ('faults' in read) await settle(row, invalidEnd(read.faults), true, end?.state);
          else yield { row, before: end?.state, ...read };
        } else if (end !== undefined && end.state !== 'sending') await settle(row, end, false);
      }
    }
  }

  /** What keeps rows from being read, or looked up, ends the run, and hides nothing of what the run has done. */
  let broken: PayError | undefined;
  async function* whileReadable(): AsyncGenerator<Item<T>> {
    try {
      yield* toDo();
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
    if (hasEarlierEnd(end)) await settle(row, end, true, before);
  };

  /** A run that ends early tells of the rows that it did not come to, too: what became of them before, or who is at them now. */
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

  /** What can't be read, or looked up, is left as not started. */
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
    const ran = await runRows({ ...job, rows: whileReadable(), work, onSettled });
    const stopped = ran.stopped ?? broken;
    if (stopped !== undefined) return endedBy(stopped);
    if (open.count === 0) return tally();
    await onWaiting(open.count);
    await clock.sleep(Math.min(LONGEST_WAIT_MS, LOOK_AGAIN_MS * 2 ** looks), stop).catch(() => undefined);
    if (stop.aborted) return endedBy('signal');
  }
};
