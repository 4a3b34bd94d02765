import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { visibleText } from '../core/sanitize.ts';
import { checkColumns, checkRecordColumns, machineColumns } from './columns.ts';
import type { Sink } from './sink.ts';
import { exactValue, isEnum, isObject, machineText } from './value.ts';
import type { Column, View } from './view.ts';

/** A cell that holds neither a TAB nor a line break: both, and the backslash, are written as escapes. */
const cell = (text: string): string =>
  visibleText(text.replaceAll('\\', '\\\\')).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

const line = (key: string, text: string): string => `${cell(key)}\t${cell(text)}\n`;

const rowOf = (record: Received, columns: readonly Column[]): string => {
  const value = exactValue(record);
  return `${columns.map(({ path, kind }) => cell(machineText(valueAt(value, path), kind))).join('\t')}\n`;
};

/** A record a line, no header, the same columns on every line. */
export const tsvSink = (names: readonly string[] | undefined, view: View): Sink => {
  let columns: readonly Column[] | undefined;
  return {
    page: (records) => {
      if (records.length === 0) return '';
      columns ??= names === undefined ? machineColumns(view, records) : checkColumns(names, view, records);
      const fixed = columns;
      return records.map((record) => rowOf(record, fixed)).join('');
    },
    end: () => '',
  };
};

const membersOf = (value: unknown): [string, unknown][] =>
  isObject(value) || Array.isArray(value) ? Object.entries(value) : [];

/** `key<TAB>value` lines of everything in `value`; nested names are joined by dots, list elements count from 0. */
const flatLines = (value: unknown, path: string, view: View): string => {
  const kind = view.columns.find((column) => column.path === path)?.kind;
  const isPair = (kind === 'enum' || kind === 'state') && isEnum(value);
  const members = isPair ? [] : membersOf(value);
  if (members.length === 0) return line(path, machineText(value, kind));
  return members.map(([name, member]) => flatLines(member, path === '' ? name : `${path}.${name}`, view)).join('');
};

/** One record as `key<TAB>value` lines: every field that was sent, or the named columns in their order. */
export const tsvRecord = (record: Received, names: readonly string[] | undefined, view: View): string => {
  const value = exactValue(record);
  if (names !== undefined) {
    const columns = checkRecordColumns(names, view, record);
    return columns.map(({ path, kind }) => line(path, machineText(valueAt(value, path), kind))).join('');
  }
  if (membersOf(value).length > 0) return flatLines(value, '', view);
  return isObject(value) ? '' : `${cell(machineText(value, undefined))}\n`;
};
