import { type CsvError, Parser } from 'csv-parse';
import { counted, cutName } from '../core/bounds.ts';
import { PayError } from '../core/error.ts';
import { fieldsFrom, type InputRow, membersOfObject } from './cells.ts';

/** A file that can't be read, or only in part. */
export class InputError extends PayError {
  constructor(message: string, hint: string) {
    super('usage', message, { hint });
  }
}

/**
 * Makes the error for a row of one file. The first data row is 1, and the header of a CSV file is 0. Its hint says that
 * nothing was sent. When reading fails while rows are being sent, only the message is printed.
 */
export type Fail = (row: number, column: string | undefined, what: string, hint: string) => InputError;

export const failIn =
  (name: string, ending = '; nothing was sent'): Fail =>
  (row, column, what, hint) => {
    const place = row === 0 ? 'header' : `row ${row}`;
    const where = column === undefined ? place : `${place}, column ${JSON.stringify(cutName(column))}`;
    return new InputError(`${name}: ${where}: ${what}`, `${hint}${ending}`);
  };

/**
 * The longest accepted row, in bytes, separators and quotes included. A longer one is a mistake, such as an unclosed
 * quote.
 */
const LONGEST_ROW = 1024 * 1024;

/** A byte order mark at the start of the file is dropped before this; anywhere else it is content. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Makes the error for bytes that are not UTF-8 text. */
type Wrong = (what: string, hint: string) => Error;

/** Decodes bytes as UTF-8; throws for a NUL character or invalid UTF-8. */
const decodeText = (bytes: Uint8Array, wrong: Wrong): string => {
  if (bytes.includes(0)) throw wrong('a NUL character', 'the file is damaged or not a text');
  try {
    return utf8.decode(bytes);
  } catch {
    throw wrong('not UTF-8', 'save the file as UTF-8');
  }
};

/** Same as `decodeText`, for a latin1 string that holds one byte a character. */
const textOfBytes = (kept: string, wrong: Wrong): string =>
  /^\p{ASCII}*$/u.test(kept) && !kept.includes('\0') ? kept : decodeText(Buffer.from(kept, 'latin1'), wrong);

/** One record of the file; the header is number 0. Its cells hold one byte a character. */
interface CsvRecord {
  readonly number: number;
  /** The number of the line on which it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The bytes that csv-parse holds back to look ahead. */
const HELD_BACK = 64;

const UNCLOSED_HINT = 'look for an unclosed quote in this row or the one before';

const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed quote',
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quote',
  INVALID_OPENING_QUOTE: 'quote inside an unquoted cell',
};
const QUOTE_HINT = 'put the cell in quotes and double each quote inside it';

/** Blanks only. Includes the no-break space, whose UTF-8 is two bytes. */
const BLANK = /^(?:[ \t\r\n]|\xc2\xa0)*$/;

const isBlankRow = (cells: readonly string[]): boolean => cells.every((cell) => BLANK.test(cell));

/** Drops the blank cells beyond `count`: a spreadsheet writes separators as far as the longest row reaches. */
const trimmedTo = (cells: readonly string[], count: number): readonly string[] =>
  cells.length > count && isBlankRow(cells.slice(count)) ? cells.slice(0, count) : cells;

/** The line ends inside the cells of a row. */
export const lineEnds = (cells: readonly unknown[]): number =>
  cells.reduce<number>((all, cell) => all + (String(cell).match(/\r\n|\n|\r/g)?.length ?? 0), 0);

/**
 * The records of a file as csv-parse finds them, one array a chunk: awaiting each record would cost more than parsing
 * it. The parser gets one chunk at a time, and its records come through `on_record`: its readable side would drop those
 * before a fault. Cells stay bytes (`latin1`), since it would silently replace invalid UTF-8 by U+FFFD.
 */
async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  failed: (record: number, thrown: unknown) => unknown,
): AsyncGenerator<readonly CsvRecord[]> {
  const found: CsvRecord[] = [];
  let [count, ended, given] = [0, 0, 0];
  const parser = new Parser({
    encoding: 'latin1',
    delimiter: Buffer.from(delimiter),
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_column_count: true,
    on_record: (cells: string[], { bytes: end, lines }) => {
      if (end - ended > LONGEST_ROW) throw failed(count, undefined);
      ended = end;
      if (isBlankRow(cells)) return null;
      found.push({ number: count, line: lines - lineEnds(cells), cells });
      count += 1;
      return null;
    },
  });
  // Write and end callbacks report each fault; this handler only prevents an uncaught error.
  parser.on('error', () => undefined);
  try {
    for await (const chunk of bytes) {
      const thrown = await new Promise((resolve) => parser.write(chunk, resolve));
      yield found.splice(0);
      if (thrown) throw failed(count, thrown);
      given += chunk.length;
      if (given - ended > LONGEST_ROW + HELD_BACK) throw failed(count, undefined);
    }
    const thrown = await new Promise((resolve) => parser.end((thrown?: unknown) => resolve(thrown)));
    yield found;
    if (thrown) throw failed(count, thrown);
  } finally {
    parser.destroy();
  }
}

/** The error for the fault that stopped the parser. */
const csvError = (thrown: unknown, row: number, columns: readonly string[], fail: Fail): unknown => {
  if (thrown === undefined) return fail(row, undefined, `longer than ${LONGEST_ROW} bytes`, UNCLOSED_HINT);
  const { code, column } = thrown as CsvError;
  const what = QUOTE_FAULTS[code];
  if (what === undefined) return thrown;
  return fail(row, typeof column === 'number' ? columns[column] : undefined, what, QUOTE_HINT);
};

/** A table of another program: columns may lack names of their own, and rows may end early. */
export interface ForeignTable {
  /** False if the first row is one of the table. */
  readonly hasHeader: boolean;
}

/** Characters that nobody sees, such as marks of the direction of a text. */
export const INVISIBLE = /\p{Cf}/gu;

/** The name of a column by its place. */
const placeName = (index: number): string => `column ${index + 1}`;

/** Names of the columns of a foreign table. One without a name of its own is called by its place. */
export const foreignNames = (written: readonly string[]): readonly string[] => {
  const names = written.map((name) => name.replaceAll(INVISIBLE, ''));
  return names.map((name, index) => {
    if (name.trim() === '') return placeName(index);
    return names.indexOf(name) === index ? name : `${name} (${placeName(index)})`;
  });
};

const checkNames = (names: readonly string[], fail: Fail): void => {
  const empty = names.indexOf('');
  if (empty !== -1) throw fail(0, undefined, `column ${empty + 1} has no name`, 'give every column its own name');
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw fail(0, name, 'duplicate column name', 'give every column its own name');
    seen.add(name);
  }
};

const columnNamesIn = ({ cells }: CsvRecord, fail: Fail, foreign: ForeignTable | undefined): readonly string[] => {
  const named = trimmedTo(cells, cells.findLastIndex((cell) => !BLANK.test(cell)) + 1);
  const names = named.map((cell, index) => textOfBytes(cell, (what, hint) => fail(0, `${index + 1}`, what, hint)));
  if (foreign !== undefined) {
    return foreignNames(names);
  }
  checkNames(names, fail);
  return names;
};

/** The column names in file order; empty for a file of blank lines. */
export const csvColumns = async (
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  fail: Fail,
  foreign?: ForeignTable,
): Promise<readonly string[]> => {
  let most = 0;
  for await (const records of csvRecords(bytes, delimiter, (_, thrown) => csvError(thrown, 0, [], fail))) {
    const [header] = records;
    if (foreign?.hasHeader === false) most = records.reduce((all, { cells }) => Math.max(all, cells.length), most);
    else if (header !== undefined) return columnNamesIn(header, fail, foreign);
  }
  return Array.from({ length: most }, (_none, index) => placeName(index));
};

const checkLength = (cells: readonly string[], number: number, columns: readonly string[], fail: Fail): void => {
  if (cells.length === columns.length) return;
  const what = `${counted(cells.length, 'cell')}, but the header has ${columns.length}`;
  throw fail(number, undefined, what, 'put cells that contain the delimiter in quotes, and leave no cell out');
};

const rowFrom = (record: CsvRecord, columns: readonly string[], fail: Fail, foreign?: ForeignTable): InputRow => {
  const { line } = record;
  const number = foreign?.hasHeader === false ? record.number + 1 : record.number;
  const cells = trimmedTo(record.cells, columns.length);
  if (foreign === undefined || cells.length > columns.length) checkLength(cells, number, columns, fail);
  const entries = columns.map((name, index): [string, string] => [
    name,
    textOfBytes(cells[index] ?? '', (what, hint) => fail(number, name, what, hint)),
  ]);
  return { number, line, fields: fieldsFrom(entries) };
};

/** The rows below the header; blank rows are not counted. */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  columns: readonly string[],
  fail: Fail,
  foreign?: ForeignTable,
): AsyncGenerator<InputRow> {
  const failed = (row: number, thrown: unknown) => csvError(thrown, row, columns, fail);
  for await (const records of csvRecords(bytes, delimiter, failed)) {
    for (const record of records) {
      if (record.number > 0 || foreign?.hasHeader === false) yield rowFrom(record, columns, fail, foreign);
    }
  }
}

const NEWLINE = 0x0a;
const NDJSON_HINT = 'write one JSON object on each line, such as {"key": "value"}';

/** The lines, without line ends. A line that exceeds the limit is yielded as far as it was read. */
async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [parts, size]: [Uint8Array[], number] = [[], 0];
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      [parts, size, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LONGEST_ROW) yield Buffer.concat(parts);
  }
  yield Buffer.concat(parts);
}

/** Reads one object a line; blank lines are not counted. Numbers are not rounded. */
export async function* ndjsonRows(bytes: AsyncIterable<Uint8Array>, fail: Fail): AsyncGenerator<InputRow> {
  let [number, at] = [1, 0];
  for await (const line of splitLines(bytes)) {
    at += 1;
    const wrong = (what: string, hint = NDJSON_HINT) => fail(number, undefined, what, hint);
    if (line.length > LONGEST_ROW) throw wrong(`longer than ${LONGEST_ROW} bytes`);
    const text = decodeText(line, wrong);
    if (text.trim() === '') continue;
    const members = membersOfObject(text);
    if (typeof members === 'string') throw wrong(members);
    yield { number, line: at, fields: fieldsFrom(members) };
    number += 1;
  }
}

/** The names in the first row, in file order. */
export const ndjsonColumns = async (bytes: AsyncIterable<Uint8Array>, fail: Fail): Promise<readonly string[]> => {
  for await (const { fields } of ndjsonRows(bytes, fail)) return Object.keys(fields);
  return [];
};
