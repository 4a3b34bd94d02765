import type { Client } from '../client/client.ts';
import type { Walk } from '../client/read.ts';
import type { ListId, OperationId } from '../contract/operations.ts';
import { PayError, usageError } from '../core/error.ts';
import { namingFlags } from '../core/input.ts';
import { parseExact, valueAt } from '../core/json.ts';
import {
  type ApiPage,
  type ApiRecord,
  apiRecordOf,
  checkPeriod,
  createdAt,
  endsAt,
  type ListInput,
  madeHere,
  matcher,
  PAGE_DEFAULT,
  PAGE_MAX,
  type RecordFilter,
} from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import { formatLocalFull } from '../core/time.ts';
import type { Deps, SeenBefore } from './deps.ts';
import { goOnFrom, previewCall } from './record.ts';

/** A list that is one page. */
export async function* pageOf(records: readonly ApiRecord[]): AsyncGenerator<ApiPage> {
  yield { records, cursor: undefined, nextCursor: null };
}

/** A list that is there whole, made here. */
export const onePage = (values: readonly unknown[]): AsyncGenerator<ApiPage> =>
  pageOf(values.map((value) => madeHere(value)));

/** The fields that one record alone has, by its list, and how that is read (public material). */
const UNIQUE: Readonly<Record<ListId, { readonly get: OperationId; readonly fields: readonly ('ref' | 'email')[] }>> = {
  'ugwo.list': { get: 'ugwo.get', fields: ['ref'] },
  'onye.list': { get: 'onye.get', fields: ['ref', 'email'] },
};

const folded = (field: string, text: string): string => (field === 'email' ? text.toLowerCase() : text);

/** The one field that is searched for, where nothing else is. */
const wantedIn = (list: ListId, filter: RecordFilter): readonly [field: 'ref' | 'email', text: string] | undefined => {
  const [field, ...others] = UNIQUE[list].fields.filter((name) => filter[name] !== undefined);
  if (field === undefined || others.length > 0 || Object.keys(filter).length > 1) return undefined;
  return [field, folded(field, filter[field] ?? '')];
};

/** A record as its list shows it: without what a read of it alone adds. */
const asListed = ({ text }: ApiRecord): ApiRecord => {
  const { activities: _, ...listed } = parseExact(text) as Record<string, unknown>;
  return apiRecordOf(listed);
};

/** The record that a search was for, where this machine has seen it before and it still is that one. */
export const recalled = async (
  list: ListId,
  filter: RecordFilter,
  seen: SeenBefore,
  client: Client,
  { io }: Pick<Deps, 'io'>,
): Promise<ApiRecord | undefined> => {
  const wanted = wantedIn(list, filter);
  const [uid, ...others] = wanted === undefined ? [] : seen.find(list, ...wanted);
  // Which of several it is only the list can tell.
  if (uid === undefined || others.length > 0) return undefined;
  const found = await client.look(UNIQUE[list].get, { params: { uid } });
  return found !== undefined && matcher(filter, io.clock.now())(found.value) ? asListed(found) : undefined;
};

/** So many records of a search are noted, the newest, besides the one that it was for: to note all would double what a walk costs. */
const MOST = 1000;

type Field = 'ref' | 'email';
type Trace = Parameters<SeenBefore['note']>[1][number];

/** What is noted of a record: of each of these fields its text. */
const tracesOf = ({ value }: ApiRecord, fields: readonly Field[]): Trace[] => {
  const { uid, ...record } = value as Readonly<Record<string, unknown>>;
  return fields.flatMap((field) => {
    const text = record[field];
    const isText = typeof uid === 'string' && typeof text === 'string' && text !== '';
    return isText ? [{ field, text: folded(field, text), uid }] : [];
  });
};

/** The same pages, noted as they pass, and written down once at the end. */
export async function* remembering(
  pages: AsyncIterable<ApiPage>,
  list: ListId,
  filter: RecordFilter,
  seen: SeenBefore,
): AsyncGenerator<ApiPage> {
  const { fields } = UNIQUE[list];
  const [field, wanted] = wantedIn(list, filter) ?? [];
  const traces: Trace[] = [];
  let passed = 0;
  try {
    for await (const page of pages) {
      if (passed < MOST) traces.push(...page.records.flatMap((record) => tracesOf(record, fields)));
      else if (field !== undefined) {
        const found = page.records.flatMap((record) => tracesOf(record, [field])).filter(({ text }) => text === wanted);
        traces.push(...found);
      }
      passed += page.records.length;
      yield page;
    }
  } finally {
    seen.note(list, traces);
  }
}

/** What is searched through. */
interface Searched {
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

const look = (looked: Extent, { records }: ApiPage): void => {
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

const cursorBehind =
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
  page: ApiPage,
  matching: ApiPage['records'],
  room: number,
  behind: CursorBehind,
): Promise<ApiPage> => {
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
async function* searching(
  pages: AsyncIterable<ApiPage>,
  { newestFirst, uniqueRef, records: what }: Searched,
  { filter, most, behind }: { readonly filter: RecordFilter; readonly most: number; readonly behind: CursorBehind },
  { io, notice }: Deps,
): AsyncGenerator<ApiPage> {
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

/** One of the service's lists. */
export interface ListOf extends Searched {
  readonly operation: ListId;
  /** The words of its command. */
  readonly path: readonly string[];
  readonly view: View;
}

/** With a filter the first ten that match, as without one the first page. */
const mostOf = ({ reach, filter }: ListInput): number | undefined =>
  reach.kind === 'max' ? reach.max : reach.kind === 'page' && filter !== undefined ? PAGE_DEFAULT : undefined;

/** The largest pages for a walk; no more than is wanted, unless a cursor already fixes the size. */
const limitOf = ({ limit, cursor, reach, filter }: ListInput): string => {
  const wanted = limit ?? String(reach.kind === 'page' && filter === undefined ? PAGE_DEFAULT : PAGE_MAX);
  const mayShrink = reach.kind === 'max' && filter === undefined && cursor === undefined && reach.max < PAGE_MAX;
  // What is no limit at all stays as it was given, for the contract to judge.
  return mayShrink && /^\d+$/.test(wanted) && reach.max < Number(wanted) && Number(wanted) <= PAGE_MAX
    ? String(reach.max)
    : wanted;
};

const reachWords = ({ reach }: ListInput): string[] => {
  if (reach.kind === 'page') return [];
  return reach.kind === 'all' ? ['--all'] : ['--max', String(reach.max)];
};

/** The options of a filter, to be given again. An instant that was given as "ago" is written as it was counted. */
const filterWords = ({ filter = {} }: ListInput, now: number): string[] => {
  const moment = (flag: string, at: typeof filter.since): string[] =>
    at === undefined ? [] : [flag, new Date('at' in at ? at.at : now - at.ago).toISOString()];
  const text = (flag: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [flag, String(value)];
  return [
    ...text('--status', filter.statuses?.join(',')),
    ...moment('--since', filter.since),
    ...moment('--until', filter.until),
    ...text('--ref', filter.ref),
    ...text('--email', filter.email),
    ...text('--customer', filter.customer),
    ...text('--amount', filter.amount),
    ...text('--amount-minor', filter.amountMinor),
  ];
};

const FLAGS = new Map([
  ['limit', '--limit'],
  ['cursor', '--cursor'],
]);
const named = (thrown: unknown): unknown => namingFlags(thrown, (path) => FLAGS.get(path));

/** The pages, whose errors name the flag at fault, and, once something was shown, where to go on. */
async function* telling(pages: AsyncIterable<ApiPage>, command: (cursor: string) => string): AsyncGenerator<ApiPage> {
  let cursor: string | null = null;
  try {
    for await (const page of pages) {
      cursor = page.nextCursor;
      yield page;
    }
  } catch (thrown) {
    const error = named(thrown);
    // Without a request it is the walk itself that has no way on: a cursor that leads back.
    if (!(error instanceof PayError) || error.detail.request === undefined || cursor === null) throw error;
    throw error.with({ hint: `everything shown is complete; continue with: ${command(cursor)}` });
  }
}

const walkOf = ({ cursor, reach, filter }: ListInput): Walk => ({
  from: cursor,
  pages: reach.kind === 'page' && filter === undefined ? 1 : undefined,
  records: reach.kind === 'max' && filter === undefined ? reach.max : undefined,
});

const preview = async (list: ListOf, query: Readonly<Record<string, string>>, deps: Deps): Promise<Result> => {
  try {
    return await previewCall(list.operation, { query }, deps);
  } catch (thrown) {
    throw named(thrown);
  }
};

/** The one record that was found at once, where it was seen before. */
const foundAtOnce = async (
  { operation, view }: ListOf,
  { filter, cursor }: ListInput,
  client: Client,
  seen: SeenBefore | undefined,
  deps: Deps,
): Promise<Result | undefined> => {
  if (filter === undefined || cursor !== undefined || seen === undefined) return undefined;
  const record = await recalled(operation, filter, seen, client, deps);
  if (record === undefined) return undefined;
  await deps.notice('Found at once: this machine has seen it before (`paycli forget` removes what it remembers).');
  return { kind: 'list', pages: pageOf([record]), view };
};

/** Lists records, or those of them that are looked for (interface.md 4.3). */
export const listRecords = async (list: ListOf, input: ListInput, deps: Deps): Promise<Result> => {
  const now = deps.io.clock.now();
  checkPeriod(input.filter ?? {}, now);
  const limit = limitOf(input);
  if (deps.globals.dryRun) {
    return preview(list, { limit, ...(input.cursor === undefined ? {} : { cursor: input.cursor }) }, deps);
  }
  const client = await deps.client('read');
  const seen = input.filter === undefined ? undefined : await deps.seenBefore();
  const found = await foundAtOnce(list, input, client, seen, deps);
  if (found !== undefined) return found;
  if (input.reach.kind !== 'page' || input.filter !== undefined) await deps.holdMemory();
  // A cursor belongs to the limit of its page.
  const command = (cursor: string): string => {
    const own = [...filterWords(input, now), ...reachWords(input), '--limit', limit];
    return goOnFrom(cursor, list.path, own, deps.globals);
  };
  const told = telling(client.pages(list.operation, { query: { limit } }, walkOf(input)), command);
  const { filter } = input;
  const pages = seen === undefined || filter === undefined ? told : remembering(told, list.operation, filter, seen);
  const max = mostOf(input);
  return {
    kind: 'list',
    pages:
      filter === undefined
        ? pages
        : searching(pages, list, { filter, most: max ?? Infinity, behind: cursorBehind(list.operation, client) }, deps),
    view: list.view,
    goOn: command,
    ...(max === undefined ? {} : { max }),
  };
};

/** Something that is kept on this machine in an order, and how a list shows it. `P` is a place in that order. */
export interface Listed<T, P> {
  /** At most so many, from behind a place on. */
  readonly find: (behind: P | undefined, limit: number) => Promise<readonly T[]>;
  readonly placeOf: (item: T) => P;
  readonly cursorOf: (place: P) => string;
  readonly recordsOf: (items: readonly T[]) => Promise<readonly ApiRecord[]>;
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
): AsyncGenerator<ApiPage> {
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
