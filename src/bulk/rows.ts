import type { Client } from '../client/client.ts';
import { cutName } from '../core/bounds.ts';
import { type PayError, usageError } from '../core/error.ts';
import { idIn, idProblem } from '../core/ids.ts';
import { type FlagOf, namingFlags } from '../core/input.ts';
import { didYouMean } from '../core/text.ts';
import { type Cells, cellsOf, fieldsOf, type InputRow } from './cells.ts';
import type { KeyColumn, RowKind } from './kind.ts';
import type { RowsFile } from './read-file.ts';
import { type ColumnFault, faultsOf } from './row-end.ts';

/** Names of columns that are read; one that ends in a dot stands for all that begin with it. */
type Known = readonly string[];

const knownOf = ({ key, columns }: Pick<RowKind<never>, 'key' | 'columns'>): Known => [
  key.name,
  ...columns.flatMap((name) => (name.endsWith('.k') ? [name.slice(0, -2), name.slice(0, -1)] : name.split(' or '))),
];

const knownIn = (known: Known, column: string): string | undefined =>
  known.find((name) => (name.endsWith('.') ? column.startsWith(name) : column === name));

/** The known name for a column; of `param.k` only the beginning is normalised, since a key is case-sensitive. */
const knownName = (column: string, known: Known): string => {
  const text = column.trim();
  const found = knownIn(known, text.toLowerCase());
  return found === undefined ? column : found + text.slice(found.length);
};

/**
 * The names by which the columns of a header are read, in file order: known names in any case and with surrounding
 * blanks, all others unchanged. Throws a usage error where two columns have the same name.
 */
export const columnNames = (columns: readonly string[], known: Known): readonly string[] => {
  const names = columns.map((column) => knownName(column, known));
  const first = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const before = first.get(name);
    if (before !== undefined) {
      const [one, other] = [columns[before], columns[index]].map((column) => JSON.stringify(column));
      throw usageError(`the columns ${one} and ${other} are both ${name}`, { hint: 'leave one of them out' });
    }
    first.set(name, index);
  }
  return names;
};

const MOST_NAMED = 10;
const DELIMITERS = /[,;\t|]/;

const andMore = (names: readonly string[]): string =>
  names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';

type Needed = Pick<KeyColumn, 'name' | 'prefix' | 'aliases'>;

const stepOf = (columns: readonly string[], { name, prefix, aliases }: Needed, all: string): string => {
  const [first = ''] = columns;
  if (prefix !== undefined && columns.some((column) => column.startsWith(`${prefix}.`))) {
    return `the first line is a row: add a header above it with the column names, such as ${name}`;
  }
  if (columns.length === 1 && DELIMITERS.test(first)) return 'set the column separator with --delimiter';
  const meant =
    columns.find((column) => aliases.includes(column.trim().toLowerCase())) ??
    columns.find((column) => didYouMean(column, [name]) !== undefined);
  return meant === undefined ? `the first line must name the columns: ${all}` : `rename column ${meant} to ${name}`;
};

/** The error for a file without its key column; `all` lists the columns that are read, as text. */
export const missingColumn = (columns: readonly string[], needed: Needed, all: string): PayError => {
  const names = columns.slice(0, MOST_NAMED).map(cutName);
  const found = names.length === 0 ? '' : ` (found: ${names.join(', ')}${andMore(columns)})`;
  return usageError(`no column ${needed.name}${found}`, { hint: stepOf(columns, needed, all) });
};

/** Files with more unused columns than this get no spelling suggestions. */
const MOST_GUESSED = 1000;

/** Suggests `param.tier` for `parm.tier` where `param.` is known. */
const meantByBeginning = (name: string, beginnings: readonly string[]): string | undefined => {
  const dot = name.indexOf('.');
  if (dot === -1) return undefined;
  const words = beginnings.map((beginning) => beginning.slice(0, -1));
  const word = didYouMean(name.slice(0, dot), words);
  return word === undefined ? undefined : word + name.slice(dot);
};

/**
 * Notices about unused columns; none where every column is read. A column that the file already has is not suggested
 * for another.
 */
export const unusedNotices = (columns: readonly string[], known: Known): readonly string[] => {
  const unused = columns.filter((name) => knownIn(known, name) === undefined);
  if (unused.length === 0) return [];
  const present = new Set(columns);
  const names = known.filter((name) => !name.endsWith('.') && !present.has(name));
  const beginnings = known.filter((name) => name.endsWith('.'));
  const guesses = (unused.length > MOST_GUESSED ? [] : unused).flatMap((name) => {
    const meant = didYouMean(name, names) ?? meantByBeginning(name, beginnings);
    return meant === undefined || present.has(meant) ? [] : [`${name}: did you mean ${meant}?`];
  });
  const shown = unused.slice(0, MOST_NAMED).join(', ');
  return [`Ignored columns (copied to the report): ${shown}${andMore(unused)}`, ...guesses];
};

/** The item of a row, and its key. */
export interface RowItem<T> {
  readonly key: string;
  readonly item: T;
}

/** The item, or all faults of a row. */
export type ReadRow<T> = RowItem<T> | { readonly faults: readonly ColumnFault[] };

/** Reads the rows of a file for a noun. */
export interface RowReader<T> {
  readonly read: (row: InputRow) => ReadRow<T>;
  /** Reads a row and checks it against the contract; sending checks that again. */
  readonly judge: (row: InputRow) => ReadRow<T>;
  /** Rewrites the violations of an error to name the column or the flag behind each property. */
  readonly named: (thrown: unknown, item: T) => unknown;
  /** Notices about the columns. */
  readonly notices: readonly string[];
}

const keyIn = (text: string, prefix: KeyColumn['prefix']): string => (prefix === undefined ? text : idIn(prefix, text));

const readKey = (cells: Cells, { name, prefix, missing, wrong }: KeyColumn, validate: boolean): string => {
  const text = keyIn(cells.text(name) ?? '', prefix);
  if (text === '' && missing !== undefined && cells.faults.length === 0) cells.fault(name, missing);
  const problem = validate && text !== '' && prefix !== undefined ? idProblem(prefix, text) : undefined;
  if (problem !== undefined) cells.fault(name, wrong?.(text, problem) ?? problem);
  return text;
};

/** Columns whose value an option sets, too: it is unclear which one counts. */
const setTwice = (columns: readonly string[], known: Known, flagOf: FlagOf): readonly ColumnFault[] =>
  columns.flatMap((column) => {
    const flag = knownIn(known, column) === undefined ? undefined : flagOf(column);
    return flag === undefined ? [] : [{ column, what: flag }];
  });

/** Opens the reader for a file whose columns are known; throws a usage error where the columns don't fit. */
export const openRows = <T>(
  kind: RowKind<T>,
  { columns: written, format }: Pick<RowsFile, 'columns' | 'format'>,
  { client, validate }: { readonly client: Pick<Client, 'check'>; readonly validate: boolean },
): RowReader<T> => {
  const { key } = kind;
  const known = knownOf(kind);
  // JSON keys are used as they are.
  const columns = format === 'csv' ? columnNames(written, known) : written;
  if (key.missing !== undefined && !columns.includes(key.name)) {
    throw missingColumn(columns, key, [key.name, ...kind.columns].join(', '));
  }
  for (const { column, what } of setTwice(columns, known, kind.flagOf)) {
    throw usageError(`${what} and the column ${column} set the same value; leave one out`);
  }
  kind.checkColumns?.(columns, format);
  const isAsWritten = columns.every((name, index) => name === written[index]);

  const cellsIn = ({ fields }: InputRow): Cells => {
    const named = isAsWritten ? fields : fieldsOf(columns.map((name, index) => [name, fields[written[index] ?? '']]));
    return cellsOf(named, format, columns);
  };
  const read = (row: InputRow): ReadRow<T> => {
    const cells = cellsIn(row);
    const about = readKey(cells, key, validate);
    // NDJSON rows may have different names, so the first row is not enough.
    if (format === 'ndjson') {
      for (const { column, what } of setTwice(cells.names, known, kind.flagOf))
        cells.fault(column, `is also set by ${what}`);
    }
    const item = kind.read(cells, about);
    if (cells.faults.length > 0 || item === undefined) return { faults: cells.faults };
    return { key: kind.keyOf?.(item) ?? about, item };
  };
  const named = (thrown: unknown, item: T): unknown =>
    namingFlags(thrown, kind.columnOf(item, columns), kind.guessOf?.(item), kind.money?.(item)?.currency);

  return {
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
