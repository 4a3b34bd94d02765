import type { PayError } from '../../core/error.ts';
import type { RowCounts, RowState } from '../../core/row.ts';
import { type Bits, newBits } from '../planning/bits.ts';
import type { InputRow } from '../reading/row.ts';
import type { RowEnd } from '../row-end.ts';
import { rowExit } from '../row-exit.ts';

/** How far the rows of a file are. */
export interface Counted {
  readonly counts: RowCounts;
  /** Rows that have an end. */
  readonly done: number;
  /** Those of them that had it without this run. */
  readonly skipped: number;
}

/** What is to be told of rows in the end. */
export interface Tally extends Counted {
  /** The exit codes that they stand for. */
  readonly codes: ReadonlySet<number>;
  /** The first rows of this run that are no success, and why. */
  readonly troubles: readonly { readonly row: number; readonly error: string }[];
  /** How many more there are of them. */
  readonly untold: number;
  /** What the ledger could not take. */
  readonly unrecorded: readonly PayError[];
}

interface Tallying {
  readonly rows: number;
  /** Rows that are left out. */
  readonly excluded: Bits;
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: Counted) => void;
}

const MOST_TROUBLES = 5;

/** Counts rows as they end, and tells of each. */
export const openTally = ({ rows, excluded, onSettled, tell }: Tallying) => {
  const open = newBits();
  for (let row = 1; row <= rows; row += 1) if (!excluded.has(row)) open.set(row);
  const counts: Partial<Record<RowState, number>> = {};
  const codes = new Set<number>();
  const troubles: { row: number; error: string }[] = [];
  const unrecorded: PayError[] = [];
  let [done, skipped, untold] = [0, 0, 0];
  const settle = async (row: InputRow, end: RowEnd, own: boolean): Promise<void> => {
    open.clear(row.number);
    counts[end.state] = (counts[end.state] ?? 0) + 1;
    codes.add(rowExit(end));
    done += 1;
    if (!own || end.kept === 'elsewhere') skipped += 1;
    if (end.unrecorded !== undefined) unrecorded.push(end.unrecorded);
    const { error } = end;
    if (own && error !== undefined) {
      if (troubles.length < MOST_TROUBLES) troubles.push({ row: row.number, error });
      else untold += 1;
    }
    tell({ counts, done, skipped });
    await onSettled(row, end);
  };
  const tally = (): Tally => ({ counts, done, skipped, codes, troubles, untold, unrecorded });
  return { open, tally, settle };
};
