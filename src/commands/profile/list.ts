import type { ReceivedPage } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { profileView } from './view.ts';

type Needs = Pick<Deps, 'profiles' | 'notice'>;

async function* onePage(values: readonly unknown[]): AsyncIterable<ReceivedPage> {
  yield { records: values.map((value) => madeHere(value)), cursor: undefined, nextCursor: null };
}

const NONE = 'No profiles yet. Run `paycli login`, or use --local, which needs none.';

/** Every profile, as one page. */
export const run = async (_input: unknown, deps: Needs): Promise<Result> => {
  const profiles = (await deps.profiles()).list();
  if (profiles.length === 0) await deps.notice(NONE);
  return { kind: 'list', pages: onePage(profiles), view: profileView, toldEmpty: true };
};
