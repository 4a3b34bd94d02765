import type { ProfileSummary } from '../../config/profiles.ts';
import { usageError } from '../../core/error.ts';
import { canAsk } from '../../core/input.ts';
import { madeHere } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../list.ts';
import { described, noticeOverride, releaseKey } from './ask.ts';
import type { ProfileShowInput, RenameInput } from './spec.ts';
import { identityView, profileView } from './view.ts';

interface Named {
  readonly name: string | undefined;
}

const NONE = 'No profiles yet. Run `paycli login`, or use --local, which needs none.';

/** Lists every profile, as one page. */
export const list = async (_input: unknown, deps: Deps): Promise<Result> => {
  const profiles = (await deps.profiles()).list();
  if (profiles.length === 0) await deps.notice(NONE);
  return { kind: 'list', pages: onePage(profiles), view: profileView, toldEmpty: true };
};

/** Shows the named profile, or the one that a call would use now. */
export const show = async ({ name, check }: ProfileShowInput, deps: Deps): Promise<Result> => {
  const identity = await deps.whoAmI(name, check);
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(identity), view: identityView };
};

/** Name of the profile: the given one, or the person's choice. */
const chosenProfile = async (name: string | undefined, { io, globals, profiles, choose }: Deps): Promise<string> => {
  if (name !== undefined) return name;
  const names = (await profiles()).list().map((profile) => profile.name);
  if (names.length > 0 && canAsk(io, globals)) return choose({ title: 'Which profile?', choices: names });
  throw usageError("missing required argument 'name'", {
    hint: names.length === 0 ? 'run `paycli login` to add a profile' : `known: ${names.join(', ')}`,
  });
};

/** Makes a profile the default. */
export const use = async ({ name }: Named, deps: Deps): Promise<Result> => {
  const profile = (await deps.profiles()).use(await chosenProfile(name, deps));
  await noticeOverride(deps);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};

/**
 * Renames a profile. The ledger goes first, in one transaction: if the run ends before the profile is saved, the same
 * command finishes the work.
 */
export const rename = async ({ from, to }: RenameInput, deps: Deps): Promise<Result> => {
  const save = (await deps.profiles()).renaming(from, to);
  const { entries, shared } = await deps.renameInLedger(from, to);
  const record = madeHere(save());
  const also = entries === 0 ? '' : `, also in ${entries} ledger ${entries === 1 ? 'entry' : 'entries'}`;
  await deps.notice(`Renamed the profile "${from}" to "${to}"${also}.`);
  if (shared !== undefined) {
    await deps.notice(`The shared ledger ${shared} keeps "${from}" in its entries and policies.`);
  }
  return { kind: 'record', record, view: profileView };
};

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

/** Removes a profile and its key, after a confirmation: the named one, or the one that a call would use now. */
export const remove = async ({ name }: Named, deps: Deps): Promise<Result> => {
  if (name === undefined && deps.globals.local) throw usageError('--local has no profile to remove');
  const room = await deps.profiles();
  const profile = room.show(name ?? room.chosen(deps.globals).name);
  await deps.confirm([`Remove the profile ${described(profile)} and its key?`], 'refuse');
  const kept = await room.kept(profile.name);
  // Removes the key first: after a crash in between, the profile can be removed again.
  if (kept !== undefined) await releaseKey(kept, deps);
  const removed = room.remove(profile.name);
  await noticeRemoved(deps, removed, room.list());
  if (deps.io.env['PAYCLI_SECRET_KEY'] !== undefined) {
    await deps.notice('PAYCLI_SECRET_KEY is still set: paycli keeps using that key');
  }
  return { kind: 'record', record: madeHere(removed), view: profileView };
};
