import { createHmac, hash, randomInt } from 'node:crypto';
import type { IdPrefix } from '../core/ids.ts';

const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Workspace segment of identifiers. */
const LOCAL_WORKSPACE = 'Lcal';
const ID_LENGTH = 24;

/** Returns letters and digits that nobody can guess. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join('');

/**
 * Returns a key in the service's format: `sk.Lcal.` and 80 characters, which end in `_t` as in the service's sandbox.
 */
export const randomKey = (prefix: 'sk' | 'pk' | 'ctl' | 'wsk'): string =>
  `${prefix}.${LOCAL_WORKSPACE}.${randomText(78)}_t`;

/** Returns at most 32 letters and digits that depend on `source` only. */
export const derivedText = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => ID_ALPHABET.charAt(byte % 62)).join('');

/** Returns at most 32 digits that depend on `source` only. */
export const derivedDigits = (source: string, length: number): string =>
  [...hash('sha256', source, 'buffer').subarray(0, length)].map((byte) => byte % 10).join('');

/** Returns a new, unique identifier (docs/service.md, Identifiers). */
export const newServiceId = (prefix: IdPrefix | 'rfd' | 'evt'): string =>
  `${prefix}.${LOCAL_WORKSPACE}.${randomText(ID_LENGTH)}`;

/** Returns the identifier of a seeded record: the same for the same name on every machine. */
export const derivedId = (prefix: IdPrefix, name: string): string =>
  `${prefix}.${LOCAL_WORKSPACE}.${derivedText(`${prefix} ${name}`, ID_LENGTH)}`;

/**
 * Converts an identifier to the live dialect: those of the sandbox end in `_t` within their 24 characters. That drops
 * two characters, which can't be restored without the records. No two records share the first 22, so those find the
 * record again (`meantBy`). Storing such identifiers in the data file would be simpler, but --local would show them.
 */
export const testId = (id: string): string => id.replace(/^(\w+\.\w+\.[A-Za-z0-9]{22})[A-Za-z0-9]{2}$/, '$1_t');

/** Returns the range of stored identifiers, in byte order, that `id` can mean. */
export const meantBy = (id: string): readonly [from: string, to: string] => {
  const stem = /^(\w+\.\w+\.[A-Za-z0-9]{22})_t$/.exec(id)?.[1];
  return stem === undefined ? [id, id] : [stem, `${stem}zz`];
};

const POSITION_BYTES = 6;
const ID_TAG_BYTES = 9;

/**
 * Encodes the opaque cursor of a list (docs/service.md, Lists): the position after which the next page starts, signed
 * with the data file's key. A position is a record's number in the order of creation, so new records don't shift it.
 */
export const encodeCursor = (key: string, list: string, position: number): string => {
  const place = Buffer.alloc(POSITION_BYTES);
  place.writeUIntBE(position, 0, POSITION_BYTES);
  const tag = createHmac('sha256', key).update(list).update(place).digest().subarray(0, ID_TAG_BYTES);
  return Buffer.concat([place, tag]).toString('base64url');
};

/** Decodes a cursor of this list; undefined for any text that `encodeCursor` did not produce. */
export const decodeCursor = (key: string, list: string, cursor: string): number | undefined => {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== POSITION_BYTES + ID_TAG_BYTES) return undefined;
  const position = bytes.readUIntBE(0, POSITION_BYTES);
  return encodeCursor(key, list, position) === cursor ? position : undefined;
};
