import { statusOf } from '../core/charge.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { servedBy } from '../core/received.ts';
import { type Charge, type Entry, isCharge } from './entry.ts';
import { keptActivity } from './kept-activity.ts';
import type { Ledger, ListFilter } from './ledger.ts';
import { shownOf } from './request-seen.ts';

/** What a refresh needs of a client: a read, undefined where the service has none. Throws what a read throws. */
interface Reader {
  look(
    id: 'ugwo.get' | 'activity.get',
    input: { readonly params: Readonly<Record<string, string>> },
  ): Promise<Received | undefined>;
}

const PAGE = 200;

/** Charges page by page, oldest first, from the place `after` on; what is added meanwhile comes at the end. */
export async function* chargesOf(ledger: Ledger, filter: Omit<ListFilter, 'limit'>): AsyncGenerator<Charge> {
  for (let { after = 0 } = filter; ; ) {
    const found = await ledger.list({ ...filter, oldestFirst: true, after, limit: PAGE });
    yield* found.filter(isCharge);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = last.seq;
  }
}

/** Reads how the activity of a charge stands, and writes it. False where the service shows nothing of it. */
export const refreshCharge = async (ledger: Ledger, { about, activity }: Entry, reader: Reader): Promise<boolean> => {
  if (activity === undefined) return false;
  const request = await reader.look('ugwo.get', { params: { uid: about } });
  const { activities, asked } = shownOf(request?.value, request);
  const listed = activities?.find((one) => valueAt(one, 'uid') === activity.uid);
  const params = { ugwoUid: about, activityUid: activity.uid };
  const record = listed === undefined ? await reader.look('activity.get', { params }) : undefined;
  const seen = listed ?? record?.value;
  // What is known already says more than a status that can't be read.
  if (seen === undefined || statusOf(seen) === '') return false;
  await ledger.observe([keptActivity(seen, servedBy(record ?? request))], asked, true);
  return true;
};
