import type { Deps } from '../../cli/deps.ts';
import type { Globals } from '../../cli/globals.ts';
import { PayError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import type { ReceivedPage } from '../../core/received.ts';
import { shellLine } from '../../core/shell.ts';
import type { Result } from '../../output/view.ts';
import type { ListInput } from './list-spec.ts';
import { ugwoView } from './view.ts';

const LARGEST_PAGE = 100;
const DEFAULT_PAGE = 10;

/** The largest pages for a walk; no more than is wanted, unless a cursor already fixes the size. */
const limitOf = ({ limit, cursor, reach }: ListInput): string => {
  if (limit !== undefined && (cursor !== undefined || reach.kind !== 'max')) return limit;
  if (reach.kind === 'page') return String(DEFAULT_PAGE);
  if (reach.kind === 'all' || cursor !== undefined) return String(LARGEST_PAGE);
  return String(Math.min(Number(limit ?? LARGEST_PAGE), reach.max));
};

/** The same command from a cursor on; names the limit, since a cursor belongs to the limit of its page. */
const goOn =
  (input: ListInput, limit: string, globals: Globals) =>
  (cursor: string): string =>
    shellLine([
      'paycli',
      'ugwo',
      'list',
      ...(globals.local ? ['--local'] : []),
      ...(globals.profile === undefined ? [] : ['--profile', globals.profile]),
      ...(globals.baseUrl === undefined ? [] : ['--base-url', globals.baseUrl]),
      ...(globals.format === undefined ? [] : ['-o', globals.format]),
      ...(globals.columns === undefined ? [] : ['--columns', globals.columns.join(',')]),
      ...(input.reach.kind === 'all' ? ['--all'] : []),
      ...(input.reach.kind === 'max' ? ['--max', String(input.reach.max)] : []),
      '--limit',
      limit,
      ...(cursor.startsWith('-') ? [`--cursor=${cursor}`] : ['--cursor', cursor]),
    ]);

/** Adds to the error of a walk that broke half way where it can go on. */
async function* sayingWhere(
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
    if (!(thrown instanceof PayError) || cursor === null) throw thrown;
    throw thrown.with({ hint: `what was shown is whole; go on with: ${command(cursor)}` });
  }
}

const walkOf = ({ cursor, reach }: ListInput) => ({
  from: cursor,
  pages: reach.kind === 'page' ? 1 : undefined,
  records: reach.kind === 'max' ? reach.max : undefined,
});

const FLAGS: Readonly<Record<string, string>> = { limit: '--limit', cursor: '--cursor' };

/** Lists payment requests (interface.md 4.3). */
export const run = async (input: ListInput, deps: Deps): Promise<Result> => {
  const limit = limitOf(input);
  const call = { query: { limit } };
  const cursorQuery = input.cursor === undefined ? {} : { cursor: input.cursor };
  const named = (thrown: unknown): unknown => namingFlags(thrown, (path) => FLAGS[path]);
  try {
    const preview = deps.globals.dryRun ? await deps.client('preview') : undefined;
    if (preview !== undefined) {
      return deps.preview(preview.preview('ugwo.list', { query: { limit, ...cursorQuery } }));
    }
  } catch (thrown) {
    throw named(thrown);
  }
  const client = await deps.client('read');
  const command = goOn(input, limit, deps.globals);
  async function* pages(): AsyncGenerator<ReceivedPage> {
    try {
      yield* client.pages('ugwo.list', call, walkOf(input));
    } catch (thrown) {
      throw named(thrown);
    }
  }
  return {
    kind: 'list',
    pages: sayingWhere(pages(), command),
    view: ugwoView,
    goOn: command,
    ...(input.reach.kind === 'max' ? { max: input.reach.max } : {}),
  };
};
