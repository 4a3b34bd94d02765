import { PAGE_DEFAULT } from '../core/page.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Handler } from './handler.ts';
import { invalid } from './refusal.ts';
import type { Store } from './store.ts';

const LIST = 'ugwo';

const positionOf = (cursor: string | undefined, store: Store): number | undefined => {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(store.key, LIST, cursor);
  if (position === undefined) throw invalid([{ propertyPath: 'cursor', title: 'is not a cursor of this list' }]);
  return position;
};

/** interface.md 4.3: payment requests, newest first. One more than the page holds is read, to know whether it is the last. */
export const listUgwo: Handler<'ugwo.list'> = ({ query }, store) => {
  const limit = query.limit === undefined ? PAGE_DEFAULT : Number(query.limit);
  const found = store.ugwoBefore(positionOf(query.cursor, store), limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    data: shown.map(({ record }) => record),
    next_cursor: more ? encodeCursor(store.key, LIST, last.position) : null,
  };
};
