import { PayError } from '../../core/error.ts';
import type { Clock } from '../../core/io.ts';
import type { Rate } from '../../core/rate.ts';
import { wasStopped } from '../../core/row.ts';
import type { Settled, Worked } from '../../core/row-end.ts';
import type { Stopped } from '../pacing/halt.ts';
import { turns } from '../pacing/key-queue.ts';
import type { Tower } from '../pacing/run.ts';
import { runRows } from '../pacing/run.ts';
import type { Bits } from '../planning/bits.ts';
import { newBits } from '../planning/bits.ts';
import type { Input, InputRow } from '../reading/input.ts';
import { faultsText } from '../reporting/reporter.ts';
import type { Reader, Worker } from '../trade.ts';
import type { Standing, Told } from './tally.ts';
import { openTally } from './tally.ts';

export interface WorkOff<T> {
  readonly input: Input;
  readonly reader: Reader<T>;
  readonly worker: Worker<T>;
  readonly rows: number;
  /** Rows that are left out. */
  readonly excluded: Bits;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  readonly random: () => number;
  readonly stop: AbortSignal;
  /** The second signal: what is left to tell is left untold. */
  readonly leave: AbortSignal;
  /** Called once for each row that has an end, in no order. */
  readonly onSettled: (row: InputRow, settled: Settled) => Promise<void>;
  readonly tell: (standing: Standing) => void;
  /** Rows are left that another process is sending. */
  readonly onWaiting: (rows: number) => Promise<void>;
}

/** How far it is in the end. */
export interface WorkedOff extends Standing, Told {
  readonly stopped?: Stopped;
}

/** So many rows are asked about at a time. */
const BATCH = 200;
/** How long to wait for rows that another process is sending before they are looked at again: each time longer. */
const LOOK_AGAIN_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** After these nothing more can be asked of the ledger, or of the file. */
const UNREADABLE: readonly PayError['kind'][] = ['ledger', 'unrecorded', 'read_failed'];

async function* batchesOf(rows: AsyncIterable<InputRow>, wanted: Bits): AsyncGenerator<InputRow[]> {
  let batch: InputRow[] = [];
  for await (const row of rows) {
    if (!wanted.has(row.number)) continue;
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Rows were sent by now, so that it is no longer the input that is at fault with nothing done (exit 2). */
const unreadable = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError)) throw thrown;
  if (thrown.kind !== 'usage') return thrown;
  return new PayError('read_failed', thrown.message, {
    hint: 'the ledger has every row that was sent: restore the file and run the same command again to continue; a changed file is a new job',
    cause: thrown,
  });
};

interface Item<T> {
  readonly row: InputRow;
  readonly item: T;
}

/**
 * Works off the rows of a file, each of them once over any number of runs and processes: a row is claimed by the intent that
 * `worker.work` writes. Goes over the file until every row has an end, those included that another process is sending; ends
 * before that after a signal, or after a verdict that stops.
 */
export const workOff = async <T>(job: WorkOff<T>): Promise<WorkedOff> => {
  const { input, reader, worker, clock, stop, onWaiting } = job;
  const { open, counts, told, standing, settle } = openTally(job);
  /** What this run has done is not done again by it. */
  const touched = newBits();
  const inTurn = turns();

  const isLeft = (end: Settled | undefined, row: number): boolean =>
    end === undefined || (worker.takesUp(end) && !touched.has(row));

  /** Rows to be sent; those that have an end already are settled on the way, those in other hands are passed over. */
  async function* toDo(): AsyncGenerator<Item<T>> {
    for await (const batch of batchesOf(input.rows(), open)) {
      const earlier = await worker.earlier(batch[0]?.number ?? 0, batch.at(-1)?.number ?? 0);
      for (const row of batch) {
        const end = earlier.get(row.number);
        if (end !== undefined && !isLeft(end, row.number)) {
          if (end.state !== 'sending') await settle(row, end, false);
          continue;
        }
        const read = reader.read(row);
        if ('item' in read) yield { row, item: read.item };
        else await settle(row, { state: 'invalid', fields: {}, error: faultsText(read.faults) }, true);
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

  const hasEnd = ({ untouched, state }: Worked): boolean => untouched !== true && state !== 'sending';
  const work = async ({ row, item }: Item<T>, tower: Tower): Promise<Worked> => {
    const worked = await inTurn(reader.keyOf(item), () => worker.work(item, row.number, tower));
    if (hasEnd(worked)) touched.set(row.number);
    return worked;
  };
  const onSettled = async ({ row }: Item<T>, worked: Worked): Promise<void> => {
    if (hasEnd(worked)) await settle(row, worked, true);
  };

  /** A run that ends early tells of the rows that it did not come to, too: what became of them before, or who is at them now. */
  const tellRest = async (): Promise<number> => {
    let sending = 0;
    for await (const batch of batchesOf(input.rows(), open)) {
      const earlier = await worker.earlier(batch[0]?.number ?? 0, batch.at(-1)?.number ?? 0);
      for (const row of batch) {
        if (job.leave.aborted) return sending;
        const end = earlier.get(row.number);
        if (end?.state === 'sending') sending += 1;
        else if (end !== undefined && !wasStopped(end)) await settle(row, end, false);
      }
    }
    return sending;
  };

  /** What can't be read, or looked up, is left as not started. */
  const endedBy = async (stopped: Stopped): Promise<WorkedOff> => {
    const canTell = stopped === 'signal' || !UNREADABLE.includes(stopped.kind);
    const sending = canTell ? await tellRest().catch(() => 0) : 0;
    return { ...standing(), counts: { ...counts, sending }, ...told(), stopped };
  };

  for (let looks = 0; ; looks += 1) {
    const ran = await runRows({ ...job, rows: whileReadable(), work, onSettled });
    const stopped = ran.stopped ?? broken;
    if (stopped !== undefined) return endedBy(stopped);
    if (open.count === 0) return { ...standing(), ...told() };
    await onWaiting(open.count);
    await clock.sleep(Math.min(LONGEST_WAIT_MS, LOOK_AGAIN_MS * 2 ** looks), stop).catch(() => undefined);
    if (stop.aborted) return endedBy('signal');
  }
};
