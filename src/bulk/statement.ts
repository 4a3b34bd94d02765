import type { Zone } from '../core/time.ts';
import type { InputRow } from './cells.ts';
import type { openInput, RowsFile } from './read-file.ts';

/** A line of a statement: money that came in or went out. */
export interface StatementLine {
  /** The number of the row below the header, as errors count them: the first is 1. */
  readonly number: number;
  /** `2026-11-25`: as written, or in the zone of the command if the file names an offset. */
  readonly day: string;
  /** In the minor unit, a safe integer other than 0. Money out is negative. */
  readonly amount: number;
  /** Always the currency of the options: lines in another one are left out, with a notice. */
  readonly currency: string;
  /** In the minor unit, never negative; undefined without --fee-column, and for an empty cell. */
  readonly fee: number | undefined;
  /** The cells of the reference columns that aren't empty: a provider's export has several. */
  readonly references: readonly string[];
  /** The narration and the references, one a line: what may name a payment. */
  readonly text: string;
  /** The row as read, for a report. */
  readonly fields: InputRow['fields'];
}

/** Columns that a report of matches adds begin with this, and are never guessed: a report can be read again. */
export const REPORT_PREFIX = 'ledger_';

/** The columns that options name, as the file writes them. */
export interface StatementColumns {
  /** Signed amounts, or the credits if there is a debit column. */
  readonly amount?: string | undefined;
  readonly debit?: string | undefined;
  readonly date?: string | undefined;
  readonly text?: string | undefined;
  readonly reference?: string | undefined;
  readonly fee?: string | undefined;
}

export interface StatementOptions {
  readonly columns: StatementColumns;
  readonly currency: string;
  readonly zone: Zone;
  readonly dateOrder?: 'dmy' | 'mdy' | undefined;
}

/** An open statement. Its columns and format suit the report of a file of rows. */
export interface Statement extends Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'hasBom' | 'isAt' | 'close'> {
  /** What was guessed and what was left out, for people: `Columns: …`. */
  readonly notices: readonly string[];
  /** The first and the last day. */
  readonly days: { readonly first: string; readonly last: string };
  /** All lines in the order of the file, read again for each walk. */
  lines(): AsyncIterable<StatementLine>;
}

/** The part of a file's description that `openStatement` needs. */
export type StatementInput = Parameters<typeof openInput>[0];

/** Opens a statement. Throws an InputError (exit 2) unless every line can be read. */
export const openStatement = async (_input: StatementInput, _options: StatementOptions): Promise<Statement> => {
  throw new Error('not built yet');
};
