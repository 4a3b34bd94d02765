import { askChoice } from '../../cli/ask.ts';
import { whoAmI } from '../../compose/checkup.ts';
import { renameInLedger } from '../../compose/ledger-admin.ts';
import { profilesOf, profilesToChange } from '../../compose/run.ts';
import type { NewProfile, ProfileRoom, ProfileSummary } from '../../config/profiles.ts';
import { counted } from '../../core/bounds.ts';
import { PayError, usageError } from '../../core/error.ts';
import { askText, canAsk } from '../../core/input.ts';
import { ENVIRONMENTS, type Environment } from '../../core/origin.ts';
import { madeHere, onePage } from '../../core/record.ts';
import { columnsNamed, type Result, type View } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import type { Run } from '../run.ts';

/** View of a profile. It has no column for a key, only for its last four characters. */
export const profileView: View = {
  columns: [
    { path: 'name', label: 'profile' },
    { path: 'default' },
    { path: 'origin', flexible: true },
    ...columnsNamed('environment key'),
    { path: 'created_at', kind: 'time', label: 'stored' },
  ],
};

/** View of a profile as a call would use it. */
export const identityView: View = {
  columns: [
    ...profileView.columns,
    { path: 'key_from', label: 'key from' },
    { path: 'operator' },
    { path: 'accepted', label: 'key accepted' },
  ],
};

/** Names a profile in a question or a notice. */
const profileText = ({ name, environment, key }: ProfileSummary): string => `"${name}" (${environment}, key ${key})`;

/** Says that the environment wins over what is stored. */
const noticeOverride = async ({ io, say }: Run): Promise<void> => {
  if (io.env['PAYCLI_SECRET_KEY'] === undefined) return;
  await say('PAYCLI_SECRET_KEY is set: it is used instead of the stored key');
};

/** Takes a key out of the keychain; where that fails, somebody has to. */
const releaseKey = async (release: () => Promise<string | undefined>, { say }: Run): Promise<void> => {
  const why = await release();
  if (why !== undefined) await say(`The old key is still in the keychain (${why}); remove "paycli" there yourself.`);
};

/** Source of the key: typed without echo, read from standard input, or printed by a command. */
type KeyFrom =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'command'; readonly line: string };

interface LoginInput {
  readonly environment: Environment | undefined;
  readonly key: KeyFrom;
  readonly verify: boolean;
  /** The key goes into the system's keychain, if there is one. */
  readonly keychain: boolean;
}

type Chosen = ReturnType<ProfileRoom['chosen']>;

/** Throws a usage error for conflicting options, or if the login must ask and nobody can answer. */
const checkAnswerable = ({ environment, key }: LoginInput, { origin }: Chosen, run: Run): void => {
  if (environment !== undefined && origin !== undefined) {
    throw usageError(`--environment and ${origin.from} can't be used together`, { hint: 'give one of them' });
  }
  if (key.kind === 'stdin' && run.io.stdin.isTerminal) {
    throw usageError('--key-stdin would show the key as it is typed', {
      hint: 'pipe the key in, or leave out --key-stdin to type it unseen',
    });
  }
  if (canAsk(run.io, run.globals)) return;
  if (environment === undefined && origin === undefined) {
    throw usageError('which service is the key for?', {
      hint: 'use --environment live, --environment sandbox or --base-url URL',
    });
  }
  if (key.kind === 'prompt') {
    throw usageError('no key given, and there is no terminal to ask for it', {
      hint: 'use --key-stdin or --key-command',
    });
  }
};

const originFor = async ({ environment }: LoginInput, { origin }: Chosen, run: Run): Promise<string> => {
  if (origin !== undefined) return origin.value;
  const choices = Object.keys(ENVIRONMENTS);
  const answer = environment ?? (await askChoice(run.io, { title: 'Which environment is the key for?', choices }));
  return ENVIRONMENTS[answer as Environment];
};

const secretFrom = async (key: KeyFrom, origin: string, run: Run): Promise<NewProfile['secret']> => {
  if (key.kind === 'command') return { commandLine: key.line };
  const text =
    key.kind === 'stdin'
      ? (await run.io.stdin.text(4096)).replace(/\r?\n$/, '')
      : await askText(run.io.stdin, `Secret key for ${origin} (not shown): `, true);
  return { key: text };
};

/** Checks the key with the service. On failure, rethrows the service's error with a message and hint for the login. */
const verifyKey = async (target: { origin: string; key: string }, run: Run): Promise<void> => {
  try {
    await (await run.client('read', target)).call('ugwo.list', { query: { limit: '1' } });
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    const { status, hint } = thrown.detail;
    const refused = status === 401 || status === 403;
    const next = refused
      ? 'check that the key belongs to this environment and was not rotated'
      : 'to store the key without checking it, add --no-verify';
    throw new PayError(thrown.kind, `couldn't verify the key, so nothing was stored: ${thrown.message}`, {
      ...thrown.detail,
      // The usual hint of a 401 says to log in, which does not help here.
      hint: hint === undefined || status === 401 ? next : `${hint}; ${next}`,
    });
  }
};

/**
 * Stores the key in the keychain and returns the profile with the command that reads it. Without a keychain, returns
 * the profile with its key.
 */
const inKeychain = async (profile: NewProfile, key: string, room: ProfileRoom, run: Run): Promise<NewProfile> => {
  const kept = await room.storeKey(profile.name, key);
  if ('command' in kept) {
    await run.say("The key is in the system's keychain; the profile has the command that reads it.");
    return { ...profile, secret: kept };
  }
  await run.say(
    `The key is not in a keychain (${kept.why}). It is stored in paycli's settings, in a file that only you can read.`,
  );
  return profile;
};

const noticeSaved = async (saved: ProfileSummary, replaced: ProfileSummary | undefined, run: Run): Promise<void> => {
  if (replaced !== undefined) await run.say(`Replaced the profile ${profileText(replaced)}.`);
  if (!saved.default)
    await run.say(
      `Another profile is the default. Switch with \`${shellLine(['paycli', 'profile', 'use', saved.name])}\`.`,
    );
  await noticeOverride(run);
};

/** Stores a profile: one origin and its key, checked with the service first. */
export const login = async (input: LoginInput, run: Run): Promise<Result> => {
  const room = await profilesToChange(run);
  const chosen = room.chosen(run.globals);
  checkAnswerable(input, chosen, run);
  room.checkFolder();
  const name = chosen.name ?? 'default';
  const there = room.list().find((profile) => profile.name === name);
  const origin = await originFor(input, chosen, run);
  if (there !== undefined) await run.ask([`Replace the profile ${profileText(there)}?`], 'go ahead');
  const profile = { name, origin, secret: await secretFrom(input.key, origin, run) };
  const target = await room.check(profile);
  if (input.verify) {
    await verifyKey(target, run);
    await run.say('The service accepted the key.');
  }
  const old = there && (await room.keyRemover(name));
  const kept = input.keychain ? await inKeychain(profile, target.key, room, run) : profile;
  const saved = room.save(kept);
  if (old !== undefined) await releaseKey(old, run);
  await noticeSaved(saved, there, run);
  return { kind: 'record', record: madeHere(saved), view: profileView };
};

interface Named {
  readonly name: string | undefined;
}

export const listProfiles = async (_input: unknown, run: Run): Promise<Result> => {
  const profiles = (await profilesOf(run)).list();
  if (profiles.length === 0) await run.say('No profiles yet. Run `paycli login`, or use --local, which needs none.');
  return { kind: 'list', pages: onePage(profiles), view: profileView, saysEmpty: true };
};

/** Shows the named profile, or the one that a call would use now. */
export const showProfile = async ({ name, check }: Named & { readonly check: boolean }, run: Run): Promise<Result> => {
  const identity = await whoAmI(run, name, check);
  await noticeOverride(run);
  return { kind: 'record', record: madeHere(identity), view: identityView };
};

/** Name of the profile: the given one, or the person's choice. */
const chosenProfile = async (name: string | undefined, room: ProfileRoom, run: Run): Promise<string> => {
  if (name !== undefined) return name;
  const names = room.list().map((profile) => profile.name);
  if (names.length > 0 && canAsk(run.io, run.globals))
    return askChoice(run.io, { title: 'Which profile?', choices: names });
  throw usageError("missing required argument 'name'", {
    hint: names.length === 0 ? 'run `paycli login` to add a profile' : `known: ${names.join(', ')}`,
  });
};

export const useProfile = async ({ name }: Named, run: Run): Promise<Result> => {
  const room = await profilesToChange(run);
  const profile = room.use(await chosenProfile(name, room, run));
  await noticeOverride(run);
  return { kind: 'record', record: madeHere(profile), view: profileView };
};

/** Error of a rename that has reached the ledger and not the settings. */
const halfRenamed = (thrown: unknown, to: string): unknown => {
  if (!(thrown instanceof PayError)) return thrown;
  const hint = `the ledger already uses "${to}", with its policy, for charges under both names; fix this, then run the same command again`;
  return thrown.with({ hint });
};

/**
 * Renames a profile. The ledger goes first, in one transaction: if the run ends before the profile is saved, the same
 * command finishes the work. Until then, and in processes that began before, the old name stands for the new one there.
 */
export const renameProfile = async (
  { from, to }: { readonly from: string; readonly to: string },
  run: Run,
): Promise<Result> => {
  const save = (await profilesToChange(run)).renaming(from, to);
  const { entries, shared, end } = await renameInLedger(run, from, to);
  let profile: ProfileSummary;
  try {
    profile = save();
  } catch (thrown) {
    throw end === undefined ? thrown : halfRenamed(thrown, to);
  }
  await end?.();
  const also = entries === 0 ? '' : `, also in ${counted(entries, 'ledger entry', 'ledger entries')}`;
  await run.say(`Renamed the profile "${from}" to "${to}"${also}.`);
  if (shared !== undefined) {
    await run.say(
      `The shared ledger ${shared} keeps "${from}" in its entries and policies: its owner sets a policy for "${to}".`,
    );
  }
  return { kind: 'record', record: madeHere(profile), view: profileView };
};

const noticeRemoved = async ({ say }: Run, removed: ProfileSummary, left: readonly ProfileSummary[]): Promise<void> => {
  const key = removed.key === 'command' ? 'key command' : 'stored key';
  await say(`Removed the profile ${profileText(removed)} and its ${key}. The key still works until you rotate it.`);
  if (left.length === 0) await say('No profiles left. Run `paycli login` to add one.');
  else if (removed.default) {
    const use = shellLine(['paycli', 'profile', 'use', left[0]?.name ?? '']);
    await say(`No profile is the default now. Set one with \`${use}\`.`);
  }
};

/** Removes a profile and its key, after a confirmation: the named one, or the one that a call would use now. */
export const removeProfile = async ({ name }: Named, run: Run): Promise<Result> => {
  const room = await profilesToChange(run);
  const profile = room.show(name ?? room.chosen(run.globals).name);
  await run.ask([`Remove the profile ${profileText(profile)} and its key?`], 'refuse');
  const kept = await room.keyRemover(profile.name);
  // Removes the key first: after a crash in between, the profile can be removed again.
  if (kept !== undefined) await releaseKey(kept, run);
  const removed = room.remove(profile.name);
  await noticeRemoved(run, removed, room.list());
  if (run.io.env['PAYCLI_SECRET_KEY'] !== undefined) {
    await run.say('PAYCLI_SECRET_KEY is still set: paycli keeps using that key');
  }
  return { kind: 'record', record: madeHere(removed), view: profileView };
};
