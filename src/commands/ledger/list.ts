import type { Deps } from '../../cli/deps.ts';
import type { Globals } from '../../cli/globals.ts';
import { shellLine } from '../../core/shell.ts';
import type { Result } from '../../output/view.ts';
import { pagesOf, seqOf } from './pages.ts';
import type { ListInput } from './spec.ts';
import { listView } from './view.ts';

/** The same command from a cursor on. */
const goOn =
  ({ states, ugwo, max }: ListInput, globals: Globals) =>
  (cursor: string): string =>
    shellLine([
      'paycli',
      'ledger',
      'list',
      ...(globals.format === undefined ? [] : ['-o', globals.format]),
      ...(globals.columns === undefined ? [] : ['--columns', globals.columns.join(',')]),
      ...(globals.rawCsv ? ['--raw-csv'] : []),
      ...(states ?? []).flatMap((state) => ['--state', state]),
      ...(ugwo === undefined ? [] : ['--ugwo', ugwo]),
      ...(max === undefined ? [] : ['--max', String(max)]),
      '--cursor',
      cursor,
    ]);

/** What was charged from here, newest first. */
export const run = async (input: ListInput, deps: Deps): Promise<Result> => {
  const { states, ugwo, max, cursor } = input;
  const from = cursor === undefined ? undefined : seqOf(cursor);
  return {
    kind: 'list',
    pages: pagesOf(await deps.ledger(), { states, ugwo }, { from, max }),
    view: listView,
    goOn: goOn(input, deps.globals),
    ...(max === undefined ? {} : { max }),
  };
};
