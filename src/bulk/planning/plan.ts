import { interrupted } from '../../core/interrupt.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import type { RowFault } from '../reading/fault.ts';
import type { Input, InputRow } from '../reading/input.ts';
import type { Reader, ReadRow } from '../trade.ts';
import type { Bits } from './bits.ts';
import { newBits } from './bits.ts';

/** What a file holds, read once from its first row to its last (charge-protocol, Bulk). */
export interface Plan {
  readonly rows: number;
  /** The rows that can't be sent as they stand. */
  readonly bad: Bits;
  /** The first things that are wrong. */
  readonly faults: readonly RowFault[];
}

/** Remembers which keys were seen, and in which row first. */
export interface Seen {
  firstAt(key: string, row: number): number | undefined;
}

export interface Planning<T> {
  readonly input: Input;
  readonly reader: Reader<T>;
  /** undefined: the same key may stand in several rows. */
  readonly seen: Seen | undefined;
  /** Whether a row needs no sending any more; undefined where nothing is to be sent. */
  readonly hasEnd: ((row: number) => Promise<boolean>) | undefined;
  /** Called for each row that can't be sent. */
  readonly onBad: (row: InputRow, faults: readonly ColumnFault[]) => Promise<void>;
  /** So many rows were read. */
  readonly tell: (done: number) => void;
  readonly stop: AbortSignal;
}

/** More faults than these are not read, on a screen. */
const MOST_FAULTS = 20;

/** Collects what is wrong with rows, beside what was found before. */
export const faultList = ({ bad, faults: before }: Pick<Plan, 'bad' | 'faults'> = { bad: newBits(), faults: [] }) => {
  const faults = [...before];
  return {
    bad,
    faults,
    add: (row: number, found: readonly ColumnFault[]): void => {
      bad.set(row);
      for (const { column, what } of found) if (faults.length < MOST_FAULTS) faults.push({ row, column, what });
    },
  };
};

const judge = <T>({ reader, seen }: Planning<T>, row: InputRow): ReadRow<T> => {
  const read = reader.read(row);
  if ('faults' in read) return read;
  const breaches = reader.breaches(read.item);
  if (breaches.length > 0) return { faults: breaches };
  const first = seen?.firstAt(reader.keyOf(read.item), row.number);
  if (first === undefined) return read;
  return { faults: [{ column: reader.keyColumn, what: `duplicate of row ${first} (allow with --allow-repeats)` }] };
};

/** Reads the whole file and checks every row; nothing is sent. */
export const planRows = async <T>(planning: Planning<T>): Promise<Plan> => {
  const { input, reader, hasEnd, onBad, tell, stop } = planning;
  const { bad, faults, add } = faultList();
  let rows = 0;
  for await (const row of input.rows()) {
    if (stop.aborted) throw interrupted(stop.reason);
    rows = row.number;
    const judged = judge(planning, row);
    if ('item' in judged) reader.onGood?.(judged.item);
    // A row that was sent may not be right any more: its time has passed.
    else if ((await hasEnd?.(row.number)) !== true) {
      add(row.number, judged.faults);
      await onBad(row, judged.faults);
    }
    tell(rows);
  }
  return { rows, bad, faults };
};
