import type { Row, Value } from '../columns.ts';

// SQL that every database understands. `schema` stands before the name of each table.

export type Schema = '' | 'paycli.';

/** A statement, or a part of one, with a question mark for each of its values. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** Runs a statement that only reads. */
export type Ask = (...statement: Statement) => Promise<readonly Row[]>;

/** A place for the value of each of some columns. */
export const placesFor = (columns: string): string => columns.replaceAll(/[^,]+/g, '?');

export const inserting = (table: string, columns: string): string =>
  `INSERT INTO ${table} (${columns}) VALUES (${placesFor(columns)})`;

/** Writes a row of a table whose first columns, so many, are its key, in place of the one that there is. */
export const replacing = (table: string, columns: string, keys: number): string => {
  const names = columns.split(', ');
  const change = names.slice(keys).map((name) => `${name} = excluded.${name}`);
  return `${inserting(table, columns)} ON CONFLICT (${names.slice(0, keys).join(', ')}) DO UPDATE SET ${change.join(', ')}`;
};
