import { interrupted } from '../../core/interrupt.ts';
import type { Clock } from '../../core/io.ts';
import type { Rate } from '../../core/rate.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import { runRows } from '../pacing/run.ts';
import type { Input, InputRow } from '../reading/input.ts';
import type { Reader, Worker } from '../trade.ts';
import type { Plan } from './plan.ts';
import { faultList } from './plan.ts';

export interface Check<T> {
  readonly input: Input;
  readonly reader: Reader<T>;
  /** Knows which rows have an end already; undefined where nothing is to be sent. */
  readonly worker: Worker<T> | undefined;
  /** What was found before; rows that are bad already are not looked at, and more become bad. */
  readonly plan: Plan;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  readonly random: () => number;
  readonly stop: AbortSignal;
  readonly onBad: (row: InputRow, faults: readonly ColumnFault[]) => Promise<void>;
  readonly tell: (done: number, total: number) => void;
}

/** Whether a row that was begun before is left as it is by this run. */
export const hasEnd = async <T>({ earlier, takesUp }: Worker<T>, row: number): Promise<boolean> => {
  const end = (await earlier(row, row)).get(row);
  return end !== undefined && !takesUp(end);
};

/** Looks at what each row that is still to be sent is about, before anything is sent (--check). */
export const checkRows = async <T>(check: Check<T>): Promise<Plan> => {
  const { input, reader, worker, plan, stop, onBad, tell } = check;
  const { faults, add } = faultList(plan);
  let done = 0;
  async function* toCheck(): AsyncGenerator<{ readonly row: InputRow; readonly item: T }> {
    for await (const row of input.rows()) {
      if (plan.bad.has(row.number)) continue;
      if (worker !== undefined && (await hasEnd(worker, row.number))) continue;
      const read = reader.read(row);
      if ('item' in read) yield { row, item: read.item };
    }
  }
  const ran = await runRows({
    ...check,
    rows: toCheck(),
    work: async ({ row, item }) => {
      const found = await reader.check(item);
      if (found.length > 0) {
        add(row.number, found);
        await onBad(row, found);
      }
      return { state: 'checked' };
    },
    onSettled: () => {
      done += 1;
      tell(done, plan.rows);
    },
  });
  if (ran.stopped !== undefined) throw interrupted(stop.reason);
  return { ...plan, faults };
};
