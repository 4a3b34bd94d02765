import type { NewProfile, ProfileRoom, ProfileSummary } from '../../config/profiles.ts';
import { PayError, usageError } from '../../core/error.ts';
import { ask, canAsk } from '../../core/input.ts';
import { ENVIRONMENTS, type Environment } from '../../core/origin.ts';
import { madeHere } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { described, noticeOverride, releaseKey } from './ask.ts';
import { profileView } from './view.ts';

/** Source of the key: typed without echo, read from standard input, or printed by a command. */
export type KeyFrom =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'command'; readonly line: string };

export interface LoginInput {
  readonly environment: Environment | undefined;
  readonly key: KeyFrom;
  readonly verify: boolean;
  /** The key goes into the system's keychain, if there is one. */
  readonly keychain: boolean;
}

type Chosen = ReturnType<ProfileRoom['chosen']>;

/** Throws a usage error for conflicting options, or if the login must ask and nobody can answer. */
const checkAnswerable = ({ environment, key }: LoginInput, { origin }: Chosen, deps: Deps): void => {
  if (deps.globals.local) throw usageError('--local needs no login', { hint: 'leave out --local, or skip the login' });
  if (environment !== undefined && origin !== undefined) {
    throw usageError(`--environment and ${origin.from} can't be used together`, { hint: 'give one of them' });
  }
  if (key.kind === 'stdin' && deps.io.stdin.isTerminal) {
    throw usageError('--key-stdin would show the key as it is typed', {
      hint: 'pipe the key in, or leave out --key-stdin to type it unseen',
    });
  }
  if (canAsk(deps.io, deps.globals)) return;
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

const originFor = async ({ environment }: LoginInput, { origin }: Chosen, deps: Deps): Promise<string> => {
  if (origin !== undefined) return origin.value;
  const choices = Object.keys(ENVIRONMENTS);
  const answer = environment ?? (await deps.choose({ title: 'Which environment is the key for?', choices }));
  return ENVIRONMENTS[answer as Environment];
};

const secretFrom = async (key: KeyFrom, origin: string, deps: Deps): Promise<NewProfile['secret']> => {
  if (key.kind === 'command') return { commandLine: key.line };
  const text =
    key.kind === 'stdin'
      ? await deps.io.stdin.text(4096)
      : await ask(deps.io.stdin, `Secret key for ${origin} (not shown): `, true);
  const secret = key.kind === 'stdin' ? text.replace(/\r?\n$/, '') : text;
  deps.io.redactor.add(secret);
  return { key: secret };
};

const NO_VERIFY = 'to store the key without checking it, add --no-verify';

/** Checks the key with the service. On failure, rethrows the service's error with a message and hint for the login. */
const verify = async (target: { origin: string; key: string }, deps: Deps): Promise<void> => {
  try {
    await deps.probe(target);
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    const { status, hint } = thrown.detail;
    const refused = status === 401 || status === 403;
    const next = refused ? 'check that the key belongs to this environment and was not rotated' : NO_VERIFY;
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
const inKeychain = async (profile: NewProfile, key: string, room: ProfileRoom, deps: Deps): Promise<NewProfile> => {
  const kept = await room.keep(profile.name, key);
  if ('command' in kept) {
    await deps.notice("The key is in the system's keychain; the profile has the command that reads it.");
    return { ...profile, secret: kept };
  }
  await deps.notice(
    `The key is not in a keychain (${kept.why}). It is stored in paycli's settings, in a file that only you can read.`,
  );
  return profile;
};

const noticeSaved = async (saved: ProfileSummary, replaced: ProfileSummary | undefined, deps: Deps): Promise<void> => {
  if (replaced !== undefined) await deps.notice(`Replaced the profile ${described(replaced)}.`);
  if (!saved.default)
    await deps.notice(`Another profile is the default. Switch with \`paycli profile use ${saved.name}\`.`);
  await noticeOverride(deps);
};

/** Stores a profile: one origin and its key, checked with the service first. */
export const run = async (input: LoginInput, deps: Deps): Promise<Result> => {
  const room = await deps.profiles();
  const chosen = room.chosen(deps.globals);
  checkAnswerable(input, chosen, deps);
  room.checkFolder();
  const name = chosen.name ?? 'default';
  const there = room.list().find((profile) => profile.name === name);
  const origin = await originFor(input, chosen, deps);
  if (there !== undefined) await deps.confirm([`Replace the profile ${described(there)}?`], 'go ahead');
  const profile = { name, origin, secret: await secretFrom(input.key, origin, deps) };
  const target = await room.check(profile);
  if (input.verify) await verify(target, deps);
  const old = there === undefined ? undefined : await room.kept(name);
  const kept = input.keychain ? await inKeychain(profile, target.key, room, deps) : profile;
  const saved = room.save(kept);
  if (old !== undefined) await releaseKey(old, deps);
  await noticeSaved(saved, there, deps);
  return { kind: 'record', record: madeHere(saved), view: profileView };
};
