import type { RowCounts, RowState } from '../../core/row.ts';
import { rowExit } from '../../core/row.ts';
import type { Settled } from '../../core/row-end.ts';
import type { Bits } from '../planning/bits.ts';
import { newBits } from '../planning/bits.ts';
import type { InputRow } from '../reading/input.ts';

/** How far the rows of a file are. */
export interface Standing {
  readonly counts: RowCounts;
  /** Rows that have an end. */
  readonly done: number;
  /** Those of them that had it without this run. */
  readonly skipped: number;
}

/** What is to be told of rows in the end. */
export interface Told {
  /** The exit codes that they stand for. */
  readonly codes: ReadonlySet<number>;
  /** The first rows of this run that are no success, and why. */
  readonly troubles: readonly { readonly row: number; readonly error: string }[];
  /** How many more there are of them. */
  readonly untold: number;
}

interface Tallying {
  readonly rows: number;
  /** Rows that are left out. */
  readonly excluded: Bits;
  readonly onSettled: (row: InputRow, settled: Settled) => Promise<void>;
  readonly tell: (standing: Standing) => void;
}

const MOST_TROUBLES = 5;

/** Counts rows as they end, and tells of each. */
export const openTally = ({ rows, excluded, onSettled, tell }: Tallying) => {
  const open = newBits();
  for (let row = 1; row <= rows; row += 1) if (!excluded.has(row)) open.set(row);
  const counts: Partial<Record<RowState, number>> = {};
  const codes = new Set<number>();
  const troubles: { row: number; error: string }[] = [];
  let [done, skipped, untold] = [0, 0, 0];
  const standing = (): Standing => ({ counts, done, skipped });
  const settle = async (row: InputRow, settled: Settled, own: boolean): Promise<void> => {
    open.clear(row.number);
    counts[settled.state] = (counts[settled.state] ?? 0) + 1;
    codes.add(rowExit(settled));
    done += 1;
    if (!own) skipped += 1;
    const { error } = settled;
    if (own && error !== undefined) {
      if (troubles.length < MOST_TROUBLES) troubles.push({ row: row.number, error });
      else untold += 1;
    }
    tell(standing());
    await onSettled(row, settled);
  };
  const told = (): Told => ({ codes, troubles, untold });
  return { open, counts, told, standing, settle };
};
