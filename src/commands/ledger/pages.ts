import { PAGE_MAX } from '../../core/page.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Ledger, ListFilter } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import type { Listed } from '../listed-pages.ts';
import { listedPages, numberedCursors } from '../listed-pages.ts';
import { recordOf } from './view.ts';

/** What makes a row of output of an entry, with what has become of the money of a charge by now. */
export type Recorder = (entry: Entry) => Received;

export const recorderOf = async (deps: Deps): Promise<Recorder> => {
  const [ledger, { paymentOf }] = [await deps.ledger(), await deps.protocol()];
  return (entry) => recordOf(entry, paymentOf(entry, ledger.moment()));
};

/** Places in the order of creation. */
const { cursorOf, seqOf } = numberedCursors('seq:');

export { seqOf };

/** Entries page by page. */
export const pagesOf = (
  ledger: Ledger,
  record: Recorder,
  filter: Omit<ListFilter, 'limit' | 'before' | 'after'>,
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
