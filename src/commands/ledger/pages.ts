import { usageError } from '../../core/error.ts';
import { PAGE_MAX } from '../../core/page.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Charge, Ledger, ListFilter } from '../../ledger/ledger.ts';
import { recordOf } from './view.ts';

const PREFIX = 'seq:';

/** A place in the order of creation as a text that promises nothing. */
const cursorOf = ({ seq }: Charge): string => Buffer.from(`${PREFIX}${seq}`).toString('base64url');

/** The place behind a cursor; a usage error for a text that is none of ours. */
export const seqOf = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const digits = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isNaN(seq) || cursorOf({ seq } as Charge) !== cursor) {
    throw usageError(`--cursor: "${cursor}" is not a cursor of this list`, {
      hint: 'take it from next_cursor of an earlier page, or leave it out',
    });
  }
  return seq;
};

/**
 * Charges page by page, at most `max` of them, beginning behind the place `from`. Each page is asked for when the one before
 * is taken.
 */
export async function* pagesOf(
  ledger: Ledger,
  filter: Pick<ListFilter, 'states' | 'ugwo' | 'oldestFirst'>,
  { from, max = Number.POSITIVE_INFINITY }: { readonly from?: number | undefined; readonly max?: number | undefined },
): AsyncGenerator<ReceivedPage> {
  let [at, left, cursor] = [from, max, undefined as string | undefined];
  while (left > 0) {
    const size = Math.min(PAGE_MAX, left);
    const place = filter.oldestFirst === true ? { after: at } : { before: at };
    // One more than is shown tells whether there is another page.
    const found = await ledger.list({ ...filter, ...place, limit: size + 1 });
    const shown = found.slice(0, size);
    const last = found.length > size ? shown.at(-1) : undefined;
    const nextCursor = last === undefined ? null : cursorOf(last);
    yield { records: shown.map(recordOf), cursor, nextCursor };
    if (last === undefined) return;
    [at, left, cursor] = [last.seq, left - size, cursorOf(last)];
  }
}
