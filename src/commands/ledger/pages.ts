import type { PayError } from '../../core/error.ts';
import { usageError } from '../../core/error.ts';
import { PAGE_MAX } from '../../core/page.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { recordOf } from './view.ts';

/** What makes a row of output of an entry, with what has become of the money of a charge by now. */
export type Recorder = (entry: Entry) => Received;

export const recorderOf = async (deps: Pick<Deps, 'ledger' | 'protocol'>): Promise<Recorder> => {
  const [ledger, { paymentOf }] = [await deps.ledger(), await deps.protocol()];
  return (entry) => recordOf(entry, paymentOf(entry, ledger.moment()));
};

/** Something that the ledger keeps in an order, and how a list shows it. `P` is a place in that order. */
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
  const entries: Listed<Entry, number> = {
    find: (seq, limit) =>
      ledger.list({ ...filter, ...(filter.oldestFirst === true ? { after: seq } : { before: seq }), limit }),
    placeOf: ({ seq }) => seq,
    cursorOf,
    recordsOf: async (found) => found.map((entry) => record(entry)),
    size: PAGE_MAX,
  };
  return listedPages(entries, bounds);
};
