import type { RowEnd } from '../core/row.ts';
import type { ColumnFault, Settled, Worked } from '../core/row-end.ts';
import type { Tower } from './pacing/run.ts';
import type { InputRow } from './reading/input.ts';

/** A row as something to send, or all that is wrong with it. */
export type ReadRow<T> = { readonly item: T } | { readonly faults: readonly ColumnFault[] };

/** What a command makes of the rows of a file. */
export interface Reader<T> {
  /** The column that names what a row is about. */
  readonly keyColumn: string;
  readonly keyOf: (item: T) => string;
  readonly read: (row: InputRow) => ReadRow<T>;
  /** What the contract has against it; sending checks that again. */
  readonly breaches: (item: T) => readonly ColumnFault[];
  /** Called for each row that can be sent, in the order of the file. */
  readonly onGood?: (item: T) => void;
  /** Looks at the service what would keep it from being sent (--check); throws what the read throws. */
  readonly check: (item: T) => Promise<readonly ColumnFault[]>;
  /** What people should know of the columns. */
  readonly notices: readonly string[];
}

/** What a command does with them. */
export interface Worker<T> {
  /** How the rows from `first` to `last` stand that were ever begun, by what is kept of earlier runs. */
  readonly earlier: (first: number, last: number) => Promise<ReadonlyMap<number, Settled>>;
  /** Whether a row that stands like this is to be done, or done again. */
  readonly takesUp: (end: RowEnd) => boolean;
  /** Sends it, once, and tells meanwhile what the others must hear of. */
  readonly work: (item: T, row: number, tower: Tower) => Promise<Worked>;
}
