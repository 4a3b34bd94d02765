import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { noticeOverride } from './ask.ts';
import { profileView } from './view.ts';

/** The named profile, else the one that a call would use now. */
export const run = async ({ name }: { readonly name: string | undefined }, deps: Deps): Promise<Result> => {
  const room = await deps.profiles();
  const profile = room.show(name ?? room.chosen(deps.globals).name);
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};
