import { hash, randomInt } from 'node:crypto';
import type { IdPrefix } from '../core/ids.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The segment of an identifier that names the workspace. */
const WORKSPACE = 'Lcal';
const LENGTH = 24;

/** Letters and digits that nobody can guess. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

const KEY_LENGTH = 80;

/** A key as the service gives them: `sk.Lcal.` and 80 characters. */
export const randomKey = (prefix: 'sk' | 'pk' | 'ctl' | 'wsk'): string =>
  `${prefix}.${WORKSPACE}.${randomText(KEY_LENGTH)}`;

/** At most 32 letters and digits that depend on `source` alone. */
export const derivedText = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => ALPHABET.charAt(byte % 62)).join('');

/** At most 32 digits that depend on `source` alone. */
export const derivedDigits = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => byte % 10).join('');

/** An identifier (interface.md section 2) that was never given before. */
export const newId = (prefix: IdPrefix | 'rfd' | 'evt'): string => `${prefix}.${WORKSPACE}.${randomText(LENGTH)}`;

/** The identifier of a seeded thing: the same for the same name on every machine. */
export const derivedId = (prefix: IdPrefix | 'psp', name: string): string =>
  `${prefix}.${WORKSPACE}.${derivedText(`${prefix} ${name}`, LENGTH)}`;

/**
 * An identifier as the live dialect shows it: those of the sandbox end in `_t` inside their 24 characters. That loses two
 * of them, which no rule could give back without the records; but no two records share the first 22, so those find the
 * record again (`meantBy`). To keep such identifiers in the data file would be simpler, and they would show with --local.
 */
export const testId = (id: string): string => id.replace(/^(\w+\.\w+\.[A-Za-z0-9]{22})[A-Za-z0-9]{2}$/, '$1_t');

/** Between which identifiers the one stands that was given as `id`, in the order of their bytes. */
export const meantBy = (id: string): readonly [from: string, to: string] => {
  const stem = /^(\w+\.\w+\.[A-Za-z0-9]{22})_t$/.exec(id)?.[1];
  return stem === undefined ? [id, id] : [stem, `${stem}zz`];
};
