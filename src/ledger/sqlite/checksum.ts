import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { CHARGE } from '../../core/effect.ts';
import { Damage } from '../../database/sqlite-error.ts';
import { AT, CHANGING, COLUMNS, FIXED, OF_OTHERS } from './columns.ts';

type Values = readonly SQLOutputValue[];

const OF_CHARGES = FIXED.length + CHANGING.length;
const OF_ALL = OF_CHARGES + OF_OTHERS.length;

/**
 * The checksum of a row, FNV-1a in 32 bits: for what happens by accident, and quick, since it is asked for at every read and
 * write. A charge is summed as it was before there were other kinds.
 */
export const checksumOf = (row: Values): number => {
  const isCharge = row[AT.kind] === CHARGE && row[AT.path] === null && row[AT.body] === null;
  const text = JSON.stringify(row.slice(0, isCharge ? OF_CHARGES : OF_ALL));
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
};

/** The row, where it is what was written; throws where a page of the file holds something else by now. */
export const checked = (row: Values): Values => {
  if (row[AT.checksum] === checksumOf(row)) return row;
  throw new Damage(`row ${row[AT.seq]} of its charges is not what paycli wrote`);
};

const AT_ONCE = 1000;

/** What a row has that is older than a column. */
const BEFORE: Readonly<Record<string, SQLOutputValue>> = { kind: CHARGE };

/** Gives every row its checksum, in the transaction of whoever calls. */
export const writeChecksums = (db: DatabaseSync): void => {
  const next = db.prepare('SELECT * FROM charge WHERE seq > ? ORDER BY seq LIMIT ?');
  const write = db.prepare('UPDATE charge SET checksum = ? WHERE seq = ?');
  for (let last = 0; ; ) {
    const rows = next.all(last, AT_ONCE);
    for (const row of rows) {
      const values = COLUMNS.map((name) => row[name] ?? BEFORE[name] ?? null);
      write.run(checksumOf(values), Number(row['seq']));
    }
    if (rows.length < AT_ONCE) return;
    last = Number(rows.at(-1)?.['seq']);
  }
};
