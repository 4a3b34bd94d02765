import { PROFILE_FILE_VERSION, type ProfileFile, type StoredProfile } from '../contract/profile-file.ts';
import { memo } from '../core/async.ts';
import { usageError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { isJsonObject, pick } from '../core/json.ts';
import { environmentName } from '../core/origin.ts';
import { keyProblem, keyTail } from '../core/secret.ts';
import type { StoredDefaults } from '../core/settings.ts';
import { splitCommand } from '../core/shell.ts';
import { formatDateAtom } from '../core/time.ts';
import { runKeyCommand } from './key-command.ts';
import type { KeychainKey } from './keychain.ts';
import { type Folders, type Machine, realMachine } from './machine.ts';
import { openProfileStore } from './store.ts';
import {
  checkKeyFor,
  checkName,
  checkOrigin,
  chooseTarget,
  defaultName,
  type FoundProfile,
  findProfile,
  originOf,
  profileNamed,
  readTarget,
  type ServiceFlags,
  type Target,
  type TargetSettings,
} from './target.ts';

export interface ProfileSummary {
  readonly name: string;
  readonly default: boolean;
  readonly origin: string;
  readonly environment: string;
  /** `…abcd` for a stored key, `command` for a helper, `unusable` for an invalid key. */
  readonly key: string;
  readonly created_at: string;
}

export interface NewProfile {
  readonly name: string;
  readonly origin: string;
  /** A key, or the command of a helper that prints it. */
  readonly secret:
    | { readonly key: string }
    | { readonly commandLine: string }
    | { readonly command: readonly string[] };
}

const tailOf = ({ key, key_command }: StoredProfile): string => {
  if (key_command !== undefined) return 'command';
  return key === undefined || keyProblem(key) !== undefined ? 'unusable' : keyTail(key);
};

const profileSummary = (file: ProfileFile | undefined, name: string | undefined): ProfileSummary => {
  const found = findProfile(file, name);
  return {
    name: found.name,
    default: found.name === defaultName(file),
    origin: found.stored.origin,
    environment: environmentName(found.stored.origin),
    key: tailOf(found.stored),
    created_at: found.stored.created_at,
  };
};

const storedSecret = ({ name, origin, secret }: NewProfile): Pick<StoredProfile, 'key' | 'key_command'> => {
  if ('key' in secret) return { key: checkKeyFor(secret.key, origin, `the key for the profile "${name}"`) };
  return { key_command: 'command' in secret ? [...secret.command] : [...splitCommand(secret.commandLine)] };
};

/** Checks a new profile and returns it as it is stored. Registers its key with the redactor. */
const checkedProfile = (profile: NewProfile, io: Io): StoredProfile => {
  if ('key' in profile.secret) io.redactor.add(profile.secret.key);
  checkName(profile.name);
  const origin = checkOrigin(profile.origin, 'the base URL');
  const created_at = formatDateAtom({ ms: io.clock.now(), offset: 0 });
  return { origin, ...storedSecret({ ...profile, origin }), created_at };
};

const withoutProfile = (file: ProfileFile, name: string): ProfileFile => {
  const { default: chosen, ...rest } = file;
  const profiles = Object.fromEntries(Object.entries(file.profiles).filter(([other]) => other !== name));
  return chosen === undefined || chosen === name ? { ...rest, profiles } : { ...rest, default: chosen, profiles };
};

/** Fields that a profile of this name keeps when it gets a new key: its settings and its ledger. */
const carriedOver = (file: ProfileFile, name: string): Partial<StoredProfile> => {
  const profile = profileNamed(file, name);
  return profile === undefined ? {} : pick(profile, ['defaults', 'ledger', 'ledger_password_command']);
};

const renamed = (file: ProfileFile, from: string, to: string): ProfileFile => ({
  ...file,
  ...(file.default === from ? { default: to } : {}),
  profiles: Object.fromEntries(
    Object.entries(file.profiles).map(([name, profile]) => [name === from ? to : name, profile]),
  ),
});

/** True if more than one profile has this key command. */
const isSharedCommand = (file: ProfileFile | undefined, command: readonly string[]): boolean =>
  Object.values(file?.profiles ?? {}).filter((one) => one.key_command?.join('\0') === command.join('\0')).length > 1;

/** The file may have been edited, so its content is not trusted. */
const defaultsOf = ({ name, stored: { defaults } }: FoundProfile): StoredDefaults => ({
  profile: name,
  values: isJsonObject(defaults) ? defaults : {},
});

const emptyFile: ProfileFile = { version: PROFILE_FILE_VERSION, profiles: {} };

/**
 * Opens the profiles in the config folder. Nothing is read, created or written before a method needs it. Failures are
 * PayErrors: `usage` for an invalid name, URL or command, `auth` for the rest. A method that takes an optional name
 * means the default profile without one.
 */
export const openProfiles = (io: Io, folders: Folders, machine: Machine = realMachine) => {
  // Opened on demand: a run with all settings in flags and environment needs no folder.
  const store = memo(() => openProfileStore(folders.config, machine, io.redactor));
  const read = (): ProfileFile | undefined => store().read();
  const found = (name: string | undefined): FoundProfile =>
    findProfile(read(), name === undefined ? undefined : checkName(name));
  const change = (name: string, how: (file: ProfileFile) => ProfileFile): ProfileSummary => {
    const next = how(read() ?? emptyFile);
    store().write(next);
    return profileSummary(next, name);
  };
  const replace = (name: string, next: StoredProfile): ProfileSummary =>
    change(name, (file) => ({ ...file, profiles: { ...file.profiles, [name]: next } }));
  return {
    /** Origin and key: flag, then environment, then the default profile. Never the emulator. */
    target: async (asked: ServiceFlags): Promise<Target> =>
      await readTarget(chooseTarget(asked, io.env), read, io, machine),
    /** The origin alone, for --dry-run: needs no key. */
    origin: async (asked: ServiceFlags): Promise<string> => originOf(chooseTarget(asked, io.env), read),
    /** Settings from flags and environment, checked; reads no profile. */
    chosen: (asked: ServiceFlags): TargetSettings => chooseTarget(asked, io.env),
    list: (): readonly ProfileSummary[] => {
      const file = read();
      return Object.keys(file?.profiles ?? {}).map((name) => profileSummary(file, name));
    },
    /** Throws when the state of the folder prevents storing a key; changes nothing. */
    checkFolder: (): void => store().checkFolder(),
    show: (name: string | undefined): ProfileSummary =>
      profileSummary(read(), name === undefined ? undefined : checkName(name)),
    /** All checks of `save`, and one of the key itself: runs a helper. Stores nothing. */
    check: async (profile: NewProfile): Promise<{ readonly origin: string; readonly key: string }> => {
      const { origin, key, key_command } = checkedProfile(profile, io);
      if (key !== undefined) return { origin, key };
      const printed = await runKeyCommand(key_command ?? [], io, machine);
      return { origin, key: checkKeyFor(printed, origin, 'the key of the key command') };
    },
    /** Stores the profile, and replaces one of the same name. It becomes the default if there is none. */
    save: (profile: NewProfile): ProfileSummary =>
      change(profile.name, (file) => ({
        ...file,
        default: defaultName(file) ?? profile.name,
        profiles: {
          ...file.profiles,
          [profile.name]: { ...carriedOver(file, profile.name), ...checkedProfile(profile, io) },
        },
      })),
    /** Stores a key in the system's keychain; returns the command that prints it, or the reason for the failure. */
    storeKey: async (name: string, key: string): Promise<KeychainKey> =>
      (await import('./keychain.ts')).storeKey(checkName(name), key, folders.config, io, machine),
    /**
     * Returns a function that removes the profile's key from the keychain once it is unused; undefined if it has none
     * there, or when another profile uses it.
     */
    keyRemover: async (name: string): Promise<(() => Promise<string | undefined>) | undefined> => {
      const command = found(name).stored.key_command;
      if (command === undefined || isSharedCommand(read(), command)) return undefined;
      return (await import('./keychain.ts')).keyRemover(command, folders.config, io, machine);
    },
    defaults: (asked: string | undefined): StoredDefaults => defaultsOf(found(asked)),
    setDefault: (asked: string | undefined, setting: string, value: string | undefined): StoredDefaults => {
      const { name, stored: profile } = found(asked);
      const { [setting]: _old, ...others } = defaultsOf({ name, stored: profile }).values;
      const { defaults: _all, ...rest } = profile;
      const defaults = value === undefined ? others : { ...others, [setting]: value };
      const next: StoredProfile = { ...rest, ...(Object.keys(defaults).length > 0 && { defaults }) };
      replace(name, next);
      return defaultsOf({ name, stored: next });
    },
    /** Checks both names. The returned function renames the profile with all that is stored in it. */
    renaming: (from: string, to: string): (() => ProfileSummary) => {
      const { name } = found(from);
      if (profileNamed(read(), checkName(to)) !== undefined) {
        throw usageError(`there is a profile "${to}" already`, { hint: 'choose another name; nothing was changed' });
      }
      return () => change(to, (file) => renamed(file, name, to));
    },
    use: (name: string): ProfileSummary =>
      change(name, (file) => ({ ...file, default: findProfile(file, checkName(name)).name })),
    /** Stores the ledger's URL; undefined stands for this machine's file. Returns the profile's name. */
    useLedger: (asked: string | undefined, url: string | undefined, passwordCommand: string | undefined): string => {
      const { name, stored: profile } = found(asked);
      const { ledger: _ledger, ledger_password_command: _command, ...rest } = profile;
      replace(name, {
        ...rest,
        ...(url !== undefined && { ledger: url }),
        ...(passwordCommand !== undefined && {
          ledger_password_command: [...splitCommand(passwordCommand, '--password-command')],
        }),
      });
      return name;
    },
    /** Returns the removed profile. After the default is removed there is none until `use` or `save` sets one. */
    remove: (name: string): ProfileSummary => {
      const file = read() ?? emptyFile;
      const removed = profileSummary(file, checkName(name));
      store().write(withoutProfile(file, name));
      return removed;
    },
  };
};
export type ProfileRoom = ReturnType<typeof openProfiles>;

export interface ProfileLedger {
  readonly profile: string;
  readonly url: string;
  readonly command: readonly string[] | undefined;
}

/** The ledger in the run's profile, or in the default one; undefined if it has none. */
export const profileLedger = (
  asked: ServiceFlags,
  io: Io,
  folder: string,
  machine: Machine,
): ProfileLedger | undefined => {
  const content = openProfileStore(folder, machine, io.redactor).read();
  const { name } = chooseTarget(asked, io.env);
  if (name === undefined && defaultName(content) === undefined) return undefined;
  const { name: profile, stored } = findProfile(content, name);
  const { ledger: url, ledger_password_command: command } = stored;
  return url === undefined ? undefined : { profile, url, command };
};
