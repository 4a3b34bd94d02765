import type { Client } from '../../client/client.ts';
import { namingFlags } from '../../core/flags.ts';
import { idProblem } from '../../core/ids.ts';
import type { KeyColumn, RowKind } from '../kind.ts';
import { type ColumnFault, faultsOf } from '../row-end.ts';
import { type Cells, cellsOf } from './cells.ts';
import { columnNames, missingColumn, unusedNotices } from './columns.ts';
import type { Input } from './input.ts';
import { fieldsOf, type InputRow } from './row.ts';

/** What a row asks for, and what it is about. */
export interface RowItem<T> {
  readonly key: string;
  readonly item: T;
}

/** That, or all that is wrong with a row. */
export type ReadRow<T> = RowItem<T> | { readonly faults: readonly ColumnFault[] };

/** The rows of a file as a noun reads them. */
export interface RowReader<T> {
  /** What a row is about, whatever else it holds. */
  readonly keyOf: (row: InputRow) => string;
  readonly read: (row: InputRow) => ReadRow<T>;
  /** The same, with what the contract has against it; sending checks that again. */
  readonly judge: (row: InputRow) => ReadRow<T>;
  /** An error about a row, whose violations name the column or the flag behind each property. */
  readonly named: (thrown: unknown, item: T) => unknown;
  /** What people should know of the columns. */
  readonly notices: readonly string[];
}

const readKey = (cells: Cells, { name, prefix, missing, wrong }: KeyColumn, validate: boolean): string => {
  const text = cells.text(name) ?? '';
  if (text === '' && missing !== undefined && cells.faults.length === 0) cells.fault(name, missing);
  const problem = validate && text !== '' && prefix !== undefined ? idProblem(prefix, text) : undefined;
  if (problem !== undefined) cells.fault(name, wrong?.(text, problem) ?? problem);
  return text;
};

/** How rows are read, once the columns of their file are known; throws a usage error where they can't be. */
export const openRows = <T>(
  kind: RowKind<T>,
  { columns: written, format }: Pick<Input, 'columns' | 'format'>,
  { client, validate }: { readonly client: Pick<Client, 'check'>; readonly validate: boolean },
): RowReader<T> => {
  const { key } = kind;
  const known = [key.name, ...kind.columns];
  // Keys of JSON are what they are.
  const columns = format === 'csv' ? columnNames(written, known) : written;
  if (key.missing !== undefined && !columns.includes(key.name)) throw missingColumn(columns, key, kind.allColumns);
  kind.checkColumns(columns);
  const isAsWritten = columns.every((name, index) => name === written[index]);

  const cellsIn = ({ fields }: InputRow): Cells => {
    const named = isAsWritten ? fields : fieldsOf(columns.map((name, index) => [name, fields[written[index] ?? '']]));
    return cellsOf(named, format, columns);
  };
  const read = (row: InputRow): ReadRow<T> => {
    const cells = cellsIn(row);
    const about = readKey(cells, key, validate);
    const item = kind.read(cells, about);
    if (cells.faults.length > 0 || item === undefined) return { faults: cells.faults };
    return { key: kind.keyOf?.(item) ?? about, item };
  };
  const named = (thrown: unknown, item: T): unknown =>
    namingFlags(thrown, kind.columnOf(item, columns), kind.guessOf?.(item), kind.money?.(item)?.currency);

  return {
    keyOf: (row) => String(cellsIn(row).given.get(key.name) ?? ''),
    read,
    judge: (row) => {
      const asked = read(row);
      if ('faults' in asked) return asked;
      try {
        const { operation, input } = kind.request(asked.item);
        client.check(operation, input);
        return asked;
      } catch (thrown) {
        return { faults: faultsOf(named(thrown, asked.item)) };
      }
    },
    named,
    notices: unusedNotices(columns, known),
  };
};
