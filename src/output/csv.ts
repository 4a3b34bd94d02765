import { forSpreadsheet, withoutFormula } from '../core/formula.ts';
import { NumberText } from '../core/json.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { visibleText } from '../core/sanitize.ts';
import { checkColumns, checkRecordColumns, machineColumns } from './columns.ts';
import { shown } from './pieces.ts';
import type { Sink } from './sink.ts';
import { exactValue, machineText } from './value.ts';
import type { Column, View } from './view.ts';

/** A text as a cell: made visible, and quoted where RFC 4180 asks for it. */
const quoted = (text: string): string => {
  const safe = shown(text, visibleText);
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const cell = (value: unknown, kind: Column['kind'], raw: boolean): string => {
  const isText = typeof value !== 'number' && typeof value !== 'boolean' && !(value instanceof NumberText);
  const text = machineText(value, kind);
  return isText ? quoted(raw ? text : forSpreadsheet(text)) : text;
};

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

const headerOf = (columns: readonly Column[], raw: boolean): string =>
  columns.length === 0 ? '' : line(columns.map(({ path }) => quoted(raw ? path : withoutFormula(path))));

const rowOf = (record: Received, columns: readonly Column[], raw: boolean): string => {
  const value = exactValue(record);
  return line(columns.map(({ path, kind }) => cell(valueAt(value, path), kind, raw)));
};

/** RFC 4180 with a header, which an empty list has too. `raw` leaves what a spreadsheet would run or change as it is. */
export const csvSink = (names: readonly string[] | undefined, view: View, raw: boolean): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    page: (records) => {
      if (records.length === 0) return '';
      const header = columns === undefined;
      columns ??= names === undefined ? machineColumns(view, records) : checkColumns(names, view, records);
      const fixed = columns;
      return (header ? headerOf(fixed, raw) : '') + records.map((record) => rowOf(record, fixed, raw)).join('');
    },
    end: () => {
      if (columns !== undefined) return '';
      return headerOf(names?.map((path) => ({ path })) ?? machineColumns(view, []), raw);
    },
  };
};

/** One record as a header and a row. */
export const csvRecord = (record: Received, names: readonly string[] | undefined, view: View, raw: boolean): string => {
  const columns = names === undefined ? machineColumns(view, [record]) : checkRecordColumns(names, view, record);
  return headerOf(columns, raw) + rowOf(record, columns, raw);
};
