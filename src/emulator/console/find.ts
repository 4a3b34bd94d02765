import type { Onye } from '../../contract/onye.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { printExact } from '../../core/json.ts';
import type { Placed } from '../store.ts';
import { amountOf } from './parts.ts';
import { requestState } from './states.ts';

/** How many records a page shows, how many a search reads at once, and how many before it says how far it has looked. */
const SHOWN = 25;
const AT_ONCE = 250;
const LONGEST_LOOK = 5000;

/** What was found of a list, newest first. */
export interface FoundRecords<T> {
  readonly records: readonly T[];
  /** Where to look on; undefined at the end of the list. */
  readonly next: number | undefined;
  /** How many records were looked at. */
  readonly looked: number;
}

type Before<T> = (position: number | undefined, count: number) => Placed<T>[];

/** The newest records before a place that are wanted, as far as one look goes. */
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

/** Whether a text holds each word of a search. */
const holds = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word));

const wordsOf = (search: string): string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Payment requests by any of their words: identifier, reference, customer, description, amount, metadata. */
export const ugwoFilter = (search: string, status: string) => {
  const words = wordsOf(search);
  return (ugwo: Ugwo): boolean => {
    if (status !== '' && ugwo.status !== status) return false;
    if (words.length === 0) return true;
    return holds(`${printExact(ugwo)} ${amountOf(ugwo)} ${requestState(ugwo.status)[0]}`.toLowerCase(), words);
  };
};

/** Customers by any of their words. */
export const onyeFilter = (search: string) => {
  const words = wordsOf(search);
  return (onye: Onye): boolean => words.length === 0 || holds(printExact(onye).toLowerCase(), words);
};
