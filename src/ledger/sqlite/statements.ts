import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { NEXT_STEP } from '../../charge/words.ts';
import { CHARGE } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { Damage } from '../../database/connect.ts';
import type { Query } from '../backend.ts';
import { type Entry, MAY_BE_MADE } from '../entry.ts';
import { AT, COLUMNS, checksumOf, entryOf, entryRow, type Row, UPDATED_COLUMNS } from '../rows.ts';
import { conditionsOf, inserting, type Statement, whereOf } from '../sql.ts';
import { checkedRow } from './schema.ts';

/**
 * Prepares each text once. Rows come as arrays, which cost less than objects with all column names. The common start of
 * all texts is passed once, since the lookup of a prepared statement takes longer with a longer text.
 */
export const preparing = (db: DatabaseSync, start = '') => {
  const prepared = new Map<string, StatementSync>();
  return (text: string): StatementSync => {
    const found = prepared.get(text);
    if (found !== undefined) return found;
    const made = db.prepare(`${start}${text}`);
    made.setReturnArrays(true);
    prepared.set(text, made);
    return made;
  };
};

/** Runs a statement that returns its rows as arrays. */
export const rowsFrom = (statement: StatementSync, ...values: SQLInputValue[]): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];

const ORDERINGS = {
  oldest: 'ORDER BY seq',
  newest: 'ORDER BY seq DESC',
  row: 'ORDER BY row, seq',
  time: 'ORDER BY created_at',
  any: '',
} as const;

/** A list of any length is one parameter. A single value without the list is found much faster. */
const amongMany = (column: string, [only, ...more]: readonly string[]): Statement =>
  more.length === 0
    ? [`${column} = ?`, only ?? null]
    : [`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify([only, ...more])];

/** So many entries cost no time that anybody notices, in the table or in an index. */
const FEW_ENTRIES = 20_000;

/**
 * Bounds for the places of a period, where a walk in their order would pass many entries on either side of it. They come
 * from the index of moments and exclude no entry of the period, since a clock may have gone back.
 */
const boundsOf = ({ started = {}, after = 0, before }: Query, order: 'oldest' | 'newest'): Statement[] => {
  const [period, ...values] = whereOf(conditionsOf({ started }));
  const few = (where: string): string =>
    `(SELECT count(*) FROM (SELECT 1 FROM charge ${where} LIMIT ${FEW_ENTRIES})) < ${FEW_ENTRIES}`;
  const ends = [
    [started.since, '>=', 'min', '<', 0],
    [started.until, '<=', 'max', '>=', Number.MAX_SAFE_INTEGER],
  ] as const;
  return ends.flatMap(([moment, sign, extreme, outside, none]): Statement[] => {
    if (moment === undefined) return [];
    const isEnd = (order === 'newest') === (extreme === 'min');
    // A later page begins within the period.
    if (!isEnd && (order === 'newest' ? before !== undefined : after > 0)) return [];
    const [worth, ...of] = isEnd ? [few(period), ...values] : [`NOT ${few(`WHERE created_at ${outside} ?`)}`, moment];
    // Without the plus, SQLite would walk through the table for the first place.
    const place = `CASE WHEN ${worth} THEN (SELECT ${extreme}(+seq) FROM charge ${period}) ELSE ${none} END`;
    return [[`seq ${sign} ${place}`, ...of, ...values]];
  });
};

/** SQL after `FROM charge`, and its values. */
export const selecting = (query: Query, order: keyof typeof ORDERINGS = query.order ?? 'oldest'): Statement => {
  const { about, paidSince } = query;
  // Few charges have the same subject. The plus keeps SQLite from scanning all charges of a state instead.
  const conditions = conditionsOf(query, amongMany, about === undefined ? 'state' : '+state');
  const isBySeq = order === 'oldest' || order === 'newest';
  const [where, ...values] = whereOf([...conditions, ...(isBySeq ? boundsOf(query, order) : [])]);
  // SQLite would read all charges of a payment instead.
  const index = paidSince === undefined ? '' : 'INDEXED BY charge_paid_at ';
  return [`${index}${where} ${ORDERINGS[order]}`, ...values];
};

export const SELECT = `SELECT ${COLUMNS.join()} FROM charge`;
/** All columns but the last, the place (`seq`). */
const WRITTEN = COLUMNS.slice(0, -1);
const INSERT = inserting('charge', WRITTEN.join());
const UPDATE_CHARGE = `UPDATE charge SET ${UPDATED_COLUMNS.map((name) => `${name} = ?`).join()}, checksum = ? WHERE seq = ? AND id = ?`;
const CLEAR_REQUEST = 'UPDATE charge SET path = NULL, body = NULL WHERE id = ? AND path IS NOT NULL';

/** Statements and reads in the caller's transaction. */
interface Reading {
  readonly sql: (text: string) => StatementSync;
  /** Rows with a valid checksum. */
  readonly rows: (query: string, ...values: SQLInputValue[]) => Row[];
  readonly nameNow: (name: string, seen: number) => string;
}

/** Name and key of a ledger, and the number of renames of profiles that have ended. */
interface Settings {
  readonly name: string;
  readonly key: string;
  readonly renames: number;
}

const settingsIn = (sql: Reading['sql']): Settings => {
  const { name = '', key = '', renames = '0' } = Object.fromEntries(rowsFrom(sql('SELECT name, value FROM setting')));
  return { name: String(name), key: String(key), renames: Number(renames) };
};

/**
 * Gives a profile's entries, jobs and policy another name, and notes it for runs that know the old name (see
 * `nameNow`): with the number of the rename once the settings are stored, without one until then. Returns the number of
 * entries.
 */
const rename = ({ sql, rows, nameNow }: Reading, given: string, to: string, isStored: boolean): number => {
  // The same rename, or one to another name, may have been started before.
  const from = nameNow(given, Infinity);
  const held = rowsFrom(sql('SELECT profile FROM policy WHERE policy IS NOT NULL AND profile IN (?, ?)'), from, to);
  if (held.length > 1) {
    throw usageError(`"${given}" and "${to}" both have a policy`, {
      hint: NEXT_STEP.removePolicy(given, to),
    });
  }
  sql('DELETE FROM setting WHERE name = ?').run(`renamed ${to}`);
  const note = sql('INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value');
  const nth = isStored ? settingsIn(sql).renames + 1 : undefined;
  if (nth !== undefined) note.run('renames', String(nth));
  note.run(`renamed ${given}`, JSON.stringify({ to, nth }));
  if (from === to) return 0;
  let count = 0;
  for (let last = 0; ; ) {
    const found = rows('WHERE profile = ? AND seq > ? ORDER BY seq LIMIT 1000', from, last);
    for (const row of found) {
      const next = row.with(AT.profile, to);
      sql('UPDATE charge SET profile = ?, checksum = ? WHERE seq = ?').run(to, checksumOf(next), row[AT.seq] ?? null);
    }
    count += found.length;
    if (found.length === 0) break;
    last = Number(found.at(-1)?.[AT.seq]);
  }
  sql('UPDATE job SET profile = ? WHERE profile = ?').run(to, from);
  // A removed policy leaves a row.
  sql('DELETE FROM policy WHERE policy IS NULL AND profile = ?').run(to);
  sql('UPDATE OR IGNORE policy SET profile = ? WHERE profile = ?').run(to, from);
  return count;
};

/** Searches two indexes, since a lost page of one would hide charges. */
const earlierRows = ({ sql, rows }: Pick<Reading, 'sql' | 'rows'>, about: string): Row[] => {
  const all = rows('INDEXED BY charge_of_ugwo WHERE ugwo = ? ORDER BY seq', about);
  const again = rowsFrom(
    sql('SELECT seq FROM charge INDEXED BY charge_of_ugwo_again WHERE ugwo = ? ORDER BY seq'),
    about,
  );
  const agree = again.length === all.length && again.every(([seq], at) => seq === all[at]?.[AT.seq]);
  if (!agree) throw new Damage(`its indexes differ on the charges of ${about}`);
  return all.filter((row) => MAY_BE_MADE.includes(String(row[AT.state])));
};

/** Statements for entries, each prepared on first use. They run in the caller's transaction. */
export const ledgerStatements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const select = preparing(db, `${SELECT} `);
  /** Rows with a valid checksum. */
  const rows = (query: string, ...values: SQLInputValue[]): Row[] => rowsFrom(select(query), ...values).map(checkedRow);

  const matching = (query: Query): Row[] => {
    const [ordered, ...values] = selecting(query);
    // A LIMIT costs SQLite more than finding one row.
    const { limit = -1 } = query;
    return limit < 0 ? rows(ordered, ...values) : rows(`${ordered} LIMIT ?`, ...values, limit);
  };

  /** Present name of a profile, for a run that knows it by this name and has seen this number of renames. */
  const nameNow = (name: string, seen: number): string => {
    const [[kept = null] = []] = rowsFrom(sql('SELECT value FROM setting WHERE name = ?'), `renamed ${name}`);
    if (kept === null) return name;
    const { to, nth } = JSON.parse(String(kept)) as { readonly to: string; readonly nth?: number };
    return nth === undefined || nth > seen ? nameNow(to, seen) : name;
  };

  return {
    nameNow,
    find: (query: Query): Entry[] => {
      if (query.earlier !== undefined) return earlierRows({ sql, rows }, query.earlier).map(entryOf);
      // Every step of a charge runs this query, so it takes a short path.
      return (query.id === undefined ? matching(query) : rows('WHERE id = ?', query.id)).map(entryOf);
    },
    rename: (given: string, to: string, isStored: boolean): number =>
      rename({ sql, rows, nameNow }, given, to, isStored),
    /** Yields rows one by one, as of the moment when the first one is read. */
    each: function* (start: string, ...[sql, ...values]: Statement): Generator<Row, void> {
      // Uses a statement of its own: running a shared prepared statement again would end the walk in progress.
      const statement = db.prepare(`${start} ${sql}`);
      statement.setReturnArrays(true);
      yield* statement.iterate(...values) as unknown as Iterable<Row>;
    },
    /** Returns the entry's place in the order of creation. */
    insert: (entry: Entry): number => Number(sql(INSERT).run(...entryRow(entry)).lastInsertRowid),
    update: (entry: Entry): void => {
      const row = entryRow(entry);
      const changing = UPDATED_COLUMNS.map((name) => row[AT[name]] ?? null);
      if (entry.kind !== CHARGE && entry.path === undefined) sql(CLEAR_REQUEST).run(entry.id);
      const { changes } = sql(UPDATE_CHARGE).run(...changing, row[AT.checksum] ?? null, entry.seq, entry.id);
      if (changes !== 1) throw new Damage(`it has no row of ${entry.id} any more`);
    },
    settings: (): Settings => settingsIn(sql),
    /** Number of entries ever started here. */
    highest: (): number => Number(rowsFrom(sql("SELECT seq FROM sqlite_sequence WHERE name = 'charge'"))[0]?.[0] ?? 0),
  };
};
export type LedgerStatements = ReturnType<typeof ledgerStatements>;
