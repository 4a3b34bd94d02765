import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { noticeOverride } from './ask.ts';
import { profileView } from './view.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'profiles' | 'notice'>;

/** Makes a profile the default. */
export const run = async ({ name }: { readonly name: string }, deps: Needs): Promise<Result> => {
  const profile = (await deps.profiles()).use(name);
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};
