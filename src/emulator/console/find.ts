import type { Onye } from '../../contract/onye.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { printExact } from '../../core/json.ts';
import type { Placed } from '../store.ts';
import { amountOf } from './parts.ts';
import { requestState } from './states.ts';

/** Number of records per page, records per read of a search, and records after which a search pauses. */
const SHOWN = 25;
const AT_ONCE = 250;
const LONGEST_LOOK = 5000;

/** Records found in a list, newest first. */
export interface FoundRecords<T> {
  readonly records: readonly T[];
  /** Position to continue from; undefined at the end of the list. */
  readonly next: number | undefined;
  /** Number of records searched. */
  readonly looked: number;
}

type Before<T> = (position: number | undefined, count: number) => Placed<T>[];

/** Returns the newest wanted records before a position; searches a limited number of records. */
export const findIn = <T>(
  before: Before<T>,
  from: number | undefined,
  isWanted: (record: T) => boolean,
): FoundRecords<T> => {
  const records: T[] = [];
  let [position, looked] = [from, 0];
  while (looked < LONGEST_LOOK) {
    const page = before(position, AT_ONCE);
    for (const { position: place, record } of page) {
      looked += 1;
      position = place;
      if (isWanted(record)) records.push(record);
      if (records.length === SHOWN) return { records, next: isLast(before, position) ? undefined : position, looked };
    }
    if (page.length < AT_ONCE) return { records, next: undefined, looked };
  }
  return { records, next: position, looked };
};

const isLast = <T>(before: Before<T>, position: number): boolean => before(position, 1).length === 0;

/** True if a text contains every word of a search. */
const holds = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

const wordsOf = (search: string): string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Matches payment requests by words in their identifier, reference, customer, description, amount or metadata. */
export const ugwoFilter = (search: string, status: string) => {
  const words = wordsOf(search);
  return (ugwo: Ugwo): boolean => {
    if (status !== '' && ugwo.status !== status) return false;
    if (words.length === 0) return true;
    return holds(`${printExact(ugwo)} ${amountOf(ugwo)} ${requestState(ugwo.status)[0]}`.toLowerCase(), words);
  };
};

/** Matches customers by any of their words. */
export const onyeFilter = (search: string) => {
  const words = wordsOf(search);
  return (onye: Onye): boolean => words.length === 0 || holds(printExact(onye).toLowerCase(), words);
};
