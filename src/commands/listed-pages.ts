import type { PayError } from '../core/error.ts';
import { usageError } from '../core/error.ts';
import type { Received, ReceivedPage } from '../core/received.ts';

/** Something that is kept on this machine in an order, and how a list shows it. `P` is a place in that order. */
export interface Listed<T, P> {
  /** At most so many, from behind a place on. */
  readonly find: (behind: P | undefined, limit: number) => Promise<readonly T[]>;
  readonly placeOf: (item: T) => P;
  readonly cursorOf: (place: P) => string;
  readonly recordsOf: (items: readonly T[]) => Promise<readonly Received[]>;
  /** How many make a page. */
  readonly size: number;
}

/** What a user is told whose cursor is none of this list's. */
export const foreignCursor = (cursor: string): PayError =>
  usageError(`--cursor: "${cursor}" is not a cursor of this list`, {
    hint: 'use the next_cursor of an earlier page, or leave out --cursor',
  });

/** Page by page, at most `max` items, beginning behind the place `from`. Each page is asked for when the one before is taken. */
export async function* listedPages<T, P>(
  { find, placeOf, cursorOf, recordsOf, size: pageSize }: Listed<T, P>,
  { from, max = Number.POSITIVE_INFINITY }: { readonly from?: P | undefined; readonly max?: number | undefined },
): AsyncGenerator<ReceivedPage> {
  let [at, left, cursor] = [from, max, undefined as string | undefined];
  while (left > 0) {
    const size = Math.min(pageSize, left);
    // One more than is shown tells whether there is another page.
    const found = await find(at, size + 1);
    const shown = found.slice(0, size);
    const last = found.length > size ? shown.at(-1) : undefined;
    const place = last === undefined ? undefined : placeOf(last);
    const nextCursor = place === undefined ? null : cursorOf(place);
    yield { records: await recordsOf(shown), cursor, nextCursor };
    if (nextCursor === null) return;
    [at, left, cursor] = [place, left - size, nextCursor];
  }
}

/** Cursors of a list in which each place has a number: texts that promise nothing. */
export const numberedCursors = (prefix: string) => {
  const cursorOf = (seq: number): string => Buffer.from(`${prefix}${seq}`).toString('base64url');
  return {
    cursorOf,
    /** The place behind a cursor; a usage error for a text that is none of ours. */
    seqOf: (cursor: string): number => {
      const text = Buffer.from(cursor, 'base64url').toString('latin1');
      const digits = text.startsWith(prefix) ? text.slice(prefix.length) : '';
      const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
      if (Number.isNaN(seq) || cursorOf(seq) !== cursor) throw foreignCursor(cursor);
      return seq;
    },
  };
};
