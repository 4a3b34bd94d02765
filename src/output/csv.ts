import { forSpreadsheet, MARK, withoutFormula } from '../core/formula.ts';
import { NumberText } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import type { Column, OutputOptions, View } from '../core/result.ts';
import { visibleCell } from '../core/sanitize.ts';
import { checkColumns, checkRecordColumns, machineColumns } from './columns.ts';
import { rowPieces, shownPieces } from './pieces.ts';
import type { Sink } from './sink.ts';
import { exactValue, machineText } from './value.ts';

/** A text as a cell: made visible, and quoted where RFC 4180 asks for it. In pieces, since a value may be of any length. */
function* quotedPieces(text: string): Generator<string> {
  const quote = /[",\n]/.test(text) ? '"' : '';
  const doubled = (piece: string): string => visibleCell(piece).replaceAll('"', '""');
  yield quote;
  yield* shownPieces(text, quote === '' ? visibleCell : doubled);
  yield quote;
}

const quoted = (text: string): string => [...quotedPieces(text)].join('');

const cellText = (value: unknown, kind: Column['kind'], raw: boolean): string => {
  const isText = typeof value !== 'number' && typeof value !== 'boolean' && !(value instanceof NumberText);
  const text = machineText(value, kind);
  return isText && !raw ? forSpreadsheet(text) : text;
};

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

/** How cells are written, and what the file begins with. */
type Written = Pick<OutputOptions, 'rawCsv' | 'bom'>;

const headerOf = (columns: readonly Column[], { rawCsv, bom = false }: Written): string => {
  const names = columns.map(({ path }) => quoted(rawCsv ? path : withoutFormula(path)));
  return `${bom ? MARK : ''}${names.length === 0 ? '' : line(names)}`;
};

const rowOf = (record: Received, columns: readonly Column[], { rawCsv }: Written): Generator<string> => {
  const value = exactValue(record);
  const cells = columns.map(({ path, kind }) => cellText(valueAt(value, path), kind, rawCsv));
  return rowPieces(cells, { show: quotedPieces, between: ',', end: '\r\n' });
};

/** RFC 4180 with a header, which an empty list has too. */
export const csvSink = (names: readonly string[] | undefined, view: View, written: Written): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    *page(records) {
      if (records.length === 0) return;
      const header = columns === undefined;
      columns ??= names === undefined ? machineColumns(view, records) : checkColumns(names, view, records);
      if (header) yield headerOf(columns, written);
      for (const record of records) yield* rowOf(record, columns, written);
    },
    end: () => {
      if (columns !== undefined) return '';
      return headerOf(names?.map((path) => ({ path })) ?? machineColumns(view, []), written);
    },
  };
};

/** One record as a header and a row, in pieces. */
export function* csvRecord(
  record: Received,
  names: readonly string[] | undefined,
  view: View,
  written: Written,
): Generator<string> {
  const columns = names === undefined ? machineColumns(view, [record]) : checkRecordColumns(names, view, record);
  yield headerOf(columns, written);
  yield* rowOf(record, columns, written);
}
