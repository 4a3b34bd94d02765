import type { BulkInput } from '../cli/bulk-options.ts';
import type { RowState } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Io, Signals } from '../core/io.ts';
import type { InputRow } from './cells.ts';
import { type BitSet, type Counters, type CounterValues, openCounters } from './counters.ts';
import type { RowItem, RowSender, RowWork } from './kind.ts';
import { type Pace, type RowSignals, runRows, type Stopped } from './pace.ts';
import { readAhead } from './read-ahead.ts';
import type { RowsFile } from './read-file.ts';
import { invalidEnd, type RowEnd, wasStopped } from './row-end.ts';
import type { ReadRow } from './rows.ts';

/** Walks over the rows of one file. */
interface Walker<T>
  extends Pick<Io, 'clock' | 'random'>,
    Signals,
    Pick<BulkInput, 'concurrency' | 'rate' | 'allowRepeats' | 'continueOnUnknown'> {
  readonly input: Pick<RowsFile, 'rows'>;
  /** Undefined if there is no ledger. */
  readonly sender: Pick<RowSender<T>, 'earlier' | 'takesUp' | 'lease' | 'openReadAhead'> | undefined;
}

/**
 * One walk. `plan` reads the file alone. `check` and `judge` work on the rows that are left to do;
 * `judge` also on those that another process is sending. `send` repeats until every row has a result.
 */
export interface RowWalk<T> {
  readonly mode: 'plan' | 'check' | 'judge' | 'send';
  readonly read: (row: InputRow) => ReadRow<T>;
  /** Undefined for `plan`, which only reads. */
  readonly work?: RowWork<T>;
  /** The number of rows, and those to leave out. */
  readonly rows: number;
  readonly bad: BitSet;
  /** Called once for each row with a result, in no particular order. */
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: CounterValues) => void;
  /** Called while another process is still sending some rows. */
  readonly onWaiting?: (rows: number) => Promise<void>;
}

/** The totals of a walk, and the reason why it stopped early. */
export interface RowsWalked extends Counters {
  readonly stopped?: Stopped | undefined;
}

/** Runs work with the same key one after the other: with --allow-repeats the order of the rows counts. */
const keyQueue = () => {
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

/** Milliseconds after which a run renews its lease of a slice. */
const RENEW_MS = 20_000;
/** Milliseconds before the rows of another process are checked again; doubled each time. */
const SENDING_RETRY_MS = 300;
const LONGEST_ROW_WAIT_MS = 5000;
/** Errors after which the ledger can't be read any more. */
const UNREADABLE: readonly PayError['kind'][] = ['ledger', 'unrecorded'];

/** After this many unknown rows in a row, the service is at fault and not a row. */
const MOST_UNKNOWN = 3;
/** States that prove that the service is available. */
const ANSWERED: readonly RowState[] = ['accepted', 'rejected', 'failed', 'expired'];

/** Stops the run at a result that follows too many unknown ones. */
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

/** Converts usage errors: rows have been sent by now, so the run must not end with exit 2 (bad input, nothing done). */
const unreadableRow = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError)) throw thrown;
  if (thrown.kind !== 'usage') return thrown;
  return new PayError('read_failed', thrown.message, {
    hint: 'the ledger has every row that was sent: restore the file and run the same command again to continue; a changed file is a new job',
    cause: thrown,
  });
};

/** The number of rows to look up at a time, and to lease to one machine. */
const ROWS_IN_A_SLICE = 128;

const sliceOf = ({ number }: InputRow): number => Math.floor((number - 1) / ROWS_IN_A_SLICE);

/** A row without a result in this run, and its stored result. */
interface OpenRow {
  readonly row: InputRow;
  readonly end: RowEnd | undefined;
}

interface WalkItem<T> extends RowItem<T> {
  readonly row: InputRow;
  /** State from an earlier run; undefined for a new row. */
  readonly before: RowState | undefined;
}

/** A row that is settled in its turn without any work: it is invalid, or has a stored result. */
interface Settled {
  readonly row: InputRow;
  readonly end: RowEnd;
  /** True for a result of this run. */
  readonly own: boolean;
  readonly before?: RowState | undefined;
}

/** One walk over the rows of a file, in their order. */
class Walking<T> {
  readonly #walker: Walker<T>;
  readonly #walk: RowWalk<T>;
  readonly #counters: ReturnType<typeof openCounters>;
  readonly #inTurn = keyQueue();
  readonly #doubted: ReturnType<typeof openDoubts>;
  readonly #ahead: ReturnType<NonNullable<RowSender<T>['openReadAhead']>>;
  /** An error that prevents reading or looking up rows ends the run, and hides no result of the run. */
  #broken: PayError | undefined;

  constructor(walker: Walker<T>, walk: RowWalk<T>) {
    this.#walker = walker;
    this.#walk = walk;
    this.#counters = openCounters(walk);
    this.#doubted = openDoubts(walker.continueOnUnknown);
    // Nothing is read ahead for a key that an earlier row may change.
    this.#ahead = walk.mode === 'send' && !walker.allowRepeats ? walker.sender?.openReadAhead?.() : undefined;
  }

  /** Settles every row that the file alone decides, and counts the others. */
  async plan(): Promise<RowsWalked> {
    for await (const _ of this.#settling(this.#inOrder())) {
      if (this.#walker.stop.aborted) return { ...this.#counters.tally(), stopped: 'signal' };
      this.#counters.pass();
    }
    return this.#counters.tally();
  }

  /** Works once on the rows that are left to do. */
  async work(): Promise<RowsWalked> {
    const { stopped } = await this.#run((pace) => this.#toDo(pace));
    return { ...this.#counters.tally(), stopped };
  }

  /**
   * Sends until every row has a result, including those that another process is sending. Each row is claimed by the
   * intent that its work writes, so that any number of runs and processes send it once.
   */
  async send(): Promise<RowsWalked> {
    const { clock, stop } = this.#walker;
    const { rows, bad, onWaiting } = this.#walk;
    await this.#countBad();
    for (let looks = 0; ; looks += 1) {
      const ran = await this.#run((pace) => this.#whileReadable(pace));
      const stopped = ran.stopped ?? this.#broken;
      if (stopped !== undefined) return this.#endedBy(stopped);
      const open = rows - bad.count - this.#counters.closed.count;
      if (open === 0) return this.#counters.tally();
      await onWaiting?.(open);
      await clock.sleep(Math.min(LONGEST_ROW_WAIT_MS, SENDING_RETRY_MS * 2 ** looks), stop).catch(() => undefined);
      if (stop.aborted) return this.#endedBy('signal');
    }
  }

  /** The entries of rows that became invalid since they were sent count as invalid. */
  async #countBad(): Promise<void> {
    const { rows, bad } = this.#walk;
    for (let row = 1; row <= rows; row += 1) {
      if (!bad.has(row)) continue;
      const earlier = await this.#walker.sender?.earlier(row, row);
      this.#counters.adjust('invalid', earlier?.get(row)?.state);
    }
  }

  #run(rows: (pace: Pace) => AsyncIterable<WalkItem<T>>): ReturnType<typeof runRows> {
    return runRows({
      ...this.#walker,
      rows,
      work: (item, signals) => this.#workOn(item, signals),
      onSettled: (item, end) => this.#settle(item, end),
    });
  }

  async #workOn(item: WalkItem<T>, signals: RowSignals): Promise<Partial<RowEnd>> {
    const end = await this.#inTurn(item.key, async () => this.#walk.work?.(item, item.row.number, signals));
    return end === undefined ? {} : this.#doubted(end);
  }

  /** A row that is as it was before, or that another process is sending, has no result yet. */
  async #settle({ row, before }: WalkItem<T>, { state, ...more }: Partial<RowEnd>): Promise<void> {
    if (state === undefined) return this.#counters.pass();
    if (more.untouched === true || state === 'sending') return;
    await this.#counters.settle(row, { ...more, state }, true, more.before ?? before);
  }

  async *#whileReadable(pace: Pace): AsyncGenerator<WalkItem<T>> {
    try {
      yield* this.#toDo(pace);
    } catch (thrown) {
      this.#broken = unreadableRow(thrown);
    }
  }

  #toDo(pace: Pace): AsyncIterable<WalkItem<T>> {
    const ahead = this.#ahead;
    if (ahead === undefined) return this.#settling(this.#inOrder());
    const begin = (next: WalkItem<T> | Settled, slowDown: RowSignals['slowDown']): Promise<void> | undefined =>
      'end' in next ? undefined : ahead(next, slowDown);
    return this.#settling(readAhead({ rows: this.#inOrder(), read: begin, pace, clock: this.#walker.clock }));
  }

  /** Passes on the rows to work on, and settles the others on the way. */
  async *#settling(all: AsyncIterable<WalkItem<T> | Settled>): AsyncGenerator<WalkItem<T>> {
    for await (const next of all) {
      if ('end' in next) await this.#counters.settle(next.row, next.end, next.own, next.before);
      else yield next;
    }
  }

  /** The rows to work on, and those to settle. Skips the rows of other processes. */
  async *#inOrder(): AsyncGenerator<WalkItem<T> | Settled> {
    for await (const slice of this.#openSlices()) {
      const isMine = this.#leaseOf(slice[0] === undefined ? 0 : sliceOf(slice[0].row));
      for (const { row, end } of slice) {
        if (!this.#isToDo(end)) {
          if (end !== undefined && end.state !== 'sending') yield { row, end, own: false };
        } else if (this.#walk.mode !== 'send' || (await isMine())) {
          yield this.#read(row, end?.state);
        }
      }
    }
  }

  #read(row: InputRow, before: RowState | undefined): WalkItem<T> | Settled {
    const asked = this.#walk.read(row);
    if ('faults' in asked) return { row, end: invalidEnd(asked.faults), own: true, before };
    return { row, before, ...asked };
  }

  #isToDo(end: RowEnd | undefined): boolean {
    if (end === undefined || this.#walker.sender?.takesUp(end) === true) return true;
    return this.#walk.mode === 'judge' && end.state === 'sending';
  }

  /** Caches the lease of a slice; asks for it again after RENEW_MS. */
  #leaseOf(slice: number): () => Promise<boolean> {
    const { clock, sender } = this.#walker;
    let asked = Number.NEGATIVE_INFINITY;
    let mine = true;
    return async () => {
      if (clock.ticks() - asked < RENEW_MS) return mine;
      asked = clock.ticks();
      mine = (await sender?.lease(slice)) ?? true;
      return mine;
    };
  }

  /** The rows without a result, a slice at a time, each with its stored result of earlier runs. */
  async *#openSlices(): AsyncGenerator<readonly OpenRow[]> {
    let slice: InputRow[] = [];
    for await (const row of this.#walker.input.rows()) {
      if (this.#walk.bad.has(row.number) || this.#counters.closed.has(row.number)) continue;
      if (slice[0] !== undefined && sliceOf(slice[0]) !== sliceOf(row)) {
        yield await this.#withEnds(slice);
        slice = [];
      }
      slice.push(row);
    }
    if (slice.length > 0) yield await this.#withEnds(slice);
  }

  async #withEnds(slice: readonly InputRow[]): Promise<readonly OpenRow[]> {
    const [first, last] = [slice[0]?.number ?? 0, slice.at(-1)?.number ?? 0];
    const ends = this.#walk.mode === 'plan' ? undefined : await this.#walker.sender?.earlier(first, last);
    return slice.map((row) => ({ row, end: ends?.get(row.number) }));
  }

  /** Rows that can't be read or looked up count as not started. */
  async #endedBy(stopped: Stopped): Promise<RowsWalked> {
    const isReadable = stopped === 'signal' || (stopped !== this.#broken && !UNREADABLE.includes(stopped.kind));
    const sending = isReadable ? await this.#settleRest().catch(() => 0) : 0;
    const counted = this.#counters.tally();
    return { ...counted, counts: { ...counted.counts, sending }, stopped };
  }

  /**
   * Reports the rows that a run did not reach before it ended early: their stored results, and the number that another
   * process is sending.
   */
  async #settleRest(): Promise<number> {
    let sending = 0;
    for await (const slice of this.#openSlices()) {
      for (const { row, end } of slice) {
        if (this.#walker.leave.aborted) return sending;
        if (end?.state === 'sending') sending += 1;
        else if (end !== undefined && wasStopped(end)) this.#counters.adjust(undefined, end.state);
        else if (end !== undefined) await this.#counters.settle(row, end, false);
      }
    }
    return sending;
  }
}

/**
 * Walks over the rows of a file in their order and works on those that are left to do, as many at once as the pace
 * allows. Stored results of earlier runs are settled in their turn. Ends early after a signal, or after a result that
 * stops the run.
 */
export const walkRows = async <T>(walker: Walker<T>, walk: RowWalk<T>): Promise<RowsWalked> => {
  const walking = new Walking(walker, walk);
  if (walk.mode === 'plan') return walking.plan();
  return walk.mode === 'send' ? walking.send() : walking.work();
};
