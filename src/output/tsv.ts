import { BOUNDS } from '../core/bounds.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import type { Column, View } from '../core/result.ts';
import { visibleText } from '../core/sanitize.ts';
import { checkColumns, checkRecordColumns, machineColumns } from './columns.ts';
import { joined, rowPieces, shown, shownPieces } from './pieces.ts';
import type { Sink } from './sink.ts';
import { exactValue, isBlank, isEnum, isObject, isScalar, machineText } from './value.ts';

/** A cell that holds neither a TAB nor a line break: both, and the backslash, are written as escapes. */
const escaped = (text: string): string =>
  visibleText(text.replaceAll('\\', '\\\\')).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
const cell = (text: string): string => shown(text, escaped);

function* line(key: string, text: string): Generator<string> {
  yield `${cell(key)}\t`;
  yield* shownPieces(text, escaped);
  yield '\n';
}

const rowOf = (record: Received, columns: readonly Column[]): Generator<string> => {
  const value = exactValue(record);
  const cells = columns.map(({ path, kind }) => machineText(valueAt(value, path), kind));
  return rowPieces(cells, { show: (text) => shownPieces(text, escaped), between: '\t', end: '\n' });
};

/** A record a line, no header, the same columns on every line. */
export const tsvSink = (names: readonly string[] | undefined, view: View): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    *page(records) {
      if (records.length === 0) return;
      columns ??= names === undefined ? machineColumns(view, records) : checkColumns(names, view, records);
      for (const record of records) yield* rowOf(record, columns);
    },
    end: () => '',
  };
};

/** One after the other, since a list may be the largest thing there is. */
const namesIn = (value: unknown): Iterable<string | number> =>
  Array.isArray(value) ? value.keys() : isObject(value) ? Object.keys(value) : [];

/** `key<TAB>value` lines of everything in `value`; nested names are joined by dots, list elements count from 0. */
function* flatLines(value: unknown, path: string, view: View): Generator<string> {
  const kind = view.columns.find((column) => column.path === path)?.kind;
  const isPair = (kind === 'enum' || kind === 'state') && isEnum(value);
  if (isPair || path.length > BOUNDS.path || isBlank(value) || isScalar(value)) {
    return yield* line(path, machineText(value, kind));
  }
  for (const name of namesIn(value)) {
    const member = (value as Readonly<Record<string | number, unknown>>)[name];
    yield* flatLines(member, path === '' ? `${name}` : `${path}.${name}`, view);
  }
}

function* recordLines(record: Received, names: readonly string[] | undefined, view: View): Generator<string> {
  const value = exactValue(record);
  if (names !== undefined) {
    for (const { path, kind } of checkRecordColumns(names, view, record)) {
      yield* line(path, machineText(valueAt(value, path), kind));
    }
  } else if (!isScalar(value) && !isBlank(value)) {
    yield* flatLines(value, '', view);
  } else if (!isObject(value)) {
    yield `${cell(machineText(value, undefined))}\n`;
  }
}

/** One record as `key<TAB>value` lines: every field that was sent, or the named columns in their order. In pieces. */
export const tsvRecord = (record: Received, names: readonly string[] | undefined, view: View): Iterable<string> =>
  joined(recordLines(record, names, view));
