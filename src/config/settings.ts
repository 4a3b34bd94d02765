import { isProfileName } from '../contract/profile-file.ts';
import { PayError, usageError } from '../core/error.ts';
import type { Env, Io } from '../core/io.ts';
import { checkBaseUrl, isLoopback } from '../core/origin.ts';
import { keyFault } from '../core/secret.ts';

/** The settings of one call that say who it is for. */
export interface PlaceGiven {
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** What flags and environment say, before any profile is read. */
export interface Chosen {
  readonly name: string | undefined;
  /** The origin, and which setting it came from. */
  readonly origin: { readonly value: string; readonly from: string } | undefined;
}

/** The name, when a profile can have it. It is not repeated in the error: what isn't a name may be a misplaced key. */
export const checkName = (name: string): string => {
  if (!isProfileName(name)) {
    throw usageError(
      'not a profile name: use 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit',
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

/** The exact origin of a base URL. The URL is not repeated in the error, since it may hold a password. */
export const checkOrigin = (text: string, from: string): string => {
  const check = checkBaseUrl(text);
  if ('origin' in check) return check.origin;
  throw new PayError(isPlainHttp(text) ? 'auth' : 'usage', `${from} ${check.problem}`, {
    hint: 'use only the scheme and host, such as https://api.example.com',
  });
};

/** Flag before environment. A variable that is set but empty is an error, never a silent step to the next source. */
export const choose = (asked: PlaceGiven, env: Env): Chosen => {
  const name = asked.profile ?? env['PAYCLI_PROFILE'];
  const url = asked.baseUrl ?? env['PAYCLI_BASE_URL'];
  const from = asked.baseUrl === undefined ? 'PAYCLI_BASE_URL' : '--base-url';
  return {
    name: name === undefined ? undefined : checkName(name),
    origin: url === undefined ? undefined : { value: checkOrigin(url, from), from },
  };
};

/** PAYCLI_SECRET_KEY, made known to the redactor before anything else is done with it. */
export const environmentKey = ({ env, redactor }: Pick<Io, 'env' | 'redactor'>): string | undefined => {
  const key = env['PAYCLI_SECRET_KEY'];
  if (key !== undefined) redactor.add(key);
  return key;
};

/** The key, when it can be sent to this origin; `what` names its source in the error. */
export const checkKey = (key: string, origin: string, what: string): string => {
  const fault = keyFault(key, origin);
  if (fault === undefined) return key;
  const { problem, ...detail } = fault;
  throw new PayError('auth', `${what} ${problem}`, detail);
};
