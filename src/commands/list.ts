import type { Client } from '../client/client.ts';
import type { Walk } from '../client/send.ts';
import type { ListId } from '../contract/operations.ts';
import { grouped } from '../core/bounds.ts';
import { handleSignals, PayError, usageError } from '../core/error.ts';
import { namingFlags } from '../core/input.ts';
import { valueAt } from '../core/json.ts';
import {
  type ApiPage,
  type ApiRecord,
  createdAt,
  endsAt,
  hidesCustomer,
  instantOf,
  type ListInput,
  matcher,
  PAGE_DEFAULT,
  PAGE_MAX,
  type RecordFilter,
  type RequestedTime,
} from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import { statusArgument } from '../core/status.ts';
import { formatLocalFull } from '../core/time.ts';
import { continueCommand, previewCall } from './record.ts';
import type { Run, RunState } from './run.ts';

/**
 * Throws a usage error for a period that ends before it begins: an empty result would look like an answer. Warns of one
 * that begins in the future.
 */
export const checkPeriod = async (
  { since, until }: { readonly since?: RequestedTime | undefined; readonly until?: RequestedTime | undefined },
  { io, say }: Pick<Run, 'io' | 'say'>,
): Promise<void> => {
  const now = io.clock.now();
  if (since === undefined) return;
  const from = instantOf(since, now);
  if (until !== undefined && instantOf(until, now) < from) {
    throw usageError('--until is before --since', { hint: 'swap the two times' });
  }
  if (from > now) await say(`--since is in the future: ${formatLocalFull(from)}.`);
};

interface Searched {
  /** Name of its records, in the plural. */
  readonly records: string;
  /** True if the service lists the newest first, so that a walk can end early. */
  readonly newestFirst: boolean;
  /** True if a reference belongs to one record only. */
  readonly uniqueRef: boolean;
}

interface SearchProgress {
  count: number;
  oldest: number | undefined;
}

export const countPage = (looked: SearchProgress, { records }: ApiPage): void => {
  looked.count += records.length;
  for (const { value } of records) {
    const at = createdAt(value);
    if (at !== undefined) looked.oldest = Math.min(at, looked.oldest ?? at);
  }
};

/** `Looked through 1,200 payment requests, back to 2026-11-01 10:00.` */
export const lookedThrough = ({ count, oldest }: SearchProgress, what: string): string =>
  `Looked through ${count} ${what}${oldest === undefined ? '' : `, back to ${formatLocalFull(oldest)}`}.`;

/**
 * Finds the cursor after the first `count` records of a page. Undefined if the service gives none, or other records.
 */
type CursorBehind = (cursor: string | undefined, count: number, last: unknown) => Promise<string | undefined>;

const cursorBehind =
  (operation: ListId, client: Client): CursorBehind =>
  async (cursor, count, last) => {
    const walk = client.pages(operation, { query: { limit: String(count) } }, { from: cursor, pages: 1 });
    for await (const { records, nextCursor } of walk) {
      const isSame = records.length === count && valueAt(records.at(-1)?.value, 'uid') === valueAt(last, 'uid');
      return isSame ? (nextCursor ?? undefined) : undefined;
    }
    return undefined;
  };

/** Cuts a page to the first `room` matching records, with the cursor to continue after them. */
const cutPage = async (
  page: ApiPage,
  matching: ApiPage['records'],
  room: number,
  behind: CursorBehind,
): Promise<ApiPage> => {
  const records = matching.slice(0, room);
  const last = records.at(-1);
  const count = last === undefined ? 0 : page.records.indexOf(last) + 1;
  const next = last === undefined ? undefined : await behind(page.cursor, count, last.value);
  // The page's own cursor repeats records, which is better than losing some.
  return { ...page, records, nextCursor: next ?? page.cursor ?? null };
};

/** Throws an error if the filter needs the customer and the list doesn't show it: nothing would match. */
const refuseHidden = ({ email, customer }: RecordFilter, { records }: ApiPage, what: string): void => {
  if ((email ?? customer) === undefined || !records.some(({ value }) => hidesCustomer(value))) return;
  const flag = email === undefined ? '--customer' : '--email';
  throw usageError(`${flag} finds nothing here: the service's list of ${what} shows no customers`, {
    hint: 'use --ref or --since, or search your own charges: `paycli ledger list`',
  });
};

/**
 * Yields the matching records of each page, up to `most`. The walk ends early once no older record can match, or at the
 * one record with a unique reference.
 */
async function* searching(
  pages: AsyncIterable<ApiPage>,
  { newestFirst, uniqueRef, records: what }: Searched,
  { filter, most, behind }: { readonly filter: RecordFilter; readonly most: number; readonly behind: CursorBehind },
  { io, say }: Run,
): AsyncGenerator<ApiPage> {
  const now = io.clock.now();
  const [matches, ends] = [matcher(filter, now), endsAt(filter, now)];
  const looked: SearchProgress = { count: 0, oldest: undefined };
  let room = most;
  try {
    for await (const page of pages) {
      countPage(looked, page);
      refuseHidden(filter, page, what);
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
    await say(lookedThrough(looked, what));
  }
}

export interface ListOf extends Searched {
  readonly operation: ListId;
  /** The words of its command. */
  readonly path: readonly string[];
  readonly view: View;
}

/** Page size: the largest for a walk, but no more than wanted, unless a cursor already fixes it. */
const limitOf = ({ limit, cursor, max, all, filter }: ListInput): string => {
  const wanted = limit ?? String((max ?? all ?? filter) === undefined ? PAGE_DEFAULT : PAGE_MAX);
  const most = filter === undefined && cursor === undefined ? (max ?? PAGE_MAX) : PAGE_MAX;
  // An invalid limit stays as given; the contract judges it.
  return /^\d+$/.test(wanted) && most < Number(wanted) && Number(wanted) <= PAGE_MAX ? String(most) : wanted;
};

const withFlags = (thrown: unknown): unknown =>
  namingFlags(thrown, (path) => (path === 'limit' || path === 'cursor' ? `--${path}` : undefined));

/** Counts the records of pages, for the line of a silent run. Returns the number so far. */
export const countRead = ({ status }: RunState): ((page: ApiPage) => number) => {
  let count = 0;
  status.doing = () => (count === 0 ? undefined : `${grouped(count)} read`);
  return ({ records }) => {
    count += records.length;
    return count;
  };
};

/** Passes the pages through. Errors name the flag at fault and, after the first page, the command to continue with. */
async function* withContinuation(
  pages: AsyncIterable<ApiPage>,
  command: (cursor: string) => string,
  state: RunState,
): AsyncGenerator<ApiPage> {
  const count = countRead(state);
  let cursor: string | null = null;
  try {
    for await (const page of pages) {
      cursor = page.nextCursor;
      count(page);
      yield page;
    }
  } catch (thrown) {
    const error = withFlags(thrown);
    // An error without a request means that the walk can't go on: a cursor leads back.
    if (!(error instanceof PayError) || error.detail.request === undefined || cursor === null) throw error;
    throw error.with({ hint: `everything shown is complete; continue with: ${command(cursor)}` });
  }
}

const walkOf = ({ cursor, max, all, filter }: ListInput): Walk => ({
  from: cursor,
  pages: (max ?? all ?? filter) === undefined ? 1 : undefined,
  records: filter === undefined ? max : undefined,
});

const preview = async (list: ListOf, query: Readonly<Record<string, string>>, run: Run): Promise<Result> => {
  try {
    return await previewCall(list.operation, { query }, run);
  } catch (thrown) {
    throw withFlags(thrown);
  }
};

/** Lists records, or those that match a filter (docs/service.md, Lists). */
export const listRecords = async (list: ListOf, input: ListInput, run: Run): Promise<Result> => {
  const now = run.io.clock.now();
  await checkPeriod(input.filter ?? {}, run);
  const [limit, { filter, all }] = [limitOf(input), input];
  if (run.globals.dryRun) {
    return preview(list, { limit, ...(input.cursor === undefined ? {} : { cursor: input.cursor }) }, run);
  }
  const client = await run.client('read');
  // A cursor is valid only with the limit of its page.
  const command = (cursor: string): string => {
    const status = filter?.status?.map(statusArgument).join(',');
    return continueCommand(cursor, list.path, { ...filter, status, all, max: input.max, limit }, run.globals, now);
  };
  const pages = withContinuation(client.pages(list.operation, { query: { limit } }, walkOf(input)), command, run.state);
  // With a filter the default is ten, the size of a first page.
  const max = input.max ?? (filter === undefined || all ? undefined : PAGE_DEFAULT);
  return {
    kind: 'list',
    pages:
      filter === undefined
        ? pages
        : searching(pages, list, { filter, most: max ?? Infinity, behind: cursorBehind(list.operation, client) }, run),
    view: list.view,
    goOn: command,
    max,
  };
};

/** Locally stored items in a fixed order, and their conversion to list records. `P` is a place in that order. */
export interface StoredList<T, P> {
  /** Returns at most `limit` items after the place `behind`. */
  readonly find: (behind: P | undefined, limit: number) => Promise<readonly T[]>;
  readonly placeOf: (item: T) => P;
  readonly cursorOf: (place: P) => string;
  readonly recordsOf: (items: readonly T[]) => Promise<readonly ApiRecord[]>;
  readonly size: number;
}

/** Usage error for a cursor that does not belong to this list. */
export const foreignCursor = (cursor: string): PayError =>
  usageError(`--cursor: "${cursor}" is not a cursor of this list`, {
    hint: 'use the next_cursor of an earlier page, or leave out --cursor',
  });

/**
 * Yields pages with at most `max` items, starting after `from`. Reads a page only when the consumer asks for it, and
 * none after a signal.
 */
export async function* listedPages<T, P>(
  { io, state }: Run,
  { find, placeOf, cursorOf, recordsOf, size: pageSize }: StoredList<T, P>,
  { from, max = Number.POSITIVE_INFINITY }: { readonly from?: P | undefined; readonly max?: number | undefined },
): AsyncGenerator<ApiPage> {
  const { stop } = io.signals;
  const count = countRead(state);
  let [at, left, cursor] = [from, max, undefined as string | undefined];
  while (left > 0) {
    // Neither the ledger nor a file as output waits for the event loop, where signals are handled.
    await handleSignals(stop);
    const size = Math.min(pageSize, left);
    // Asks for one more item to learn whether there is another page.
    const found = await find(at, size + 1);
    const shown = found.slice(0, size);
    const last = found.length > size ? shown.at(-1) : undefined;
    const place = last === undefined ? undefined : placeOf(last);
    const nextCursor = place === undefined ? null : cursorOf(place);
    const page = { records: await recordsOf(shown), cursor, nextCursor };
    count(page);
    yield page;
    if (nextCursor === null) return;
    [at, left, cursor] = [place, left - size, nextCursor];
  }
}

/** Cursors for a list with numbered places. Their text is opaque to users. */
export const numberedCursors = (prefix: string) => {
  const cursorOf = (seq: number): string => Buffer.from(`${prefix}${seq}`).toString('base64url');
  return {
    cursorOf,
    /** Decodes a cursor to its place. Throws a usage error for a foreign text. */
    seqOf: (cursor: string): number => {
      const text = Buffer.from(cursor, 'base64url').toString('latin1');
      const digits = text.startsWith(prefix) ? text.slice(prefix.length) : '';
      const seq = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
      if (Number.isNaN(seq) || cursorOf(seq) !== cursor) throw foreignCursor(cursor);
      return seq;
    },
  };
};
