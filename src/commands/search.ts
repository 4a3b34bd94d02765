import type { Client } from '../client/client.ts';
import type { ListId } from '../contract/operations.ts';
import { valueAt } from '../core/path.ts';
import type { ReceivedPage } from '../core/received.ts';
import type { RecordFilter } from '../core/record-filter.ts';
import { createdAt, endsAt, matcher } from '../core/record-filter.ts';
import { formatLocalFull } from '../core/time.ts';
import type { Deps } from './deps.ts';

/** What is searched through. */
export interface Searched {
  /** What its records are called, in the plural. */
  readonly records: string;
  /** The service lists the newest first, so that a walk can end early. */
  readonly newestFirst: boolean;
  /** A reference is one record's alone. */
  readonly uniqueRef: boolean;
}

/** How far a search has looked. */
interface Extent {
  count: number;
  oldest: number | undefined;
}

const look = (looked: Extent, { records }: ReceivedPage): void => {
  looked.count += records.length;
  for (const { value } of records) {
    const at = createdAt(value);
    if (at !== undefined) looked.oldest = Math.min(at, looked.oldest ?? at);
  }
};

const sayLooked = ({ count, oldest }: Extent, records: string): string =>
  `Looked through ${count} ${records}${oldest === undefined ? '' : `, back to ${formatLocalFull(oldest)}`}.`;

/** The cursor behind the first `count` records of a list; undefined where the service gives none, or other records. */
type CursorBehind = (count: number, last: unknown) => Promise<string | undefined>;

export const cursorBehind =
  (operation: ListId, client: Client): CursorBehind =>
  async (count, last) => {
    const walk = client.pages(operation, { query: { limit: String(count) } }, { pages: 1 });
    for await (const { records, nextCursor } of walk) {
      const isSame = records.length === count && valueAt(records.at(-1)?.value, 'uid') === valueAt(last, 'uid');
      return isSame ? (nextCursor ?? undefined) : undefined;
    }
    return undefined;
  };

/** A page with no more than `room` of what matches, and where to go on behind that. */
const cutPage = async (
  page: ReceivedPage,
  matching: ReceivedPage['records'],
  room: number,
  behind: CursorBehind,
): Promise<ReceivedPage> => {
  const records = matching.slice(0, room);
  const last = records.at(-1);
  const count = last === undefined ? 0 : page.records.indexOf(last) + 1;
  const next = page.cursor ?? (last === undefined ? undefined : await behind(count, last.value));
  return { ...page, records, nextCursor: next ?? null };
};

/**
 * What matches of each page, at most so many. The walk ends early where nothing older can match, and at the one record that
 * has a unique reference.
 */
export async function* searching(
  pages: AsyncIterable<ReceivedPage>,
  { newestFirst, uniqueRef, records: what }: Searched,
  { filter, most, behind }: { readonly filter: RecordFilter; readonly most: number; readonly behind: CursorBehind },
  { io, notice }: Deps,
): AsyncGenerator<ReceivedPage> {
  const now = io.clock.now();
  const [matches, ends] = [matcher(filter, now), endsAt(filter, now)];
  const looked: Extent = { count: 0, oldest: undefined };
  let room = most;
  try {
    for await (const page of pages) {
      look(looked, page);
      const matching = page.records.filter(({ value }) => matches(value));
      const isLast =
        (newestFirst && page.records.some(({ value }) => ends(value))) ||
        (uniqueRef && filter.ref !== undefined && matching.length > 0);
      const shown =
        matching.length > room
          ? await cutPage(page, matching, room, behind)
          : { ...page, records: matching, nextCursor: isLast ? null : page.nextCursor };
      room -= shown.records.length;
      yield shown;
      if (isLast || room === 0) return;
    }
  } finally {
    await notice(sayLooked(looked, what));
  }
}
