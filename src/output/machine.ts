import { BOUNDS } from '../core/bounds.ts';
import { indent, isJsonObject, minify, NumberText, valueAt } from '../core/json.ts';
import { type ApiRecord, madeExactly } from '../core/record.ts';
import type { Column, OutputOptions, View } from '../core/result.ts';
import {
  BYTE_ORDER_MARK,
  forSpreadsheet,
  visibleCell,
  visibleJson,
  visibleText,
  withoutFormula,
} from '../core/text.ts';
import { exactValue, isBlank, isEnum, isScalar, machineDecimals, machineText } from './cell.ts';
import { checkRecordColumns, columnFor, machineColumns, machineName, namedColumns, readColumns } from './columns.ts';
import type { Sink } from './walk.ts';

/** Keeps the line breaks between tokens: strings contain none. */
const visibleIndented = (text: string): string => text.split('\n').map(visibleJson).join('\n');

/** The parts of a value at paths, nested as in the value: jq finds them at the same paths. An absent part is null. */
const pickPaths = (value: unknown, paths: readonly (readonly string[])[]): unknown => {
  if (paths.some((path) => path.length === 0)) return value ?? null;
  const names = [...new Set(paths.map(([name = '']) => name))];
  const parts = names.map((name) => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    return [name, pickPaths(valueAt(value, name), below)] as const;
  });
  // The elements that were chosen of a list stay at their places.
  const byName = new Map(parts);
  return Array.isArray(value) ? value.map((_, index) => byName.get(String(index)) ?? null) : Object.fromEntries(byName);
};

const pickColumns = (record: ApiRecord, columns: readonly Column[]): ApiRecord => {
  const paths = columns.map(({ path }) => path.split('.'));
  return madeExactly(pickPaths(exactValue(record), paths));
};

/** Renders one record as JSON: one line for programs, indented for people. With `names`, those columns alone. */
export const jsonRecord = (
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  indented: boolean,
): string => {
  const { text } = names === undefined ? record : pickColumns(record, checkRecordColumns(names, view, record));
  return `${indented ? visibleIndented(indent(text)) : visibleJson(minify(text))}\n`;
};

/** Wraps a sink so that it gets records with only the named columns. */
export const chooseColumns = (sink: Sink, names: readonly string[] | undefined, view: View): Sink => {
  if (names === undefined) return sink;
  let columns: readonly Column[] | undefined;
  return {
    ...sink,
    *page(records, more) {
      if (records.length > 0) columns ??= readColumns(names, view, records);
      const parts = records.map((record) => pickColumns(record, columns ?? []));
      yield* sink.page(parts, more);
    },
  };
};

/** A record of a list on one line: every field and number as it was sent. */
const recordLine = (record: ApiRecord): Uint8Array => record.bytes ?? Buffer.from(visibleJson(minify(record.text)));

/**
 * Joins records to lines, with a text before the first and after the last, in a reused buffer: a new one for each page
 * would be most of the memory of a walk.
 */
const openLines = (separator: string) => {
  const between = Buffer.from(separator);
  let room = Buffer.alloc(0);
  return (records: readonly ApiRecord[], start: string, end: string): Uint8Array => {
    const parts: Uint8Array[] = [];
    for (const record of records) parts.push(parts.length === 0 ? Buffer.from(start) : between, recordLine(record));
    parts.push(Buffer.from(end));
    let size = 0;
    for (const { length } of parts) size += length;
    if (size > room.length) room = Buffer.allocUnsafeSlow(2 * size);
    let at = 0;
    for (const part of parts) {
      room.set(part, at);
      at += part.length;
    }
    return room.subarray(0, size);
  };
};

/** Writes `{"data":[…],"next_cursor":…}`, a record a line. Valid JSON even when the walk breaks off. */
export const jsonSink = (): Sink => {
  const linesOf = openLines(',\n');
  let opened = false;
  let filled = false;
  const open = (): string => {
    if (opened) return '';
    opened = true;
    return '{"data":[';
  };
  return {
    *page(records) {
      const start = open();
      if (records.length === 0) return yield start;
      const separator = filled ? ',\n' : '\n';
      filled = true;
      yield linesOf(records, start + separator, '');
    },
    end: (next) => `${open()}${filled ? '\n' : ''}],"next_cursor":${visibleJson(JSON.stringify(next))}}\n`,
  };
};

export const ndjsonSink = (): Sink => {
  const linesOf = openLines('\n');
  return {
    *page(records) {
      if (records.length > 0) yield linesOf(records, '', '\n');
    },
    end: () => '',
  };
};

/** Escapes TAB, line break and backslash, so that a cell contains neither TAB nor line break. */
const escaped = (text: string): string =>
  visibleText(text.replaceAll('\\', '\\\\')).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

const tsvLine = (key: string, text: string): string => `${escaped(key)}\t${escaped(text)}\n`;

/** The options of tsv and csv: amounts in decimals; for csv also unguarded cells, and a byte order mark. */
type TextOptions = Pick<OutputOptions, 'decimal' | 'rawCsv' | 'bom'>;

/** The text of a record's value at a column in tsv and csv. */
const cellForMachine = (
  record: unknown,
  value: unknown,
  { path, kind }: Column,
  { decimal = false }: TextOptions,
): string =>
  (decimal && kind === 'money' ? machineDecimals(record, value, path) : undefined) ?? machineText(value, kind);

const textIn = (record: unknown, column: Column, options: TextOptions): string =>
  cellForMachine(record, valueAt(record, column.path), column, options);

const tsvRowOf = (record: ApiRecord, columns: readonly Column[], options: TextOptions): string => {
  const value = exactValue(record);
  return `${columns.map((column) => escaped(textIn(value, column, options))).join('\t')}\n`;
};

/**
 * Writes a record a line, with the same columns on every line. A header names them, except where the user has named
 * them: scripts do.
 */
export const tsvSink = (names: readonly string[] | undefined, view: View, options: TextOptions): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    *page(records) {
      if (records.length === 0) return;
      if (columns === undefined && names === undefined) {
        columns = machineColumns(view, records);
        yield `${columns.map((column) => escaped(machineName(column, options))).join('\t')}\n`;
      }
      columns ??= readColumns(names ?? [], view, records);
      for (const record of records) yield tsvRowOf(record, columns, options);
    },
    end: () => '',
  };
};

/** Iterates lazily, since a list may be as large as an answer can be. */
const keysIn = (value: unknown): Iterable<string | number> =>
  Array.isArray(value) ? value.keys() : isJsonObject(value) ? Object.keys(value) : [];

/**
 * Writes `key<TAB>value` lines for everything in `value`; nested names are joined by dots, list elements count from 0.
 */
function* flatLines(
  record: unknown,
  value: unknown,
  path: string,
  view: View,
  options: TextOptions,
): Generator<string> {
  const column = columnFor(path, view);
  const isPair = (column.kind === 'enum' || column.kind === 'state') && isEnum(value);
  if (isPair || path.length > BOUNDS.path || isBlank(value) || isScalar(value)) {
    return yield tsvLine(machineName(column, options), cellForMachine(record, value, column, options));
  }
  for (const name of keysIn(value)) {
    const member = (value as Readonly<Record<string | number, unknown>>)[name];
    yield* flatLines(record, member, path === '' ? `${name}` : `${path}.${name}`, view, options);
  }
}

function* recordLines(
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  options: TextOptions,
): Generator<string> {
  const value = exactValue(record);
  if (names !== undefined) {
    const columns = checkRecordColumns(names, view, record);
    for (const column of columns) {
      const text = textIn(value, column, options);
      yield columns.length === 1 ? `${escaped(text)}\n` : tsvLine(machineName(column, options), text);
    }
  } else if (!isScalar(value) && !isBlank(value)) {
    yield* flatLines(value, value, '', view, options);
  } else if (!isJsonObject(value)) {
    yield `${escaped(machineText(value, undefined))}\n`;
  }
}

/**
 * Renders one record as `key<TAB>value` lines: every field that was sent, or the named columns in their order. A single
 * named column is its value alone, for `$(…)` in scripts.
 */
export const tsvRecord = (
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  options: TextOptions,
): string => [...recordLines(record, names, view, options)].join('');

/** Renders a text as a cell: control characters made visible, and quoted where RFC 4180 requires it. */
const quoteCell = (text: string): string =>
  /[",\n]/.test(text) ? `"${visibleCell(text).replaceAll('"', '""')}"` : visibleCell(text);

const cellText = (record: unknown, column: Column, options: TextOptions): string => {
  const value = valueAt(record, column.path);
  const text = cellForMachine(record, value, column, options);
  const isNumber = typeof value === 'number' || typeof value === 'boolean' || value instanceof NumberText;
  return isNumber || options.rawCsv ? text : forSpreadsheet(text);
};

const joinCsv = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

const csvHeader = (columns: readonly Column[], options: TextOptions): string => {
  const { rawCsv, bom = false } = options;
  const names = columns
    .map((column) => machineName(column, options))
    .map((name) => quoteCell(rawCsv ? name : withoutFormula(name)));
  return `${bom ? BYTE_ORDER_MARK : ''}${names.length === 0 ? '' : joinCsv(names)}`;
};

const csvRowOf = (record: ApiRecord, columns: readonly Column[], options: TextOptions): string => {
  const value = exactValue(record);
  return joinCsv(columns.map((column) => quoteCell(cellText(value, column, options))));
};

/** Writes CSV (RFC 4180) with a header, also for an empty list. */
export const csvSink = (names: readonly string[] | undefined, view: View, options: TextOptions): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    *page(records) {
      if (records.length === 0) return;
      const header = columns === undefined;
      columns ??= names === undefined ? machineColumns(view, records) : readColumns(names, view, records);
      if (header) yield csvHeader(columns, options);
      for (const record of records) yield csvRowOf(record, columns, options);
    },
    end: () => {
      if (columns !== undefined) return '';
      return csvHeader(names === undefined ? machineColumns(view, []) : namedColumns(names, view), options);
    },
  };
};

export const csvRecord = (
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  options: TextOptions,
): string => {
  const columns = names === undefined ? machineColumns(view, [record]) : checkRecordColumns(names, view, record);
  return csvHeader(columns, options) + csvRowOf(record, columns, options);
};
