import { CHARGE } from '../core/effect.ts';
import { AT, CHANGING, FIXED, OF_OTHERS, type Row } from './columns.ts';

const OF_CHARGES = FIXED.length + CHANGING.length;
const OF_ALL = OF_CHARGES + OF_OTHERS.length;

/**
 * The checksum of a row, FNV-1a in 32 bits: for what happens by accident, and quick, since it is asked for at every read and
 * write. A charge is summed as it was before there were other kinds.
 */
export const checksumOf = (row: Row): number => {
  const isCharge = row[AT.kind] === CHARGE && row[AT.path] === null && row[AT.body] === null;
  const text = JSON.stringify(row.slice(0, isCharge ? OF_CHARGES : OF_ALL));
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
};
