import { createHmac } from 'node:crypto';

const POSITION_BYTES = 6;
const TAG_BYTES = 9;

/**
 * The opaque cursor of a list (interface.md 2.6): the place after which the next page starts, signed with the data
 * file's key. A place is a record's number in the order of creation, so records added meanwhile move nothing.
 */
export const encodeCursor = (key: string, list: string, position: number): string => {
  const place = Buffer.alloc(POSITION_BYTES);
  place.writeUIntBE(position, 0, POSITION_BYTES);
  const tag = createHmac('sha256', key).update(list).update(place).digest().subarray(0, TAG_BYTES);
  return Buffer.concat([place, tag]).toString('base64url');
};

/** The place that a cursor of this list names; undefined for any text that `encodeCursor` did not give. */
export const decodeCursor = (key: string, list: string, cursor: string): number | undefined => {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== POSITION_BYTES + TAG_BYTES) return undefined;
  const position = bytes.readUIntBE(0, POSITION_BYTES);
  return encodeCursor(key, list, position) === cursor ? position : undefined;
};
