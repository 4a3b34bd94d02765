import * as z from 'zod';
import { memo } from '../core/async.ts';
import { checkBaseUrl } from '../core/origin.ts';
import { instant, type OutputOf } from './common.ts';

/** The version of the file that this program reads and writes. A higher one is never touched. */
export const PROFILE_FILE_VERSION = 1;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * True for a valid profile name. `__proto__` is invalid; `constructor` is valid, and is treated like any other name.
 */
export const isProfileName = (text: string): boolean => NAME.test(text);

const isExactOrigin = (text: string): boolean => {
  const check = checkBaseUrl(text);
  return 'origin' in check && check.origin === text;
};

const storedProfile = memo(() =>
  z
    .looseObject({
      origin: z.string().refine(isExactOrigin, { error: 'is not an exact https:// origin' }),
      key: z.string().optional(),
      key_command: z.array(z.string()).min(1).optional(),
      ledger: z.string().optional(),
      ledger_password_command: z.array(z.string()).min(1).optional(),
      /** Validated on use: a bad setting must not prevent the others, or the key, from being read. */
      defaults: z.unknown().optional(),
      created_at: instant(),
    })
    .refine(({ key, key_command }) => (key === undefined) !== (key_command === undefined), {
      error: 'must hold either key or key_command',
    }),
);

// zod's record skips `__proto__`, so the names are checked first.
const named = memo(() =>
  z.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && Object.keys(value).every(isProfileName),
    { error: 'must be an object whose names are profile names' },
  ),
);

/** The file that stores the profiles. Unknown fields are preserved. */
export const profileFile = memo(() =>
  z.looseObject({
    version: z.literal(PROFILE_FILE_VERSION),
    default: z.string().optional(),
    profiles: named().pipe(z.record(z.string(), storedProfile())),
  }),
);

export type StoredProfile = OutputOf<typeof storedProfile>;
export type ProfileFile = OutputOf<typeof profileFile>;
