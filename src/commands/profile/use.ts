import type { Deps } from '../../cli/deps.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../output/view.ts';
import { noticeOverride } from './ask.ts';
import { profileView } from './view.ts';

/** Makes a profile the default. */
export const run = async ({ name }: { readonly name: string }, deps: Deps): Promise<Result> => {
  const profile = (await deps.profiles()).use(name);
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};
