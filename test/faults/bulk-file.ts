import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { ugwoOf } from './counting.ts';

/** The operator's note of a row. */
export const noteOf = (number: number): string => `Shop ${number}, "Lagos"`;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Writes a file that charges this many payment requests, numbered from 0, with a column of the operator's own. */
export const writeRows = (path: string, rows: number): void => {
  const lines = Array.from(
    { length: rows },
    (_, number) => `${ugwoOf(number)},bank_transfer,${quoted(noteOf(number))}`,
  );
  writeFileSync(path, `${['ugwo,medium,note', ...lines].join('\n')}\n`);
};

/** A line of a report by column name. */
export type Line = Readonly<Record<string, string>>;

/** Digits are written as a formula, so that a spreadsheet preserves them. */
const plain = (cell: string): string => /^="(\d+)"$/.exec(cell)?.[1] ?? cell;

export const readReport = (path: string): Line[] =>
  parse(readFileSync(path), { columns: true, bom: true, cast: plain }) as Line[];

/** How often each name occurs. */
export const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
