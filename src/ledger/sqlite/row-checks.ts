import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { CHARGE } from '../../core/effect.ts';
import { Damage } from '../../database/sqlite-error.ts';
import { checksumOf } from '../checksum.ts';
import { AT, COLUMNS, type Row } from '../columns.ts';

/** The row, where it is what was written; throws where a page of the file holds something else by now. */
export const checked = (row: Row): Row => {
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
