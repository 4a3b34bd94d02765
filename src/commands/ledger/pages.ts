import { PAGE_MAX } from '../../core/page.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Entry, Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { Recorder } from './recorder.ts';
import type { Shelf } from './shelf.ts';
import { foreignCursor, shelfPages } from './shelf.ts';

const PREFIX = 'seq:';

/** A place in the order of creation as a text that promises nothing. */
const cursorOf = (seq: number): string => Buffer.from(`${PREFIX}${seq}`).toString('base64url');

/** The place behind a cursor; a usage error for a text that is none of ours. */
export const seqOf = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const digits = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isNaN(seq) || cursorOf(seq) !== cursor) throw foreignCursor(cursor);
  return seq;
};

/** A list that is one page. */
export async function* onePage(records: readonly Received[]): AsyncGenerator<ReceivedPage> {
  yield { records, cursor: undefined, nextCursor: null };
}

/** Entries page by page. */
export const pagesOf = (
  ledger: Ledger,
  record: Recorder,
  filter: Pick<ListFilter, 'states' | 'about' | 'oldestFirst'>,
  bounds: { readonly from?: number | undefined; readonly max?: number | undefined },
): AsyncGenerator<ReceivedPage> => {
  const entries: Shelf<Entry, number> = {
    find: (seq, limit) =>
      ledger.list({ ...filter, ...(filter.oldestFirst === true ? { after: seq } : { before: seq }), limit }),
    placeOf: ({ seq }) => seq,
    cursorOf,
    recordsOf: async (found) => found.map((entry) => record(entry)),
    size: PAGE_MAX,
  };
  return shelfPages(entries, bounds);
};
