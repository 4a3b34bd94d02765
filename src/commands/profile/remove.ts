import type { ProfileSummary } from '../../config/profiles.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { chosenProfile, described, released } from './ask.ts';
import { profileView } from './view.ts';

const noticeRemoved = async (
  { notice }: Deps,
  removed: ProfileSummary,
  left: readonly ProfileSummary[],
): Promise<void> => {
  const key = removed.key === 'command' ? 'key command' : 'stored key';
  await notice(`Removed the profile ${described(removed)} and its ${key}. The key still works until you rotate it.`);
  if (left.length === 0) await notice('No profiles left. Run `paycli login` to add one.');
  else if (removed.default)
    await notice(`No profile is the default now. Set one with \`paycli profile use ${left[0]?.name}\`.`);
};

/** Removes the named profile, and with it its key, after a confirmation. */
export const run = async ({ name }: { readonly name: string | undefined }, deps: Deps): Promise<Result> => {
  const room = await deps.profiles();
  const profile = room.show(await chosenProfile(name, deps));
  await deps.confirm([`Remove the profile ${described(profile)} and its key?`], 'refuse');
  const kept = await room.kept(profile.name);
  const removed = room.remove(profile.name);
  if (kept !== undefined) await released(kept, deps);
  await noticeRemoved(deps, removed, room.list());
  return { kind: 'record', record: madeHere(removed), view: profileView };
};
