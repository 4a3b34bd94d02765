import type { PayError } from '../core/error.ts';
import type { RowCounts, RowState } from '../core/row.ts';
import type { InputRow } from './cells.ts';
import { type RowEnd, rowExit } from './row-end.ts';

const FIRST_BYTES = 1024;

/** A mark for each row of a file, from 1 on: an eighth of a byte a row. */
export const bitSet = () => {
  let bytes = new Uint8Array(FIRST_BYTES);
  let count = 0;
  const has = (row: number): boolean => (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  const put = (row: number, isSet: boolean): void => {
    if (has(row) === isSet) return;
    const at = row >> 3;
    if (at >= bytes.length) {
      const longer = new Uint8Array(Math.max(bytes.length * 2, at + 1));
      longer.set(bytes);
      bytes = longer;
    }
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (row & 7));
    count += isSet ? 1 : -1;
  };
  return {
    has,
    set: (row: number): void => put(row, true),
    clear: (row: number): void => put(row, false),
    get count(): number {
      return count;
    },
  };
};
export type BitSet = ReturnType<typeof bitSet>;

/** How far the rows of a file are. */
export interface CounterValues {
  readonly counts: RowCounts;
  /** Rows that have an end. */
  readonly done: number;
  /** Those of them that had it without this run. */
  readonly skipped: number;
}

/** Rows that ended alike, for one reason. */
export interface Trouble {
  readonly count: number;
  /** The first of them. */
  readonly rows: readonly number[];
  /** What is said of one row, and of many. */
  readonly error: string;
  readonly reason: string;
}

/** What is to be told of rows in the end. */
export interface Counters extends CounterValues {
  /** The exit codes that they stand for. */
  readonly codes: ReadonlySet<number>;
  /** Why rows of this run are no success, the gravest first. */
  readonly troubles: readonly Trouble[];
  /** How many more rows there are of that kind. */
  readonly untold: number;
  /** --again would send one of them. */
  readonly again: boolean;
  /** An earlier one that is unknown stands in the way of one of them. */
  readonly unresolved: boolean;
  /** What the ledger could not take. */
  readonly unrecorded: readonly PayError[];
  /** What the entries of the job's rows don't show: more of a state, or fewer. */
  readonly adjustments: RowCounts;
}

interface Tallying {
  readonly rows: number;
  /** Rows that are left out. */
  readonly excluded: BitSet;
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: CounterValues) => void;
}

const MOST_TROUBLES = 5;
const MOST_NAMED = 3;

/** The order in which they are told. */
const TOLD: readonly RowState[] = [
  ...(['unknown', 'accepted', 'failed', 'rejected', 'not_created', 'not_sent', 'refused'] as const),
  ...(['invalid', 'sending'] as const),
];

/** Names that one row has and another has not. */
const OWN_NAMES = /\b[a-z_]+(?:\.[A-Za-z0-9_]{4,}){2,}|\b[a-z_]+-[0-9a-z]{16,}/g;

const reasonIn = ({ error = '', reason }: RowEnd): string => reason ?? error.replaceAll(OWN_NAMES, '…');

/** Rows that are no success, by state and reason: of each state no more reasons are kept than are told. */
const openTroubles = () => {
  const kept = new Map<RowState, Map<string, Trouble>>();
  let all = 0;
  return {
    add: (row: number, end: RowEnd): void => {
      const { state, error } = end;
      if (error === undefined) return;
      all += 1;
      const alike = kept.get(state) ?? new Map<string, Trouble>();
      kept.set(state, alike);
      const reason = reasonIn(end);
      const known = alike.get(reason) ?? { count: 0, rows: [], error, reason };
      if (known.count === 0 && alike.size >= MOST_TROUBLES) return;
      alike.set(reason, { ...known, count: known.count + 1, rows: [...known.rows, row].slice(0, MOST_NAMED) });
    },
    told: (): Pick<Counters, 'troubles' | 'untold'> => {
      const troubles = TOLD.flatMap((state) => [...(kept.get(state)?.values() ?? [])]).slice(0, MOST_TROUBLES);
      return { troubles, untold: all - troubles.reduce((sum, { count }) => sum + count, 0) };
    },
  };
};

type Counts = Partial<Record<RowState, number>>;

const add = (counts: Counts, state: RowState, count: number): void => {
  counts[state] = (counts[state] ?? 0) + count;
};

const hasNoEntry = ({ kept, noEntry }: RowEnd): boolean => noEntry === true || kept === 'elsewhere';

/** Counts rows as they end, and tells of each. */
export const openCounters = ({ rows, excluded, onSettled, tell }: Tallying) => {
  const open = bitSet();
  for (let row = 1; row <= rows; row += 1) if (!excluded.has(row)) open.set(row);
  const counts: Counts = {};
  const adjustments: Counts = {};
  const codes = new Set<number>();
  const troubles = openTroubles();
  const unrecorded: PayError[] = [];
  let [done, skipped, again, unresolved] = [0, 0, false, false];
  const adjust = (state: RowState | undefined, before: RowState | undefined): void => {
    if (state !== undefined) add(adjustments, state, 1);
    if (before !== undefined) add(adjustments, before, -1);
  };
  /** `before` is how its entry of an earlier run stands. */
  const settle = async (row: InputRow, end: RowEnd, own: boolean, before?: RowState): Promise<void> => {
    open.clear(row.number);
    add(counts, end.state, 1);
    if (own && hasNoEntry(end)) adjust(end.state, before);
    codes.add(rowExit(end));
    done += 1;
    if (!own || end.kept === 'elsewhere') skipped += 1;
    if (end.unrecorded !== undefined) unrecorded.push(end.unrecorded);
    if (own) troubles.add(row.number, end);
    again ||= end.again === true;
    unresolved ||= end.unresolved === true;
    tell({ counts, done, skipped });
    await onSettled(row, end);
  };
  const tally = (): Counters => ({
    counts,
    done,
    skipped,
    codes,
    ...troubles.told(),
    again,
    unresolved,
    unrecorded,
    adjustments,
  });
  return { open, tally, settle, adjust };
};
