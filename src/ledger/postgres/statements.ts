import type { Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import { AT, CHANGING, COLUMNS, checksumOf, entryOf, rowOf, type Value } from '../rows.ts';
import { conditionsOf, type Statement, whereOf } from '../sql.ts';
import type { StatementResult } from './session.ts';

/** PostgreSQL keeps no NUL. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Where a text is taken as it stands, a backslash is one; half of a surrogate pair is kept by nobody. */
const quoted = (text: string): string => {
  const kept = withoutNul(text).toWellFormed().replaceAll("'", "''");
  return kept.includes('\\') ? `E'${kept.replaceAll('\\', '\\\\')}'` : `'${kept}'`;
};

/**
 * A value as it stands in a statement. Several statements go to the server in one message, which saves a round trip for each
 * and takes no parameters; the connection is of the encoding UTF-8.
 */
export const literal = (value: Value | boolean | undefined): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('only finite numbers are kept');
  if (value instanceof Uint8Array) throw new Error('no bytes are kept');
  return String(value);
};

/** `('a', 'b')`; of nothing, what nothing is in. */
export const list = (values: readonly Value[]): string =>
  values.length === 0 ? '(NULL)' : `(${values.map(literal).join(', ')})`;

/** A statement with its values where they stand. */
export const inlined = ([sql, ...values]: Statement): string => {
  let at = 0;
  return sql.replaceAll('?', () => literal(values[at++]));
};

/** Of a row the last one counts, which is not the one that was written last where another ledger was pushed. */
const ORDERS = { oldest: 'seq ASC', newest: 'seq DESC', row: '"row", created_at, seq' } as const;
const NEWEST_OF_ROW = 'created_at DESC, seq DESC';

/** `row` is a word of SQL's own. */
const named = (name: string): string => (name === 'row' ? '"row"' : name);

const SELECT = `SELECT ${COLUMNS.map(named).join()} FROM paycli.charge`;

const STANDING = "ugwo = ? AND state IN ('sending', 'unknown', 'accepted')";

const amongActivities = (activities: readonly string[]): Statement => [
  `activity IN (${activities.map(() => '?').join() || 'NULL'})`,
  ...activities,
];

/** The statement that finds what a query asks for; `lock` keeps others from changing it before the transaction ends. */
export const findStatement = (query: Query, lock: boolean): string => {
  const { id, standing, limit = -1, order = 'oldest', rows } = query;
  const where = whereOf([
    ...(id === undefined ? [] : [['id = ?', id] as const]),
    ...(standing === undefined ? [] : [[STANDING, standing] as const]),
    ...conditionsOf(query, amongActivities),
  ]);
  const limited = limit < 0 ? '' : ` LIMIT ${limit}`;
  return `${SELECT} ${inlined(where)} ORDER BY ${rows !== undefined && order === 'newest' ? NEWEST_OF_ROW : ORDERS[order]}${limited}${lock ? ' FOR UPDATE' : ''}`;
};

export const entriesOf = ({ rows }: StatementResult): Entry[] => rows.map((row) => entryOf(row as never));

const WRITTEN = COLUMNS.slice(0, -1);

const hasNul = (value: Value): boolean => typeof value === 'string' && value.includes('\0');

/** As it will be read again: what PostgreSQL can't keep is not in the checksum, either. */
const rowKept = (entry: Entry): Value[] => {
  const row = rowOf(entry);
  if (!row.some(hasNul)) return row;
  const kept = row.slice(0, AT.checksum).map((value) => (typeof value === 'string' ? withoutNul(value) : value));
  return [...kept, checksumOf(kept)];
};

/** `id`, `state`, `checksum` and the like, as the table names them, with what an entry has there. */
const valuesOf = (entry: Entry): string[] => rowKept(entry).map(literal);

export const insertStatement = (entry: Entry, putBack = false): string => {
  const extra = putBack ? [', put_back', ', true'] : ['', ''];
  return `INSERT INTO paycli.charge (${WRITTEN.map(named).join()}${extra[0]}) VALUES (${valuesOf(entry).join()}${extra[1]})`;
};

/** What was sent changes only where `unsaid` says so, which takes the owner's rights. */
export const updateStatement = (entry: Entry, unsaid = false): string => {
  const values = valuesOf(entry);
  const names = [...CHANGING, 'checksum', ...(unsaid ? (['path', 'body'] as const) : [])] as const;
  const sets = names.map((name) => `${name} = ${values[AT[name]]}`);
  return `UPDATE paycli.charge SET ${sets.join(', ')} WHERE id = ${literal(entry.id)}`;
};

const pairsOf = (entries: readonly Entry[]): string =>
  entries.map((entry) => `(${literal(entry.id)}, ${valuesOf(entry)[AT.checksum]}::bigint)`).join();

/** Whether entries stand as they were written: one row, one value. */
export const writtenStatement = (entries: readonly Entry[]): string =>
  `SELECT count(*) = ${entries.length} FROM paycli.charge WHERE (id, checksum) IN (${pairsOf(entries)})`;

/** Writes the same once more: the commit behind it waits for what the first one should have waited for. */
export const touchStatement = (entries: readonly Entry[]): string =>
  `UPDATE paycli.charge SET checksum = checksum WHERE id IN ${list(entries.map(({ id }) => id))}`;

/** Which of some entries are there. */
export const knownStatement = (ids: readonly string[]): string =>
  `SELECT id FROM paycli.charge WHERE id IN ${list(ids)}`;

/** Whether all of some different entries are there, as an expression. */
export const knowsAllStatement = (ids: readonly string[]): string =>
  `(SELECT count(*) = ${ids.length} FROM paycli.charge WHERE id IN ${list(ids)})`;

export const idsOf = ({ rows }: StatementResult): ReadonlySet<string> => new Set(rows.map(([id]) => String(id)));
