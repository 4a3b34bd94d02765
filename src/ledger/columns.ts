/** What a table holds, whatever the database. */
export type Value = null | number | bigint | string | NodeJS.NonSharedUint8Array;

/** A row of a table: its values in the order of their columns. */
export type Row = readonly Value[];

/**
 * All that a row says, but for its place and the checksum itself: first what stays as it was begun, `ugwo` being what it is
 * about. The order is never changed: rows that are there were summed in it.
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
/** What only other intents than charges have: in their checksums alone, so that those of older rows still hold. */
export const OF_OTHERS = ['kind', 'path', 'body'] as const;

/** A row in the order in which it is read. */
export const COLUMNS = [...FIXED, ...CHANGING, ...OF_OTHERS, 'checksum', 'seq'] as const;

type Places = Readonly<Record<(typeof COLUMNS)[number], number>>;
/** The place of each column in a row. */
export const AT = Object.fromEntries(COLUMNS.map((name, place) => [name, place])) as Places;
