import { reasonOf } from '../core/error.ts';
import { isJsonObject, parseExact } from '../core/json.ts';
import { depthOf } from '../core/json-scan.ts';
import { fromSpreadsheet } from '../core/text.ts';
import type { ColumnFault } from './row-end.ts';

export type FileFormat = 'csv' | 'ndjson';

/** The format by the file name's ending; undefined for any other ending. */
export const formatOfName = (name: string): FileFormat | undefined => {
  if (/\.(?:csv|tsv)$/i.test(name)) return 'csv';
  return /\.(?:ndjson|jsonl)$/i.test(name) ? 'ndjson' : undefined;
};

/** A row of the file, before a noun interprets it. */
export interface InputRow {
  /** The first data row is 1; blank lines are not counted. */
  readonly number: number;
  /** The number of its first line in the file. */
  readonly line: number;
  /** Strings in CSV, JSON values in NDJSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Rows of the same columns share a shape: an object that is created without a class takes four times the memory. */
class RowFields {}
// A column may be called `__proto__`, and `constructor` must not exist unless the file has it.
Object.setPrototypeOf(RowFields.prototype, null);
Reflect.deleteProperty(RowFields.prototype, 'constructor');

/** The fields of a row, without what objects inherit. */
export const fieldsFrom = (entries: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> => {
  const fields = new RowFields() as Record<string, unknown>;
  for (const [name, value] of entries) fields[name] = value;
  return fields;
};

/** A column name as it is compared: case, blanks, hyphens and underscores don't count. */
export const bareName = (name: string): string => name.toLowerCase().replaceAll(/[\s_\p{Pd}]+/gu, '');

type Fields = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 64;

/** The cells of one row, for the noun that builds a request from them. Collects the faults found on the way. */
export interface Cells {
  readonly format: FileFormat;
  /** All columns of the row, the empty ones included. */
  readonly names: readonly string[];
  /** The columns of the file; for NDJSON, those of its first row. */
  readonly columns: readonly string[];
  /** The non-empty values by column, in file order. */
  readonly given: ReadonlyMap<string, unknown>;
  readonly faults: readonly ColumnFault[];
  /** The text of a column; undefined if it is empty. A value that is no text is a fault. */
  text(column: string): string | undefined;
  /** The text of a column, parsed. `wanted` describes the expected form in the fault. */
  parsed<T>(column: string, parse: (text: string) => T | undefined, wanted: string): T | undefined;
  /**
   * The object that several columns build together; undefined if none of them is set. `param.k` sets a text (in
   * NDJSON any value), `param.k:` sets JSON, and `param` sets a whole object. The same key twice is a fault, since one
   * of the two values would be lost. Several names are synonyms.
   */
  object(...names: readonly string[]): Fields | undefined;
  fault(column: string | undefined, what: string): void;
}

/** Strips a CSV cell of surrounding blanks, no-break spaces included, and of the guard against spreadsheet formulas. */
const strippedCell = (cell: unknown): unknown => (typeof cell === 'string' ? fromSpreadsheet(cell.trim()) : cell);

/** A link that holds an address or a number and nothing else, as a spreadsheet or a web page writes it. */
const LINK = /^(?:mailto:(?=[^\s@]+@[^\s@]+$)|tel:(?=[+\d][\d\s().-]*$))/i;

/** The value of a column without `mailto:` and `tel:`. A key of an object keeps them. */
const unlinked = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => [
  name,
  typeof value === 'string' && !name.includes('.') ? value.replace(LINK, '') : value,
];

/** The non-empty values of a row: an empty CSV cell and a null in NDJSON count as not given. */
const givenOf = (fields: Fields, format: FileFormat): ReadonlyMap<string, unknown> => {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  if (format === 'ndjson') return new Map(entries.map(unlinked));
  return new Map(entries.map(([name, cell]) => unlinked([name, strippedCell(cell)])).filter(([, cell]) => cell !== ''));
};

/** Parses a text as JSON. Other NDJSON values are parsed already. */
const readJson = (given: unknown): { readonly value: unknown } | { readonly fault: string } => {
  if (typeof given !== 'string') return { value: given };
  if (depthOf(given) > MAX_DEPTH) return { fault: `nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: parseExact(given) };
  } catch (thrown) {
    return { fault: `not JSON: ${reasonOf(thrown)}` };
  }
};

type Member = readonly [key: string, value: unknown];

/** The members of an object, or the fault as a text. */
export const membersOfObject = (given: unknown): readonly Member[] | string => {
  const read = readJson(given);
  if ('fault' in read) return read.fault;
  return isJsonObject(read.value) ? Object.entries(read.value) : 'not a JSON object';
};

/** The member that a column sets by its name: `k` as it is, `k:` parsed as JSON. */
const memberNamed = (key: string, given: unknown): readonly Member[] | string => {
  const isJson = key.endsWith(':');
  const name = isJson ? key.slice(0, -1) : key;
  if (name === '') return 'no name after the dot';
  const read = isJson ? readJson(given) : { value: given };
  return 'fault' in read ? read.fault : [[name, read.value]];
};

/** The members that a column sets, or its fault as a text; undefined if the column does not belong to `name`. */
const membersIn = (column: string, given: unknown, name: string): readonly Member[] | string | undefined => {
  if (column === name) return membersOfObject(given);
  return column.startsWith(`${name}.`) ? memberNamed(column.slice(name.length + 1), given) : undefined;
};

export const cellsOf = (fields: Fields, format: FileFormat, columns: readonly string[]): Cells => {
  const given = givenOf(fields, format);
  const faults: ColumnFault[] = [];
  const fault = (column: string | undefined, what: string): void => void faults.push({ column, what });

  const text = (column: string): string | undefined => {
    const value = given.get(column);
    if (value === undefined || typeof value === 'string') return value;
    fault(column, 'should be text');
    return undefined;
  };

  const object = (...names: readonly string[]): Fields | undefined => {
    const values = new Map<string, unknown>();
    const columnOf = new Map<string, string>();
    let found = false;
    for (const [column, value] of given) {
      const members = names.map((name) => membersIn(column, value, name)).find((found) => found !== undefined);
      if (members === undefined) continue;
      found = true;
      if (typeof members === 'string') {
        fault(column, members);
        continue;
      }
      for (const [key, member] of members) {
        const first = columnOf.get(key);
        if (first !== undefined) fault(column, `"${key}" is also set by the column "${first}"`);
        columnOf.set(key, first ?? column);
        values.set(key, member);
      }
    }
    return found ? Object.fromEntries(values) : undefined;
  };

  return {
    format,
    names: Object.keys(fields),
    columns,
    given,
    faults,
    text,
    parsed: (column, parse, wanted) => {
      const read = text(column);
      const value = read === undefined ? undefined : parse(read);
      if (read !== undefined && value === undefined) fault(column, `${JSON.stringify(read)} is not ${wanted}`);
      return value;
    },
    object,
    fault,
  };
};
