import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { Damage } from '../../database/sqlite-error.ts';
import type { Query } from '../backend.ts';
import type { Charge } from '../ledger.ts';
import { checked } from './checksum.ts';
import type { Row } from './columns.ts';
import { CHANGING, FIXED } from './columns.ts';
import { chargeOf, rowOf } from './rows.ts';
import { UNFINISHED } from './schema.ts';

/** Prepares each text once. */
export const preparing = (db: DatabaseSync) => {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return (text: string): ReturnType<DatabaseSync['prepare']> => {
    const found = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, found);
    return found;
  };
};

type Condition = readonly [sql: string, ...values: SQLInputValue[]];

const ORDERS = { oldest: 'seq ASC', newest: 'seq DESC', row: 'row, seq' } as const;

/** A list of any length is one parameter; one alone is found much faster without. */
const amongActivities = (activities: readonly string[]): Condition => {
  const [only] = activities;
  if (only !== undefined && activities.length === 1) return ['activity = ?', only];
  return ['activity IN (SELECT value FROM json_each(?))', JSON.stringify(activities)];
};

/** One row is an equation, which leaves its charges in order: sorting costs more than finding them. */
const amongRows = ([first, last]: readonly [number, number]): Condition =>
  first === last ? ['row = ?', first] : ['row BETWEEN ? AND ?', first, last];

const conditionsOf = (query: Query): Condition[] => {
  const { activities, states, unfinished, service, job, rows, ugwo, before, after } = query;
  // Few charges are of one payment request: then the plus keeps SQLite from walking through all of a state.
  const state = ugwo === undefined ? 'state' : '+state';
  return [
    ...(activities === undefined ? [] : [amongActivities(activities)]),
    ...(states === undefined ? [] : [[`${state} IN (${states.map(() => '?').join()})`, ...states] as const]),
    ...(unfinished === true ? [[UNFINISHED] as const] : []),
    ...(service === undefined ? [] : [['service = ?', service] as const]),
    ...(job === undefined ? [] : [['job = ?', job] as const]),
    ...(rows === undefined ? [] : [amongRows(rows)]),
    ...(ugwo === undefined ? [] : [['ugwo = ?', ugwo] as const]),
    ...(before === undefined ? [] : [['seq < ?', before] as const]),
    ...(after === undefined ? [] : [['seq > ?', after] as const]),
  ];
};

/** What may stand in the way of another charge. */
const STANDS: readonly string[] = ['sending', 'unknown', 'accepted'];
const mayStand = ({ state }: Row): boolean => STANDS.includes(String(state));

const COLUMNS = [...FIXED, ...CHANGING, 'checksum'];
const INSERT = `INSERT INTO charge (${COLUMNS.join()}) VALUES (${COLUMNS.map(() => '?').join()})`;
const UPDATE = `UPDATE charge SET ${CHANGING.map((name) => `${name} = ?`).join()}, checksum = ? WHERE id = ?`;

/** The SQL of charges, prepared when it is first used. Everything runs in the transaction of whoever calls. */
export const statements = (db: DatabaseSync) => {
  const sql = preparing(db);
  /** Rows that are what was written. */
  const rows = (query: string, ...values: SQLInputValue[]): Row[] =>
    sql(`SELECT * FROM charge ${query}`)
      .all(...values)
      .map(checked);

  /** They are found by two indexes: a page of one that is lost would hide them. */
  const standing = (ugwo: string): Row[] => {
    const all = rows('INDEXED BY charge_of_ugwo WHERE ugwo = ? ORDER BY seq', ugwo);
    const again = sql('SELECT seq FROM charge INDEXED BY charge_of_ugwo_again WHERE ugwo = ? ORDER BY seq').all(ugwo);
    const agree = again.length === all.length && again.every(({ seq }, at) => seq === all[at]?.['seq']);
    if (!agree) throw new Damage(`its indexes differ on the charges of ${ugwo}`);
    return all.filter(mayStand);
  };

  const matching = (query: Query): Row[] => {
    if (query.activities?.length === 0) return [];
    const conditions = conditionsOf(query);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;
    const values = conditions.flatMap(([, ...own]) => own);
    const ordered = `${where} ORDER BY ${ORDERS[query.order ?? 'oldest']}`;
    // A limit costs SQLite more than finding one row does.
    const { limit = -1 } = query;
    return limit < 0 ? rows(ordered, ...values) : rows(`${ordered} LIMIT ?`, ...values, limit);
  };

  return {
    find: (query: Query): Charge[] => {
      if (query.standing !== undefined) return standing(query.standing).map(chargeOf);
      // Asked for at every step of a charge.
      return (query.id === undefined ? matching(query) : rows('WHERE id = ?', query.id)).map(chargeOf);
    },
    /** Gives the place in the order of creation. */
    insert: (charge: Charge): number => {
      const { fixed, changing, checksum } = rowOf(charge);
      return Number(sql(INSERT).run(...fixed, ...changing, checksum).lastInsertRowid);
    },
    update: (charge: Charge): void => {
      const { changing, checksum } = rowOf(charge);
      sql(UPDATE).run(...changing, checksum, charge.id);
    },
    settings: (): { readonly name: string; readonly key: string } => {
      const all = sql('SELECT name, value FROM setting').all();
      return Object.fromEntries(all.map((row) => [row['name'], row['value']])) as { name: string; key: string };
    },
    /** How many charges were ever begun here. */
    highest: (): number => Number(sql("SELECT seq FROM sqlite_sequence WHERE name = 'charge'").get()?.['seq'] ?? 0),
  };
};
export type Statements = ReturnType<typeof statements>;
