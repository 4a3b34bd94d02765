import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Damage } from '../database/sqlite-error.ts';
import type { Row } from './rows.ts';

/** All that a row says, but for its place and the checksum itself. Never changed: rows that are there were summed so. */
const SUMMED = [
  'id',
  'state',
  'service',
  'origin',
  'workspace',
  'profile',
  'ugwo',
  'medium',
  'provider',
  'phone',
  'phone_digest',
  'expires_at',
  'amount',
  'currency',
  'ref',
  'customer',
  'digest',
  'job',
  'row',
  'deadline',
  'created_at',
  'begun_uptime',
  'took',
  'recorded_at',
  'exit_code',
  'activity',
  'status',
  'next_action',
  'activity_created_at',
  'told',
  'evidence',
  'pid',
  'boot',
  'started',
];

/** As many bytes as fit a whole number here. */
const BYTES = 6;

/** Of a row as it was read back: what was given may differ from what SQLite keeps, half a surrogate pair say. */
const checksumOf = (row: Row): number =>
  createHash('sha256')
    .update(JSON.stringify(SUMMED.map((name) => row[name] ?? null)))
    .digest()
    .readUIntBE(0, BYTES);

/** The row, where it is what was written; throws where a page of the file holds something else by now. */
export const checked = (row: Row): Row => {
  if (row['checksum'] !== checksumOf(row))
    throw new Damage(`row ${row['seq']} of its charges is not what paycli wrote`);
  return row;
};

export const WRITE_CHECKSUM = 'UPDATE charge SET checksum = ? WHERE seq = ?';

/** What a statement of a row's checksum is run with. */
export const checksumValues = (row: Row): [checksum: number, seq: number] => [checksumOf(row), Number(row['seq'])];

const AT_ONCE = 1000;

/** Gives every row its checksum, in the transaction of whoever calls. */
export const writeChecksums = (db: DatabaseSync): void => {
  const next = db.prepare('SELECT * FROM charge WHERE seq > ? ORDER BY seq LIMIT ?');
  const write = db.prepare(WRITE_CHECKSUM);
  for (let last = 0; ; ) {
    const rows = next.all(last, AT_ONCE);
    for (const row of rows) write.run(...checksumValues(row));
    if (rows.length < AT_ONCE) return;
    last = Number(rows.at(-1)?.['seq']);
  }
};
