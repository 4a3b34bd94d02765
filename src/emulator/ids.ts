import { hash, randomInt } from 'node:crypto';
import type { IdPrefix } from '../core/ids.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The segment of an identifier that names the workspace. */
const WORKSPACE = 'Lcal';
const LENGTH = 24;

/** Letters and digits that nobody can guess. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** At most 32 letters and digits that depend on `source` alone. */
const derivedText = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => ALPHABET.charAt(byte % 62)).join('');

/** At most 32 digits that depend on `source` alone. */
export const derivedDigits = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => byte % 10).join('');

/** An identifier (interface.md section 2) that was never given before. */
export const newId = (prefix: IdPrefix): string => `${prefix}.${WORKSPACE}.${randomText(LENGTH)}`;

/** A reference of the provider's, the same for the same name on every machine. */
export const derivedReference = (name: string): string => `EMU-${derivedText(`reference ${name}`, 16)}`;

/** The identifier of a seeded thing: the same for the same name on every machine. */
export const derivedId = (prefix: IdPrefix | 'psp', name: string): string =>
  `${prefix}.${WORKSPACE}.${derivedText(`${prefix} ${name}`, LENGTH)}`;
