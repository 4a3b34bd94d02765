import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { CHARGE } from '../../core/charge.ts';
import { Damage } from '../../database/kind.ts';
import type { Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import { AT, CHANGING, COLUMNS, entryOf, FIXED, type Row, rowOf } from '../rows.ts';
import { conditionsOf, inserting, type Statement, whereOf } from '../sql.ts';
import { checked } from './schema.ts';

/**
 * Prepares each text once. As arrays rows cost less than as objects with the names of all columns. What all texts begin with is
 * given once, since the longer a text the longer it takes to find what was prepared of it.
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

/** The rows of a statement whose rows come as arrays. */
export const rowsOf = (statement: StatementSync, ...values: SQLInputValue[]): readonly Row[] =>
  statement.all(...values) as unknown as readonly Row[];

const ORDERS = { oldest: 'seq ASC', newest: 'seq DESC', row: 'row, seq' } as const;

/** A list of any length is one parameter; one alone is found much faster without. */
const amongActivities = (activities: readonly string[]): Statement => {
  const [only] = activities;
  if (only !== undefined && activities.length === 1) return ['activity = ?', only];
  return ['activity IN (SELECT value FROM json_each(?))', JSON.stringify(activities)];
};

/** What comes behind `FROM charge`, and its values. */
const asked = (query: Query): Statement => {
  // Few are about one thing: then the plus keeps SQLite from walking through all of a state.
  const state = query.about === undefined ? 'state' : '+state';
  const [where, ...values] = whereOf(conditionsOf(query, amongActivities, state));
  return [`${where} ORDER BY ${ORDERS[query.order ?? 'oldest']}`, ...values];
};

/** What may stand in the way of another charge. */
const STANDS: readonly string[] = ['sending', 'unknown', 'accepted'];
const mayStand = (row: Row): boolean => STANDS.includes(String(row[AT.state]));

const SELECT = `SELECT ${COLUMNS.join()} FROM charge`;
/** All but the place, which is the last. */
const WRITTEN = COLUMNS.slice(0, -1);
const INSERT = inserting('charge', WRITTEN.join());
const UPDATE = `UPDATE charge SET ${CHANGING.map((name) => `${name} = ?`).join()}, checksum = ? WHERE seq = ? AND id = ?`;
const UNSAY = 'UPDATE charge SET path = NULL, body = NULL WHERE id = ? AND path IS NOT NULL';

/** The SQL of what is sent once, prepared when it is first used. Everything runs in the transaction of whoever calls. */
export const statements = (db: DatabaseSync) => {
  const sql = preparing(db);
  const select = preparing(db, `${SELECT} `);
  /** Rows that are what was written. */
  const rows = (query: string, ...values: SQLInputValue[]): Row[] => rowsOf(select(query), ...values).map(checked);

  /** They are found by two indexes: a page of one that is lost would hide them. */
  const standing = (about: string): Row[] => {
    const all = rows('INDEXED BY charge_of_ugwo WHERE ugwo = ? ORDER BY seq', about);
    const again = rowsOf(
      sql('SELECT seq FROM charge INDEXED BY charge_of_ugwo_again WHERE ugwo = ? ORDER BY seq'),
      about,
    );
    const agree = again.length === all.length && again.every(([seq], at) => seq === all[at]?.[AT.seq]);
    if (!agree) throw new Damage(`its indexes differ on the charges of ${about}`);
    return all.filter(mayStand);
  };

  const matching = (query: Query): Row[] => {
    if (query.activities?.length === 0) return [];
    const [ordered, ...values] = asked(query);
    // A limit costs SQLite more than finding one row does.
    const { limit = -1 } = query;
    return limit < 0 ? rows(ordered, ...values) : rows(`${ordered} LIMIT ?`, ...values, limit);
  };

  return {
    find: (query: Query): Entry[] => {
      if (query.standing !== undefined) return standing(query.standing).map(entryOf);
      // Asked for at every step of a charge.
      return (query.id === undefined ? matching(query) : rows('WHERE id = ?', query.id)).map(entryOf);
    },
    /** One after the other, as they stand when the first is taken. */
    each: function* (query: Query): Generator<Row, void> {
      const [ordered, ...values] = asked(query);
      // Of its own: who runs a prepared statement again ends the walk of whoever is at it.
      const statement = db.prepare(`${SELECT} ${ordered}`);
      statement.setReturnArrays(true);
      yield* statement.iterate(...values) as unknown as Iterable<Row>;
    },
    /** What SQLite finds wrong with the file, its indexes included. */
    wrong: (): readonly string[] =>
      rowsOf(sql('PRAGMA integrity_check(50)'))
        .map(([found]) => String(found))
        .filter((found) => found !== 'ok'),
    /** Gives the place in the order of creation. */
    insert: (entry: Entry): number => Number(sql(INSERT).run(...rowOf(entry)).lastInsertRowid),
    update: (entry: Entry): void => {
      const row = rowOf(entry);
      const changing = row.slice(FIXED.length, FIXED.length + CHANGING.length);
      if (entry.kind !== CHARGE && entry.path === undefined) sql(UNSAY).run(entry.id);
      const { changes } = sql(UPDATE).run(...changing, row[AT.checksum] ?? null, entry.seq, entry.id);
      if (changes !== 1) throw new Damage(`it has no row of ${entry.id} any more`);
    },
    settings: (): { readonly name: string; readonly key: string } =>
      Object.fromEntries(rowsOf(sql('SELECT name, value FROM setting'))),
    /** How many were ever begun here. */
    highest: (): number => Number(rowsOf(sql("SELECT seq FROM sqlite_sequence WHERE name = 'charge'"))[0]?.[0] ?? 0),
  };
};
export type LedgerStatements = ReturnType<typeof statements>;
