import { PayError } from '../core/error.ts';
import type { ReceivedPage } from '../core/received.ts';

/** How far a walk goes: from a cursor, over at most so many pages, until at least so many records were seen. */
export interface Walk {
  readonly from?: string | undefined;
  readonly pages?: number | undefined;
  readonly records?: number | undefined;
}

/** A page that has arrived: how it goes on is known before its records are looked at. */
export interface Arrived<T> {
  readonly count: number;
  readonly nextCursor: string | null;
  /** Takes its records apart. */
  readonly open: () => ReceivedPage<T>;
}

type FetchPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Arrived<T>>;

/** As it is where it is short: a walk keeps one for each of its pages, of which there may be a million. */
const keptCursor = async (cursor: string): Promise<string> =>
  cursor.length <= SHORT_CURSOR ? cursor : (await import('node:crypto')).hash('sha256', cursor);
const SHORT_CURSOR = 64;

/** More empty pages in a row than any honest list has. */
const MAX_EMPTY_PAGES = 1000;

const looping = (): PayError =>
  new PayError('read_failed', 'the service gave the same cursor twice, so the list would never end', {
    hint: 'everything shown so far is complete; report the cursor to the service',
  });

const endlesslyEmpty = (): PayError =>
  new PayError('read_failed', `the service sent ${MAX_EMPTY_PAGES} empty pages in a row, each with a next cursor`);

/**
 * Walks a list (interface.md 4.3): follow `next_cursor` to null, tolerate an empty page, stop at a repeated cursor. The
 * next page is asked for before the current one is even taken apart, so it travels while this one is worked on and printed.
 */
export async function* walkPages<T>(fetch: FetchPage<T>, walk: Walk): AsyncGenerator<ReceivedPage<T>> {
  const seen = new Set<string>(walk.from === undefined ? [] : [await keptCursor(walk.from)]);
  const abort = new AbortController();
  let [pages, records, empty] = [0, 0, 0];
  let next: Promise<Arrived<T>> = fetch(walk.from, abort.signal);
  try {
    for (;;) {
      const { count, nextCursor, open } = await next;
      pages += 1;
      records += count;
      empty = count === 0 ? empty + 1 : 0;
      const enough = pages >= (walk.pages ?? Infinity) || records >= (walk.records ?? Infinity);
      const kept = nextCursor === null ? undefined : await keptCursor(nextCursor);
      const fault =
        kept !== undefined && seen.has(kept) ? looping() : empty >= MAX_EMPTY_PAGES ? endlesslyEmpty() : undefined;
      const more = nextCursor !== null && !enough && fault === undefined;
      if (more && kept !== undefined) {
        seen.add(kept);
        next = fetch(nextCursor, abort.signal);
        // Handled where it is awaited; until then a failure must not count as unhandled.
        next.catch(() => undefined);
      }
      yield open();
      if (fault !== undefined && !enough) throw fault;
      if (!more) return;
    }
  } finally {
    abort.abort();
  }
}
