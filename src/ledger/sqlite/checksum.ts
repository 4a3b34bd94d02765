import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { Damage } from '../../database/sqlite-error.ts';
import type { Row } from './columns.ts';
import { CHANGING, FIXED } from './columns.ts';

const COLUMNS = [...FIXED, ...CHANGING];

/** FNV-1a in 32 bits: for what happens by accident, and quick, since it is asked for at every read and write. */
export const checksumOf = (values: readonly SQLOutputValue[]): number => {
  const text = JSON.stringify(values);
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
};

const sumOf = (row: Row): number => checksumOf(COLUMNS.map((name) => row[name] ?? null));

/** The row, where it is what was written; throws where a page of the file holds something else by now. */
export const checked = (row: Row): Row => {
  if (row['checksum'] !== sumOf(row)) throw new Damage(`row ${row['seq']} of its charges is not what paycli wrote`);
  return row;
};

const AT_ONCE = 1000;

/** Gives every row its checksum, in the transaction of whoever calls. */
export const writeChecksums = (db: DatabaseSync): void => {
  const next = db.prepare('SELECT * FROM charge WHERE seq > ? ORDER BY seq LIMIT ?');
  const write = db.prepare('UPDATE charge SET checksum = ? WHERE seq = ?');
  for (let last = 0; ; ) {
    const rows = next.all(last, AT_ONCE);
    for (const row of rows) write.run(sumOf(row), Number(row['seq']));
    if (rows.length < AT_ONCE) return;
    last = Number(rows.at(-1)?.['seq']);
  }
};
