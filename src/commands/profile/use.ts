import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { chosenProfile, noticeOverride } from './ask.ts';
import { profileView } from './view.ts';

/** Makes a profile the default. */
export const run = async ({ name }: { readonly name: string | undefined }, deps: Deps): Promise<Result> => {
  const profile = (await deps.profiles()).use(await chosenProfile(name, deps));
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};
