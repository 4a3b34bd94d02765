import type { BulkInput } from '../../cli/bulk-options.ts';
import { PayError } from '../../core/error.ts';
import { interrupted } from '../../core/interrupt.ts';
import type { RowKind } from '../kind.ts';
import { type RowSignals, runRows } from '../pacing/run.ts';
import type { Input } from '../reading/input.ts';
import type { InputRow } from '../reading/row.ts';
import type { ReadRow, RowReader } from '../reading/rows.ts';
import type { ColumnFault } from '../row-end.ts';
import type { JobWorld, Seen } from '../world.ts';
import { type Bits, newBits } from './bits.ts';

/** What is wrong with a file, and in which of its rows: the first one is 1. */
interface RowFault extends ColumnFault {
  readonly row: number;
}

/** What a file holds, read once from its first row to its last (charge-protocol, Bulk). */
export interface Plan {
  readonly rows: number;
  /** The rows that can't be sent as they stand. */
  readonly bad: Bits;
  /** The first things that are wrong. */
  readonly faults: readonly RowFault[];
  /** How many rows the question before the first one counts as what. */
  readonly counts: ReadonlyMap<string, number>;
  /** What they come to, by currency, in the minor unit. */
  readonly sums: ReadonlyMap<string, bigint>;
}

export interface Planning<T> {
  readonly kind: Pick<RowKind<T>, 'key' | 'counts' | 'money' | 'check'>;
  readonly input: Pick<Input, 'rows'>;
  readonly reader: RowReader<T>;
  /** undefined: the same key may stand in several rows. */
  readonly seen: Seen | undefined;
  /** Whether a row needs no sending any more. */
  readonly hasEnd: (row: number) => Promise<boolean>;
  /** Called for each row that can't be sent; undefined where nobody wants to know. */
  readonly onBad: ((row: InputRow, faults: readonly ColumnFault[]) => Promise<void>) | undefined;
  readonly stop: AbortSignal;
}

/** More faults than these are not read, on a screen. */
const MOST_FAULTS = 20;

/** Notes what is wrong with a row, beside what was found before. */
const addTo = (faults: RowFault[], bad: Bits, row: number, found: readonly ColumnFault[]): void => {
  bad.set(row);
  for (const { column, what } of found) if (faults.length < MOST_FAULTS) faults.push({ row, column, what });
};

const judge = <T>({ kind, reader, seen }: Planning<T>, row: InputRow): ReadRow<T> => {
  const judged = reader.judge(row);
  const first = 'faults' in judged ? undefined : seen?.firstAt(judged.key, row.number);
  if (first === undefined) return judged;
  return { faults: [{ column: kind.key.name, what: `duplicate of row ${first} (allow with --allow-repeats)` }] };
};

async function* rowsIn<T>({ input, stop }: Planning<T>): AsyncGenerator<InputRow> {
  for await (const row of input.rows()) {
    if (stop.aborted) throw interrupted(stop.reason);
    yield row;
  }
}

/** Goes over the file again: what can't be read to its end must not leave a part of a report, which looks like a whole one. */
const tellBad = async <T>(planning: Planning<T>, bad: Bits): Promise<void> => {
  const { onBad } = planning;
  if (onBad === undefined || bad.count === 0) return;
  for await (const row of rowsIn(planning)) {
    const judged = bad.has(row.number) ? judge(planning, row) : undefined;
    if (judged !== undefined && 'faults' in judged) await onBad(row, judged.faults);
  }
};

/** Reads the whole file and judges every row; nothing is sent. `tell` is told how many were read. */
export const planRows = async <T>(planning: Planning<T>, tell: (done: number) => void): Promise<Plan> => {
  const { kind, hasEnd } = planning;
  const [faults, bad, counts]: [RowFault[], Bits, Map<string, number>] = [[], newBits(), new Map()];
  const sums = new Map<string, bigint>();
  let rows = 0;
  for await (const row of rowsIn(planning)) {
    rows = row.number;
    const judged = judge(planning, row);
    if (!('faults' in judged)) {
      for (const name of kind.counts(judged.item)) counts.set(name, (counts.get(name) ?? 0) + 1);
      const money = kind.money?.(judged.item);
      if (money !== undefined) sums.set(money.currency, (sums.get(money.currency) ?? 0n) + BigInt(money.minor));
    } else if (!(await hasEnd(row.number))) {
      // A row that was sent may not be right any more: its time has passed.
      addTo(faults, bad, row.number, judged.faults);
    }
    tell(rows);
  }
  await tellBad(planning, bad);
  return { rows, bad, faults, counts, sums };
};

export interface Checking extends Pick<JobWorld, 'clock' | 'random'>, Pick<BulkInput, 'concurrency' | 'rate'> {
  readonly tell: (done: number, total: number) => void;
}

/** What the service has against what a row is about; a no to the read is one. */
const faultsAt = async <T>(
  { key, check }: Planning<T>['kind'],
  about: string,
  slowDown: RowSignals['slowDown'],
): Promise<readonly ColumnFault[]> => {
  try {
    return ((await check?.(about, slowDown)) ?? []).map((what) => ({ column: key.name, what }));
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind !== 'rejected') throw thrown;
    return [{ column: key.name, what: thrown.message }];
  }
};

/**
 * Looks at what each row that is still to be sent is about, before anything is sent (--check). Nothing is asked before all of
 * the file is right, so the file is gone over again; of each row its key alone is read.
 */
export const checkRows = async <T>(planning: Planning<T>, plan: Plan, checking: Checking): Promise<Plan> => {
  const { kind, input, reader, hasEnd, onBad, stop } = planning;
  const faults = [...plan.faults];
  let done = 0;
  async function* toCheck(): AsyncGenerator<InputRow> {
    for await (const row of input.rows()) {
      if (!plan.bad.has(row.number) && !(await hasEnd(row.number))) yield row;
    }
  }
  const work = async (row: InputRow, { slowDown }: RowSignals) => {
    const found = await faultsAt(kind, reader.keyOf(row), slowDown);
    if (found.length > 0) {
      addTo(faults, plan.bad, row.number, found);
      await onBad?.(row, found);
    }
    return {};
  };
  const onSettled = (): void => {
    done += 1;
    checking.tell(done, plan.rows);
  };
  const ran = await runRows({ ...checking, rows: toCheck(), work, stop, onSettled });
  if (ran.stopped !== undefined) throw interrupted(stop.reason);
  return { ...plan, faults };
};
