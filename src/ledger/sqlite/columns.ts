import type { SQLOutputValue } from 'node:sqlite';

/** A row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * All that a row says, but for its place and the checksum itself: first what stays as it was begun. The order is never changed:
 * rows that are there were summed in it.
 */
export const FIXED = [
  'id',
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
  'digest',
  'job',
  'row',
  'deadline',
  'created_at',
  'begun_uptime',
  'pid',
  'boot',
  'started',
] as const;
export const CHANGING = [
  'state',
  'recorded_at',
  'took',
  'exit_code',
  'activity',
  'status',
  'next_action',
  'activity_created_at',
  'told',
  'evidence',
  'amount',
  'currency',
  'ref',
  'customer',
] as const;
