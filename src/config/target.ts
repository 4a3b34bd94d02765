import { isProfileName, type ProfileFile, type StoredProfile } from '../contract/profile-file.ts';
import { LOCAL_PROFILE } from '../core/data-files.ts';
import { PayError, usageError, variableIs } from '../core/error.ts';
import type { Env, Io } from '../core/io.ts';
import { checkBaseUrl, isLoopback } from '../core/origin.ts';
import { keyFault } from '../core/secret.ts';
import { shellLine } from '../core/shell.ts';
import { didYouMean } from '../core/text.ts';
import { runKeyCommand } from './key-command.ts';
import type { Machine } from './machine.ts';

/** The flags of one call that choose its service. */
export interface ServiceFlags {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** Settings from flags and environment, before any profile is read. */
export interface TargetSettings {
  readonly name: string | undefined;
  /** The origin, and the setting that it came from. */
  readonly origin: { readonly value: string; readonly from: string } | undefined;
}

const SHORTEST_KEY = 24;

/**
 * Returns a valid profile name; throws for any other. The error does not repeat a text that may be a misplaced key.
 * `from` is the variable that gave it.
 */
export const checkName = (name: string, from?: string): string => {
  if (!isProfileName(name)) {
    const subject = from && (name.length < SHORTEST_KEY ? `${variableIs(from, name)}, ` : `${from} is `);
    throw usageError(
      `${subject ?? ''}not a profile name: use 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit`,
    );
  }
  if (name.toLowerCase() === 'local') {
    throw usageError('the profile name "local" is reserved for the built-in emulator', {
      hint: 'use --local instead; it needs no key',
    });
  }
  return name;
};

const isPlainHttp = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return protocol === 'http:' && !isLoopback(origin);
};

/** The exact origin of a base URL. The error does not repeat the URL, which may contain a password. */
export const checkOrigin = (text: string, from: string): string => {
  const check = checkBaseUrl(text);
  if ('origin' in check) return check.origin;
  throw new PayError(isPlainHttp(text) ? 'auth' : 'usage', `${from} ${check.problem}`, {
    hint: 'use only the scheme and host, such as https://api.example.com',
  });
};

/**
 * Flags take precedence over the environment. A variable that is set but empty is an error, never a silent fallback to
 * the next source.
 */
export const chooseTarget = (asked: ServiceFlags, env: Env): TargetSettings => {
  const name = asked.profile ?? env['PAYCLI_PROFILE'];
  const url = asked.baseUrl ?? env['PAYCLI_BASE_URL'];
  const from = asked.baseUrl === undefined ? 'PAYCLI_BASE_URL' : '--base-url';
  return {
    name: name === undefined ? undefined : checkName(name, asked.profile === undefined ? 'PAYCLI_PROFILE' : undefined),
    origin: url === undefined ? undefined : { value: checkOrigin(url, from), from },
  };
};

/** Reads PAYCLI_SECRET_KEY, and registers it with the redactor before any other use. */
const environmentKey = ({ env, redactor }: Pick<Io, 'env' | 'redactor'>): string | undefined => {
  const key = env['PAYCLI_SECRET_KEY'];
  if (key !== undefined) redactor.add(key);
  return key;
};

/** Returns a key that may be sent to this origin; throws for any other. `what` names its source in the error. */
export const checkKeyFor = (key: string, origin: string, what: string): string => {
  const fault = keyFault(key, origin);
  if (fault === undefined) return key;
  const { problem, ...detail } = fault;
  throw new PayError('auth', `${what} ${problem}`, detail);
};

/** Origin and key of the requests of one run. */
export interface Target {
  readonly origin: string;
  readonly key: string;
  /** The profile's name; undefined if origin and key came from the environment. */
  readonly profile: string | undefined;
  readonly keySource: 'environment' | 'profile' | 'keychain' | 'command';
}

export const refusedKeyHint = ({ keySource, profile }: Pick<Target, 'keySource' | 'profile'>): string => {
  const wrong = 'was rotated, mistyped or belongs to the other environment';
  if (keySource === 'environment') {
    return profile === undefined
      ? `the key in PAYCLI_SECRET_KEY ${wrong}: fix the variable`
      : `the key in PAYCLI_SECRET_KEY, which overrides the key of the profile "${profile}", ${wrong}: fix the variable, or unset it`;
  }
  const place = { profile: '', keychain: ', which is in the keychain,', command: ', which its key command prints,' };
  const login = shellLine(['paycli', 'login', ...(profile === undefined ? [] : ['--profile', profile])]);
  return `the key of the profile "${profile}"${place[keySource]} ${wrong}: log in again with \`${login}\``;
};

/** True for a command that `keychain.ts` has made, which is not loaded for this. */
const readsKeychain = (command: readonly string[]): boolean =>
  /^\S+ (?:lookup service|find-generic-password -s) paycli |PasswordVault/.test(command.join(' '));

export interface FoundProfile {
  readonly name: string;
  readonly stored: StoredProfile;
}

const LOGIN =
  'run `paycli login` to store a key of the service. To practise without a key, add --local. Scripts set PAYCLI_SECRET_KEY and PAYCLI_BASE_URL';

/** A profile by its name; undefined if there is none. */
export const profileNamed = (file: ProfileFile | undefined, name: string | undefined): StoredProfile | undefined =>
  file !== undefined && name !== undefined && Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

export const defaultName = (file: ProfileFile | undefined): string | undefined =>
  profileNamed(file, file?.default) === undefined ? undefined : file?.default;

/** "Did you mean" for a profile name; the reserved profile is included. */
const meantProfile = (name: string | undefined, names: readonly string[]): string => {
  const meant = name === undefined ? undefined : didYouMean(name, [...names, LOCAL_PROFILE]);
  return meant === undefined ? '' : `did you mean "${meant}"? `;
};

const notFound = (name: string | undefined, names: readonly string[]): PayError => {
  const known = `known: ${names.join(', ')}`;
  if (names.length === 0) {
    const what = name === undefined ? 'no profiles yet' : `no profile "${name}": there are no profiles yet`;
    return new PayError('auth', what, { hint: `${meantProfile(name, [])}${LOGIN}` });
  }
  if (name === undefined) {
    const hint = `choose one with --profile, or set the default with \`paycli profile use NAME\` (${known})`;
    return new PayError('auth', 'no default profile', { hint });
  }
  return new PayError('auth', `no profile "${name}"`, {
    hint: `${meantProfile(name, names)}${known}; add one with \`paycli login --profile NAME\`, or use --local, which needs none`,
  });
};

/** The named profile, or the default one; throws when it does not exist. */
export const findProfile = (file: ProfileFile | undefined, name: string | undefined): FoundProfile => {
  const wanted = name ?? defaultName(file);
  const stored = profileNamed(file, wanted);
  if (wanted === undefined || stored === undefined) throw notFound(name, Object.keys(file?.profiles ?? {}));
  return { name: wanted, stored };
};

/** Origin of a call, with or without a key. The file isn't opened when flags and environment are sufficient. */
export const originOf = (chosen: TargetSettings, read: () => ProfileFile | undefined): string => {
  if (chosen.origin !== undefined && chosen.name === undefined) return chosen.origin.value;
  const { stored } = findProfile(read(), chosen.name);
  return chosen.origin?.value ?? stored.origin;
};

const environmentTarget = (key: string, origin: string, profile: string | undefined): Target => ({
  origin,
  key: checkKeyFor(key, origin, 'the key in PAYCLI_SECRET_KEY'),
  profile,
  keySource: 'environment',
});

/** Origin and key if flags and environment give both; undefined if the profiles are needed. */
export const givenTarget = ({ name, origin }: TargetSettings, io: Pick<Io, 'env' | 'redactor'>): Target | undefined => {
  const key = environmentKey(io);
  return key === undefined || name !== undefined || origin === undefined
    ? undefined
    : environmentTarget(key, origin.value, undefined);
};

const withEnvironmentKey = (key: string, chosen: TargetSettings, file: ProfileFile | undefined): Target => {
  if (chosen.name === undefined && defaultName(file) === undefined) {
    throw new PayError('auth', 'PAYCLI_SECRET_KEY is set, but which service is the key for?', {
      hint: 'set PAYCLI_BASE_URL, or choose a profile with --profile',
    });
  }
  const { name, stored } = findProfile(file, chosen.name);
  return environmentTarget(key, chosen.origin?.value ?? stored.origin, name);
};

/** A stored key goes only to the origin that it was stored for, compared as a whole. */
const withStoredKey = async (
  { name, stored }: FoundProfile,
  chosen: TargetSettings,
  io: Io,
  machine: Machine,
): Promise<Target> => {
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
    const keySource = readsKeychain(stored.key_command) ? 'keychain' : 'command';
    return { origin, key: checkKeyFor(key, origin, 'the key of the key command'), profile: name, keySource };
  }
  const key = checkKeyFor(stored.key ?? '', origin, `the key of the profile "${name}"`);
  return { origin, key, profile: name, keySource: 'profile' };
};

/** Origin and key: flag, then environment, then profile (docs/configuration.md). */
export const readTarget = async (
  chosen: TargetSettings,
  read: () => ProfileFile | undefined,
  io: Io,
  machine: Machine,
): Promise<Target> => {
  const given = givenTarget(chosen, io);
  if (given !== undefined) return given;
  const key = environmentKey(io);
  if (key !== undefined) return withEnvironmentKey(key, chosen, read());
  return await withStoredKey(findProfile(read(), chosen.name), chosen, io, machine);
};
