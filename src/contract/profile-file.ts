import { isJsonObject } from '../core/json.ts';
import { checkBaseUrl } from '../core/origin.ts';
import { parseInstant } from '../core/time.ts';

/** The version of the file that this program reads and writes. A higher one is never touched. */
export const PROFILE_FILE_VERSION = 1;

/**
 * True for a valid profile name. `__proto__` is invalid; `constructor` is valid, and is treated like any other name.
 */
export const isProfileName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);

/** A profile: either `key` or `key_command` is there. Unknown fields are preserved. */
export interface StoredProfile {
  readonly origin: string;
  readonly key?: string | undefined;
  readonly key_command?: string[] | undefined;
  readonly ledger?: string | undefined;
  readonly ledger_password_command?: string[] | undefined;
  /** Validated on use: a bad setting must not prevent the others, or the key, from being read. */
  readonly defaults?: unknown;
  /** ISO 8601. */
  readonly created_at: string;
  readonly [name: string]: unknown;
}

/** The file that stores the profiles. Unknown fields are preserved. */
export interface ProfileFile {
  readonly version: typeof PROFILE_FILE_VERSION;
  readonly default?: string | undefined;
  readonly profiles: Record<string, StoredProfile>;
  readonly [name: string]: unknown;
}

const isExactOrigin = (text: unknown): boolean => {
  const check = typeof text === 'string' ? checkBaseUrl(text) : {};
  return 'origin' in check && check.origin === text;
};

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isCommand = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'));

const isInstant = (value: unknown): boolean => typeof value === 'string' && parseInstant(value) !== undefined;

/** Rules of the fields of a profile, and the end of the sentence that names a broken one. */
const PROFILE_FIELDS: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, fault: string]>> = {
  origin: [isExactOrigin, 'is not an exact https:// origin'],
  key: [isText, 'is not text'],
  key_command: [isCommand, 'is not a list of words'],
  ledger: [isText, 'is not text'],
  ledger_password_command: [isCommand, 'is not a list of words'],
  created_at: [isInstant, 'is not an ISO 8601 time with an offset'],
};

const profileFault = (profile: unknown): string | undefined => {
  if (!isJsonObject(profile)) return ': is not an object';
  const [name, rule] = Object.entries(PROFILE_FIELDS).find(([field, [isValid]]) => !isValid(profile[field])) ?? [];
  if (rule !== undefined) return `.${name}: ${rule[1]}`;
  const hasOne = (profile['key'] === undefined) !== (profile['key_command'] === undefined);
  return hasOne ? undefined : ': must hold either key or key_command';
};

/** Reason why a JSON object is not a file of profiles; it never quotes a value. Undefined for a valid one. */
export const profileFileFault = ({ version, default: chosen, profiles }: Readonly<Record<string, unknown>>) => {
  if (version !== PROFILE_FILE_VERSION) return `version: is not ${PROFILE_FILE_VERSION}`;
  if (!isText(chosen)) return 'default: is not text';
  if (!isJsonObject(profiles) || !Object.keys(profiles).every(isProfileName)) {
    return 'profiles: must be an object whose names are profile names';
  }
  const faults = Object.entries(profiles).map(([name, profile]) => [name, profileFault(profile)] as const);
  const [name, fault] = faults.find(([, one]) => one !== undefined) ?? [];
  return fault === undefined ? undefined : `profiles.${name}${fault}`;
};
