import { stringify } from 'csv-stringify/sync';
import { forSpreadsheet, MARK, withoutFormula } from '../../core/formula.ts';
import { printExact } from '../../core/json.ts';
import { visibleCell, visibleJson } from '../../core/sanitize.ts';
import type { Format } from '../reading/format.ts';
import type { Input } from '../reading/input.ts';

/** A name for each, which is not among the taken ones nor there twice: its own, or the first that is free of `name_2`, `name_3` … */
const freeNames = (names: readonly string[], taken: Iterable<string>): readonly string[] => {
  const all = new Set(taken);
  return names.map((name) => {
    let free = name;
    for (let number = 2; all.has(free); number += 1) free = `${name}_${number}`;
    all.add(free);
    return free;
  });
};

type Fields = Readonly<Record<string, unknown>>;

/** The input that a report is about, as far as the look of the report depends on it, and what is added to its rows. */
export interface Content extends Pick<Input, 'columns' | 'format' | 'delimiter' | 'mark'> {
  /** The names of what is added. One that the input has already gets `_2` (then `_3`, …). */
  readonly own: readonly string[];
  /** Leaves what a spreadsheet would run or change as it is (--raw-csv). */
  readonly rawCsv: boolean;
  /** Begins with a byte order mark, as it does where the input has one (--bom). */
  readonly bom?: boolean;
}

/** How the rows of a report are written. */
export interface Layout {
  /** What comes before the first row. */
  readonly header: string;
  /** The line of a row: its fields as they were read, and what is added to them. */
  line(row: Fields, own: Fields): string;
}

/** As `-o csv` has it: a text loses what a spreadsheet would run or change; what else JSON knows is written as it is. */
const cellOf = (value: unknown, rawCsv: boolean): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' && !rawCsv ? forSpreadsheet(value) : value;
  return visibleCell(typeof text === 'string' ? text : printExact(text));
};

/**
 * A cell of the operator's own CSV file goes back as it was, lines included: it is how the row is found again. But whoever made
 * that file may be somebody else, and a report is looked at on a terminal: what would steer it is written as an escape. CSV has
 * none that a reader takes back; a report in NDJSON loses nothing.
 */
const asItWas = (value: unknown): string => visibleCell(String(value ?? ''));

/**
 * RFC 4180: a line end of any kind goes into quotes, which csv-stringify does unasked only for the one it writes; and what
 * would be taken for a byte order mark does.
 */
const csvLine = (cells: readonly string[], delimiter: string): string =>
  stringify([cells], {
    delimiter,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    quoted_match: MARK,
    eof: true,
  });

const csvLayout = ({ columns, own, format, delimiter = ',', mark, rawCsv, bom = false }: Content): Layout => {
  const isCsv = format === 'csv';
  const ownCell = (value: unknown): string => cellOf(value, rawCsv);
  const inputCell = isCsv ? asItWas : ownCell;
  const shown = columns.map(isCsv ? asItWas : (name) => visibleCell(rawCsv ? name : withoutFormula(name)));
  // No column of a CSV file may be without a name, nor two have the same.
  const names = freeNames(shown, ['']);
  const header = csvLine([...names, ...freeNames(own, names)], delimiter);
  return {
    header: bom || (mark && isCsv) ? `${MARK}${header}` : header,
    line: (row, more) =>
      csvLine([...columns.map((name) => inputCell(row[name])), ...own.map((name) => ownCell(more[name]))], delimiter),
  };
};

const ndjsonLayout = ({ columns, own }: Content): Layout => {
  const usual = freeNames(own, columns);
  return {
    header: '',
    line: (row, more) => {
      // A row may have names that the first one had not.
      const names = usual.some((name) => Object.hasOwn(row, name)) ? freeNames(usual, Object.keys(row)) : usual;
      const added = own.map((name, index) => [names[index], more[name]] as const);
      return `${visibleJson(printExact(Object.fromEntries([...Object.entries(row), ...added])))}\n`;
    },
  };
};

/** How a report of this format is written. */
export const layoutOf = (format: Format, content: Content): Layout =>
  format === 'csv' ? csvLayout(content) : ndjsonLayout(content);
