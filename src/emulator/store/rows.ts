import type { StatementSync } from 'node:sqlite';
import { parseExact } from '../../core/json.ts';
import { number, optionalText } from '../../database/values.ts';

export type Row = ReturnType<StatementSync['get']>;

/** A record and its place in the order of creation. */
export interface Placed<T> {
  readonly position: number;
  readonly record: T;
}

/** What an open thing becomes by itself, and when, in milliseconds since the epoch. */
export interface Due<Ending extends string> {
  readonly ending: Ending;
  readonly due: number;
}

export const recordOf = <T>(row: Row, column = 'record'): T | undefined => {
  const json = optionalText(row?.[column]);
  return json === undefined ? undefined : (parseExact(json) as T);
};

/** The plan in the columns `due` and `ending`. */
export const planOf = <Ending extends string>(row: Row): Due<Ending> | undefined => {
  const ending = optionalText(row?.['ending']);
  return ending === undefined ? undefined : { ending: ending as Ending, due: number(row?.['due']) };
};

/** The records of a page with their places, as `read` takes them out of its rows. */
export const placedOf = <T>(rows: readonly Row[], read: (row: Row) => T | undefined): Placed<T>[] =>
  rows.flatMap((row) => {
    const record = read(row);
    return record === undefined ? [] : [{ position: number(row?.['seq']), record }];
  });

/** Where a page begins that no cursor was given for. */
export const NEWEST = Number.MAX_SAFE_INTEGER;
