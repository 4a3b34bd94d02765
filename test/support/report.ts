import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** Rows of a report by row number. */
export const reportOf = (path: string): Record<string, Record<string, string>> => {
  const text = readFileSync(path, 'utf8');
  const delimiter = text.split('\r\n', 1)[0]?.includes(';') === true ? ';' : ',';
  const rows = parse<Record<string, string>>(text, { columns: true, bom: true, delimiter });
  return Object.fromEntries(rows.map((row) => [row['row'], row]));
};
