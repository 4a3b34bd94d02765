import { createHmac } from 'node:crypto';
import { PAGE_DEFAULT } from '../core/record.ts';
import { invalid } from './service.ts';
import type { EmulatorStore, Placed } from './store.ts';

const POSITION_BYTES = 6;
const TAG_BYTES = 9;

/**
 * Encodes the opaque cursor of a list (interface.md 2.6): the position after which the next page starts, signed with
 * the data file's key. A position is a record's number in the order of creation, so new records don't shift it.
 */
export const encodeCursor = (key: string, list: string, position: number): string => {
  const place = Buffer.alloc(POSITION_BYTES);
  place.writeUIntBE(position, 0, POSITION_BYTES);
  const tag = createHmac('sha256', key).update(list).update(place).digest().subarray(0, TAG_BYTES);
  return Buffer.concat([place, tag]).toString('base64url');
};

/** Decodes a cursor of this list; undefined for any text that `encodeCursor` did not produce. */
export const decodeCursor = (key: string, list: string, cursor: string): number | undefined => {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== POSITION_BYTES + TAG_BYTES) return undefined;
  const position = bytes.readUIntBE(0, POSITION_BYTES);
  return encodeCursor(key, list, position) === cursor ? position : undefined;
};

interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

/**
 * interface.md 4.3: returns a page of a list, newest first. Reads one record more than the page holds, to detect the
 * last page. Refuses a cursor of another list.
 */
export const pageOf = <T>(
  list: 'onye' | 'ugwo',
  query: PageQuery,
  { key }: EmulatorStore,
  before: (position: number | undefined, count: number) => Placed<T>[],
): { data: T[]; next_cursor: string | null } => {
  const limit = query.limit === undefined ? PAGE_DEFAULT : Number(query.limit);
  const position = query.cursor === undefined ? undefined : decodeCursor(key, list, query.cursor);
  if (query.cursor !== undefined && position === undefined) {
    throw invalid([{ propertyPath: 'cursor', title: 'is not a cursor of this list' }]);
  }
  const found = before(position, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    data: shown.map(({ record }) => record),
    next_cursor: more ? encodeCursor(key, list, last.position) : null,
  };
};
