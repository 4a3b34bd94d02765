import type { Globals } from '../../cli/globals.ts';
import type { Walk } from '../../client/pages.ts';
import { PayError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../../core/page.ts';
import { placeWords } from '../../core/place-words.ts';
import type { ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { Deps } from '../deps.ts';
import type { ListInput } from './list-spec.ts';
import { ugwoView } from './view.ts';

type Needs = Pick<Deps, 'globals' | 'client' | 'walkFar' | 'preview'>;

/** The largest pages for a walk; no more than is wanted, unless a cursor already fixes the size. */
const limitOf = ({ limit, cursor, reach }: ListInput): string => {
  const wanted = limit ?? String(reach.kind === 'page' ? PAGE_DEFAULT : PAGE_MAX);
  const mayShrink = reach.kind === 'max' && cursor === undefined && reach.max < PAGE_MAX;
  // What is no limit at all stays as it was given, for the contract to judge.
  return mayShrink && /^\d+$/.test(wanted) && reach.max < Number(wanted) && Number(wanted) <= PAGE_MAX
    ? String(reach.max)
    : wanted;
};

/** The same command from a cursor on; names the limit, since a cursor belongs to the limit of its page. */
const goOn =
  (input: ListInput, limit: string, globals: Globals) =>
  (cursor: string): string =>
    shellLine([
      'paycli',
      'ugwo',
      'list',
      ...placeWords(globals),
      ...(globals.format === undefined ? [] : ['-o', globals.format]),
      ...(globals.columns === undefined ? [] : ['--columns', globals.columns.join(',')]),
      ...(globals.rawCsv ? ['--raw-csv'] : []),
      ...(input.reach.kind === 'all' ? ['--all'] : []),
      ...(input.reach.kind === 'max' ? ['--max', String(input.reach.max)] : []),
      '--limit',
      limit,
      ...(cursor.startsWith('-') ? [`--cursor=${cursor}`] : ['--cursor', cursor]),
    ]);

const FLAGS: Readonly<Record<string, string>> = { limit: '--limit', cursor: '--cursor' };
const named = (thrown: unknown): unknown => namingFlags(thrown, (path) => FLAGS[path]);

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

const walkOf = ({ cursor, reach }: ListInput): Walk => ({
  from: cursor,
  pages: reach.kind === 'page' ? 1 : undefined,
  records: reach.kind === 'max' ? reach.max : undefined,
});

const preview = async (query: Readonly<Record<string, string>>, deps: Needs): Promise<Result> => {
  const client = await deps.client('preview');
  try {
    return deps.preview(client.preview('ugwo.list', { query }));
  } catch (thrown) {
    throw named(thrown);
  }
};

/** Lists payment requests (interface.md 4.3). */
export const run = async (input: ListInput, deps: Needs): Promise<Result> => {
  const limit = limitOf(input);
  if (deps.globals.dryRun) {
    return preview({ limit, ...(input.cursor === undefined ? {} : { cursor: input.cursor }) }, deps);
  }
  const client = await deps.client('read');
  if (input.reach.kind !== 'page') await deps.walkFar();
  const command = goOn(input, limit, deps.globals);
  return {
    kind: 'list',
    pages: telling(client.pages('ugwo.list', { query: { limit } }, walkOf(input)), command),
    view: ugwoView,
    goOn: command,
    ...(input.reach.kind === 'max' ? { max: input.reach.max } : {}),
  };
};
