import type { Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import { AT, COLUMNS, checksumOf, entryOf, entryRow, UPDATED_COLUMNS, type Value } from '../rows.ts';
import { conditionsOf, type Statement, whereOf } from '../sql.ts';
import type { StatementResult } from './session.ts';

/** PostgreSQL can't store NUL. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Lone surrogates are replaced, since neither database stores them. */
const storable = (text: string): string => withoutNul(text).toWellFormed();

/** Escapes backslashes with an E string. */
const textLiteral = (text: string): string => {
  const kept = storable(text).replaceAll("'", "''");
  return kept.includes('\\') ? `E'${kept.replaceAll('\\', '\\\\')}'` : `'${kept}'`;
};

/**
 * SQL literal of a value. Several statements go to the server in one message, which saves round trips but allows no
 * parameters. The connection's encoding is UTF-8.
 */
export const literal = (value: Value | boolean | undefined): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('only finite numbers are kept');
  if (value instanceof Uint8Array) throw new Error('no bytes are kept');
  return String(value);
};

/** `('a', 'b')`, or for an empty list one that contains nothing. */
export const listLiteral = (values: readonly Value[]): string =>
  values.length === 0 ? '(NULL)' : `(${values.map(literal).join(', ')})`;

/** Inserts the values into a statement. */
export const inlined = ([sql, ...values]: Statement): string => {
  let at = 0;
  return sql.replaceAll('?', () => literal(values[at++]));
};

/** The last entry of a row counts. After a push from another ledger, it isn't necessarily the last inserted one. */
const ORDERS = { oldest: 'seq ASC', newest: 'seq DESC', row: '"row", created_at, seq', time: 'created_at' } as const;
const NEWEST_OF_ROW = 'created_at DESC, seq DESC';

/** `row` is an SQL keyword. */
const columnSql = (name: string): string => (name === 'row' ? '"row"' : name);

export const SELECT_ENTRY = `SELECT ${COLUMNS.map(columnSql).join()} FROM paycli.charge`;

const IN_FORCE = "ugwo = ? AND state IN ('sending', 'unknown', 'accepted')";

const selectedBy = (query: Query): string => {
  const { id, earlier } = query;
  return inlined(
    whereOf([
      ...(id === undefined ? [] : [['id = ?', id] as const]),
      ...(earlier === undefined ? [] : [[IN_FORCE, earlier] as const]),
      ...conditionsOf(query),
    ]),
  );
};

export const countStatement = (query: Query): string => `SELECT count(*) FROM paycli.charge ${selectedBy(query)}`;

/** Statement that runs a query. `lock` locks the rows until the end of the transaction. */
export const findStatement = (query: Query, lock: boolean): string => {
  const { limit = -1, order = 'oldest', rows } = query;
  const limited = limit < 0 ? '' : ` LIMIT ${limit}`;
  return `${SELECT_ENTRY} ${selectedBy(query)} ORDER BY ${rows !== undefined && order === 'newest' ? NEWEST_OF_ROW : ORDERS[order]}${limited}${lock ? ' FOR UPDATE' : ''}`;
};

export const entriesOf = ({ rows }: StatementResult): Entry[] => rows.map((row) => entryOf(row as never));

/** Columns that an entry has when it is inserted. */
export const WRITTEN_COLUMNS = COLUMNS.slice(0, -1).map(columnSql).join();

/** Row as it will be read back: the checksum is computed after removing NUL, which PostgreSQL can't store. */
export const rowKept = (entry: Entry): Value[] => {
  const row = entryRow(entry);
  if (!row.some((value) => typeof value === 'string' && value.includes('\0'))) return row;
  const kept = row.slice(0, AT.checksum).map((value) => (typeof value === 'string' ? withoutNul(value) : value));
  return [...kept, checksumOf(kept)];
};

/** Literals of an entry's values, in the order of the table's columns. */
const literalsOf = (entry: Entry): string[] => rowKept(entry).map(literal);

export const insertStatement = (entry: Entry, putBack = false): string => {
  const extra = putBack ? [', put_back', ', true'] : ['', ''];
  return `INSERT INTO paycli.charge (${WRITTEN_COLUMNS}${extra[0]}) VALUES (${literalsOf(entry).join()}${extra[1]})`;
};

/**
 * Inserts the rows that a table lacks, and returns a row for each of them. All are one JSON text: a literal per value
 * takes the server longer to parse.
 */
export const insertMissing = (table: string, columns: string, rows: readonly (readonly Value[])[]): string => {
  const names = columns.replaceAll(/["\s]/g, '').split(',');
  const jsonValue = (value: Value | undefined): Value | undefined =>
    typeof value === 'string' ? storable(value) : (value ?? undefined);
  const json = JSON.stringify(
    rows.map((row) => Object.fromEntries(names.map((name, at) => [name, jsonValue(row[at])]))),
  );
  return `INSERT INTO ${table} (${columns}) SELECT ${columns}
    FROM json_populate_recordset(NULL::${table}, ${literal(json)}) ON CONFLICT DO NOTHING RETURNING 1`;
};

/** Leaves the sent request unchanged, unless `unsaid` removes it. That requires the owner's rights. */
export const updateStatement = (entry: Entry, unsaid = false): string => {
  const values = literalsOf(entry);
  const names = [...UPDATED_COLUMNS, 'checksum', ...(unsaid ? (['path', 'body'] as const) : [])] as const;
  const sets = names.map((name) => `${name} = ${values[AT[name]]}`);
  return `UPDATE paycli.charge SET ${sets.join(', ')} WHERE id = ${literal(entry.id)}`;
};

const checksumPairs = (entries: readonly Entry[]): string =>
  entries.map((entry) => `(${literal(entry.id)}, ${literalsOf(entry)[AT.checksum]}::bigint)`).join();

/** Query that returns one value: true if the entries are stored as written. */
export const writtenStatement = (entries: readonly Entry[]): string =>
  `SELECT count(*) = ${entries.length} FROM paycli.charge WHERE (id, checksum) IN (${checksumPairs(entries)})`;

/** Writes the same again, so that the commit after it waits for whatever the first commit should have waited for. */
export const touchStatement = (entries: readonly Entry[]): string =>
  `UPDATE paycli.charge SET checksum = checksum WHERE id IN ${listLiteral(entries.map(({ id }) => id))}`;

/** Query for the known ids among these. */
export const knownStatement = (ids: readonly string[]): string =>
  `SELECT id FROM paycli.charge WHERE id IN ${listLiteral(ids)}`;

/** Expression that is true if all of these distinct ids are known. */
export const knowsAllStatement = (ids: readonly string[]): string =>
  `(SELECT count(*) = ${ids.length} FROM paycli.charge WHERE id IN ${listLiteral(ids)})`;

export const idsOf = ({ rows }: StatementResult): ReadonlySet<string> => new Set(rows.map(([id]) => String(id)));
