import { PAGE_DEFAULT } from '../core/page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { invalid } from './refusal.ts';
import type { Store } from './store/open.ts';
import type { Placed } from './store/rows.ts';

interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: string | undefined;
}

/**
 * interface.md 4.3: a page of a list, newest first. One more than the page holds is read, to know whether it is the last. A
 * cursor of another list is none of this one.
 */
export const pageOf = <T>(
  list: 'onye' | 'ugwo',
  query: PageQuery,
  { key }: Store,
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
