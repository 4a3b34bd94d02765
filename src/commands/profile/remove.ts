import type { Deps } from '../../cli/deps.ts';
import type { ProfileSummary } from '../../config/profiles.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../output/view.ts';
import { described } from './ask.ts';
import { profileView } from './view.ts';

const noticeRemoved = async (
  { notice }: Deps,
  removed: ProfileSummary,
  left: readonly ProfileSummary[],
): Promise<void> => {
  const key = removed.key === 'command' ? 'key command' : 'stored key';
  await notice(
    `removed the profile ${described(removed)} with its ${key}; the service still takes that key until it is rotated`,
  );
  if (left.length === 0) await notice('no profile is left: `paycli login` makes one');
  else if (removed.default)
    await notice(`no profile is the default now: \`paycli profile use ${left[0]?.name}\` makes one`);
};

/** Removes the named profile, and with it its key, after a confirmation. */
export const run = async ({ name }: { readonly name: string }, deps: Deps): Promise<Result> => {
  const room = await deps.profiles();
  const profile = room.show(name);
  await deps.confirm([`Remove the profile ${described(profile)} and what it stores?`], 'refuse');
  const removed = room.remove(profile.name);
  await noticeRemoved(deps, removed, room.list());
  return { kind: 'record', record: madeHere(removed), view: profileView };
};
