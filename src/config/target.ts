import type { ProfileFile, StoredProfile } from '../contract/profile-file.ts';
import { PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { LOCAL_PROFILE } from '../core/local.ts';
import { didYouMean } from '../core/suggest.ts';
import { runKeyCommand } from './key-command.ts';
import type { Machine } from './machine.ts';
import type { Chosen } from './settings.ts';
import { checkKey, environmentKey } from './settings.ts';

/** Where requests go and with which key: the answer to "who am I" for one run. */
export interface Target {
  readonly origin: string;
  readonly key: string;
  /** The profile's name; undefined when origin and key came from the environment. */
  readonly profile: string | undefined;
  readonly keySource: 'environment' | 'profile' | 'command';
}

/** A profile out of the file, with its name. */
export interface Found {
  readonly name: string;
  readonly stored: StoredProfile;
}

const LOGIN = 'run `paycli login`, or set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL; `--local` needs no key';

const own = (file: ProfileFile | undefined, name: string | undefined): StoredProfile | undefined =>
  file !== undefined && name !== undefined && Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

/** The name of the default profile, when there is such a profile. */
export const defaultName = (file: ProfileFile | undefined): string | undefined =>
  own(file, file?.default) === undefined ? undefined : file?.default;

/** The reserved profile may be meant, too. */
const guessOf = (name: string | undefined, names: readonly string[]): string => {
  const meant = name === undefined ? undefined : didYouMean(name, [...names, LOCAL_PROFILE]);
  return meant === undefined ? '' : `did you mean "${meant}"? `;
};

const nothingFound = (name: string | undefined, names: readonly string[]): PayError => {
  const known = `known: ${names.join(', ')}`;
  if (names.length === 0) {
    const what = name === undefined ? 'no profiles yet' : `no profile "${name}": there are no profiles yet`;
    return new PayError('auth', what, { hint: `${guessOf(name, [])}${LOGIN}` });
  }
  if (name === undefined) {
    const hint = `choose one with --profile, or set the default with \`paycli profile use NAME\` (${known})`;
    return new PayError('auth', 'no default profile', { hint });
  }
  return new PayError('auth', `no profile "${name}"`, {
    hint: `${guessOf(name, names)}${known}; add one with \`paycli login --profile NAME\`, or use --local, which needs none`,
  });
};

/** The named profile, or the default one. */
export const find = (file: ProfileFile | undefined, name: string | undefined): Found => {
  const wanted = name ?? defaultName(file);
  const stored = own(file, wanted);
  if (wanted === undefined || stored === undefined) throw nothingFound(name, Object.keys(file?.profiles ?? {}));
  return { name: wanted, stored };
};

/** Where a call goes, key or no key. The file isn't opened when flags and environment say it all. */
export const originOf = (chosen: Chosen, read: () => ProfileFile | undefined): string => {
  if (chosen.origin !== undefined && chosen.name === undefined) return chosen.origin.value;
  const { stored } = find(read(), chosen.name);
  return chosen.origin?.value ?? stored.origin;
};

const withEnvironmentKey = (key: string, chosen: Chosen, read: () => ProfileFile | undefined): Target => {
  const settled = (origin: string, profile: string | undefined): Target => ({
    origin,
    key: checkKey(key, origin, 'the key in PAYCLI_SECRET_KEY'),
    profile,
    keySource: 'environment',
  });
  if (chosen.origin !== undefined && chosen.name === undefined) return settled(chosen.origin.value, undefined);
  const file = read();
  if (chosen.name === undefined && defaultName(file) === undefined) {
    throw new PayError('auth', 'PAYCLI_SECRET_KEY is set, but which service is the key for?', {
      hint: 'set PAYCLI_BASE_URL, or choose a profile with --profile',
    });
  }
  const { name, stored } = find(file, chosen.name);
  return settled(chosen.origin?.value ?? stored.origin, name);
};

/** A stored key goes to the origin that it was stored for, compared as a whole, and nowhere else. */
const withStoredKey = async ({ name, stored }: Found, chosen: Chosen, io: Io, machine: Machine): Promise<Target> => {
  const { origin } = stored;
  if (chosen.origin !== undefined && chosen.origin.value !== origin) {
    throw new PayError(
      'auth',
      `the key of the profile "${name}" is for ${origin} only, but ${chosen.origin.from} gives another origin`,
      {
        hint: 'set PAYCLI_SECRET_KEY to the key for this call, or add a profile for that origin: `paycli login --profile NAME`',
      },
    );
  }
  if (stored.key_command !== undefined) {
    const key = await runKeyCommand(stored.key_command, io, machine);
    return { origin, key: checkKey(key, origin, 'the key of the key command'), profile: name, keySource: 'command' };
  }
  const key = checkKey(stored.key ?? '', origin, `the key of the profile "${name}"`);
  return { origin, key, profile: name, keySource: 'profile' };
};

/** Origin and key by cli.md's precedence. */
export const targetOf = async (
  chosen: Chosen,
  read: () => ProfileFile | undefined,
  io: Io,
  machine: Machine,
): Promise<Target> => {
  const key = environmentKey(io);
  if (key !== undefined) return withEnvironmentKey(key, chosen, read);
  return await withStoredKey(find(read(), chosen.name), chosen, io, machine);
};
