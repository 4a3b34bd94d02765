import type { RowCounts, RowState } from '../core/charge.ts';
import type { PayError } from '../core/error.ts';
import type { InputRow } from './cells.ts';
import { type RowEnd, rowExit } from './row-end.ts';

const FIRST_BYTES = 1024;

/** A set of row numbers, starting at 1: one bit a row. */
export const bitSet = () => {
  let bytes = new Uint8Array(FIRST_BYTES);
  let count = 0;
  const has = (row: number): boolean => (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  return {
    has,
    set: (row: number): void => {
      if (has(row)) return;
      const at = row >> 3;
      if (at >= bytes.length) {
        const longer = new Uint8Array(Math.max(bytes.length * 2, at + 1));
        longer.set(bytes);
        bytes = longer;
      }
      bytes[at] = (bytes[at] ?? 0) | (1 << (row & 7));
      count += 1;
    },
    get count(): number {
      return count;
    },
  };
};
export type BitSet = ReturnType<typeof bitSet>;

/** The progress through the rows of a file. */
export interface CounterValues {
  readonly counts: RowCounts;
  readonly done: number;
  /** Rows among them whose result is not this run's work. */
  readonly skipped: number;
  /** Rows that were worked on and have no result. */
  readonly passed: number;
}

/** Failed rows with the same state and reason. */
export interface FailedRows {
  readonly count: number;
  /** The numbers of the first few of these rows. */
  readonly rows: readonly number[];
  /** `error` describes a single row, `reason` many rows at once. */
  readonly error: string;
  readonly reason: string;
}

/** The totals for the summary of a run. */
export interface Counters extends Omit<CounterValues, 'passed'> {
  readonly codes: ReadonlySet<number>;
  /** The failures of this run and of earlier ones, grouped; the gravest first. */
  readonly failedRows: readonly FailedRows[];
  /** The number of failed rows that `failedRows` leaves out. */
  readonly unlisted: number;
  /** True if --again would send one of the rows. */
  readonly again: boolean;
  /** True if an earlier charge of unknown outcome stands in the way of one of the rows. */
  readonly unresolved: boolean;
  readonly hints: ReadonlySet<string>;
  /** Outcomes that the ledger could not store. */
  readonly unrecorded: readonly PayError[];
  /** Corrections to the counts by state of the job's entries; negative ones lower a count. */
  readonly adjustments: RowCounts;
}

interface Tallying {
  readonly onSettled: (row: InputRow, end: RowEnd) => Promise<void>;
  readonly tell: (counted: CounterValues) => void;
}

const MOST_REASONS = 5;
const MOST_ROWS_NAMED = 3;

/** The gravest first. */
const FAILED_STATES: readonly RowState[] = [
  ...(['unknown', 'accepted', 'failed', 'rejected', 'not_created', 'not_sent', 'refused'] as const),
  ...(['invalid', 'sending', 'expired'] as const),
];

/**
 * Identifiers that differ from row to row; replaced by an ellipsis so that equal errors are grouped. An error code of
 * the service has the same form.
 */
const OWN_NAMES = /\b(?![\w.]+\.error\.)[a-z_]+(?:\.[A-Za-z0-9_]{4,}){2,}|\b[a-z_]+-[0-9a-z]{16,}/g;

const reasonIn = ({ error = '', reason }: RowEnd): string => reason ?? error.replaceAll(OWN_NAMES, '…');

/** Failed rows, grouped by state and reason. Stores at most as many reasons a state as the summary lists. */
const openFailedRows = () => {
  const kept = new Map<RowState, Map<string, FailedRows>>();
  let all = 0;
  return {
    add: (row: number, end: RowEnd): void => {
      const { state, error } = end;
      if (error === undefined) return;
      all += 1;
      const alike = kept.get(state) ?? new Map<string, FailedRows>();
      kept.set(state, alike);
      const reason = reasonIn(end);
      const known = alike.get(reason) ?? { count: 0, rows: [], error, reason };
      if (known.count === 0 && alike.size >= MOST_REASONS) return;
      alike.set(reason, { ...known, count: known.count + 1, rows: [...known.rows, row].slice(0, MOST_ROWS_NAMED) });
    },
    list: (): Pick<Counters, 'failedRows' | 'unlisted'> => {
      const failedRows = FAILED_STATES.flatMap((state) => [...(kept.get(state)?.values() ?? [])]).slice(
        0,
        MOST_REASONS,
      );
      return { failedRows, unlisted: all - failedRows.reduce((sum, { count }) => sum + count, 0) };
    },
  };
};

type Counts = Partial<Record<RowState, number>>;

const addCount = (counts: Counts, state: RowState | undefined, count: number): void => {
  if (state !== undefined) counts[state] = (counts[state] ?? 0) + count;
};

/** Counts rows as they end, and tells of each. */
export const openCounters = ({ onSettled, tell }: Tallying) => {
  /** Rows with a result. */
  const closed = bitSet();
  const [counts, adjustments]: [Counts, Counts] = [{}, {}];
  const codes = new Set<number>();
  const hints = new Set<string>();
  const failedRows = openFailedRows();
  const unrecorded: PayError[] = [];
  let [skipped, passed, again, unresolved] = [0, 0, false, false];
  const show = (): void => tell({ counts, done: closed.count, skipped, passed });
  /** Corrects the count of a state, and of the state that the row's entry of an earlier run has. */
  const adjust = (state: RowState | undefined, before: RowState | undefined): void => {
    addCount(adjustments, state, 1);
    addCount(adjustments, before, -1);
  };
  return {
    closed,
    adjust,
    /** `own` is true for a result of this run. */
    settle: async (row: InputRow, end: RowEnd, own: boolean, before?: RowState): Promise<void> => {
      closed.set(row.number);
      addCount(counts, end.state, 1);
      if (own && (end.noEntry === true || end.kept === 'elsewhere')) adjust(end.state, before);
      codes.add(rowExit(end));
      if (!own || end.kept === 'elsewhere') skipped += 1;
      if (end.unrecorded !== undefined) unrecorded.push(end.unrecorded);
      failedRows.add(row.number, end);
      again ||= end.again === true;
      unresolved ||= end.unresolved === true;
      if (end.hint !== undefined) hints.add(end.hint);
      show();
      await onSettled(row, end);
    },
    /** Counts a row without a result. */
    pass: (): void => {
      passed += 1;
      show();
    },
    tally: (): Counters => ({
      counts,
      done: closed.count,
      skipped,
      codes,
      ...failedRows.list(),
      again,
      unresolved,
      hints,
      unrecorded,
      adjustments,
    }),
  };
};

export const noCounts = (): Counters =>
  openCounters({ onSettled: async () => undefined, tell: () => undefined }).tally();
