import type { Client } from '../client/client.ts';
import type { Walk } from '../client/pages.ts';
import type { ListId } from '../contract/operations.ts';
import { PayError } from '../core/error.ts';
import { namingFlags } from '../core/flags.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../core/page.ts';
import type { ReceivedPage } from '../core/received.ts';
import type { ListInput } from '../core/record-filter.ts';
import { checkPeriod } from '../core/record-filter.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps, SeenBefore } from './deps.ts';
import { goOnFrom } from './go-on.ts';
import { pageOf } from './one-page.ts';
import { previewCall } from './preview.ts';
import { recalled, remembering } from './recall.ts';
import type { Searched } from './search.ts';
import { cursorBehind, searching } from './search.ts';

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
async function* telling(
  pages: AsyncIterable<ReceivedPage>,
  command: (cursor: string) => string,
): AsyncGenerator<ReceivedPage> {
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
