import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { goOnFrom } from '../go-on.ts';
import { pagesOf, recorderOf, seqOf } from './pages.ts';
import type { ListInput } from './spec.ts';
import { everyView, listView } from './view.ts';

const wordsOf = ({ states, ugwo, max, allProfiles }: ListInput): string[] => [
  ...(states ?? []).flatMap((state) => ['--state', state]),
  ...(ugwo === undefined ? [] : ['--ugwo', ugwo]),
  ...(max === undefined ? [] : ['--max', String(max)]),
  ...(allProfiles ? ['--all-profiles'] : []),
];

/** What was charged from here, newest first. */
export const run = async (input: ListInput, deps: Deps): Promise<Result> => {
  const { states, ugwo, max, cursor, allProfiles } = input;
  const scope = allProfiles ? {} : await deps.scope();
  const from = cursor === undefined ? undefined : seqOf(cursor);
  return {
    kind: 'list',
    pages: pagesOf(await deps.ledger(), await recorderOf(deps), { ...scope, states, about: ugwo }, { from, max }),
    view: allProfiles ? everyView : listView,
    goOn: (at) => goOnFrom(at, ['ledger', 'list'], wordsOf(input), deps.globals),
    ...(max === undefined ? {} : { max }),
  };
};
