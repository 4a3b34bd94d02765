import { hash } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { Damage } from '../../database/sqlite-error.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

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

/** As many hexadecimal digits as fit a whole number here. */
const DIGITS = 12;

export const checksumOf = (row: Row): number => {
  const text = JSON.stringify(SUMMED.map((name) => row[name] ?? null));
  return Number.parseInt(hash('sha256', text).slice(0, DIGITS), 16);
};

/** The row, where it is what was written; throws where a page of the file holds something else by now. */
export const checked = (row: Row): Row => {
  if (row['checksum'] !== checksumOf(row)) throw new Damage(`row ${row['seq']} of its charges is not what was written`);
  return row;
};

const AT_ONCE = 1000;

/** Gives every row its checksum, in the transaction of whoever calls. */
export const writeChecksums = (db: DatabaseSync): void => {
  const next = db.prepare('SELECT * FROM charge WHERE seq > ? ORDER BY seq LIMIT ?');
  const write = db.prepare('UPDATE charge SET checksum = ? WHERE seq = ?');
  for (let last = 0; ; ) {
    const rows = next.all(last, AT_ONCE);
    for (const row of rows) write.run(checksumOf(row), Number(row['seq']));
    if (rows.length < AT_ONCE) return;
    last = Number(rows.at(-1)?.['seq']);
  }
};
