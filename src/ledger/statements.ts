import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ChargeState } from '../core/charge.ts';
import { Damage } from '../database/sqlite-error.ts';
import { checked, checksumValues, WRITE_CHECKSUM } from './checksum.ts';
import type { Asked, Charge, Intent, KeptActivity, ListFilter, Moment, Sender } from './ledger.ts';
import type { Row } from './rows.ts';
import { activityColumns, chargeOf } from './rows.ts';
import { STANDING, STANDS, UNFINISHED } from './schema.ts';

/** A charge's new state and what goes with it. */
export interface Change {
  readonly state: ChargeState;
  readonly moment: Moment;
  /** How long the sending took, in milliseconds; undefined where it did not live to say. */
  readonly took: number | undefined;
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: Charge['evidence'];
}

const COLUMNS = [
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
  'job',
  'row',
  'digest',
  'deadline',
  'created_at',
  'begun_uptime',
  'pid',
  'boot',
  'started',
];

const INSERT = `INSERT INTO charge (${COLUMNS.join()}) VALUES (${COLUMNS.map(() => '?').join()}) RETURNING *`;

const listWhere = ({
  states,
  unfinished,
  service,
  job,
  ugwo,
  before,
  after,
}: ListFilter): [conditions: string[], values: SQLInputValue[]] => {
  const parts: [condition: string, values: SQLInputValue[]][] = [];
  // Few charges are of one payment request: then the plus keeps SQLite from walking through all of a state.
  const column = ugwo === undefined ? 'state' : '+state';
  if (states !== undefined) parts.push([`${column} IN (${states.map(() => '?').join()})`, [...states]]);
  if (unfinished === true) parts.push([UNFINISHED, []]);
  if (service !== undefined) parts.push(['service = ?', [service]]);
  if (job !== undefined) parts.push(['job = ?', [job]]);
  if (ugwo !== undefined) parts.push(['ugwo = ?', [ugwo]]);
  if (before !== undefined) parts.push(['seq < ?', [before]]);
  if (after !== undefined) parts.push(['seq > ?', [after]]);
  return [parts.map(([condition]) => condition), parts.flatMap(([, values]) => values)];
};

const isStanding = ({ state }: Row): boolean => STANDS.includes(String(state));

/** Prepares each text once. */
export const preparing = (db: DatabaseSync) => {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return (text: string): ReturnType<DatabaseSync['prepare']> => {
    const found = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, found);
    return found;
  };
};

/** The SQL of charges, prepared when it is first used. Everything runs in the transaction of whoever calls. */
export const statements = (db: DatabaseSync) => {
  const sql = preparing(db);
  /** Rows that are what was written. */
  const rows = (query: string, ...values: SQLInputValue[]): Row[] =>
    sql(`SELECT * FROM charge ${query}`)
      .all(...values)
      .map(checked);
  const row = (id: string): Row | undefined => rows('WHERE id = ?', id)[0];
  /** Runs a statement that gives back the row that it has written. */
  const write = (statement: string, values: readonly SQLInputValue[]): Row | undefined => {
    const written = sql(statement).get(...values);
    if (written !== undefined) sql(WRITE_CHECKSUM).run(...checksumValues(written));
    return written;
  };
  return {
    /** Gives the place in the order of creation. */
    insert: (id: string, intent: Intent, self: Sender, { at, mark }: Moment): number => {
      const begun = { state: 'sending', created_at: at, begun_uptime: mark.uptime };
      const kept = { phone_digest: intent.phoneDigest, expires_at: intent.expiresAt, ...intent.asked };
      const values: Readonly<Record<string, unknown>> = { ...intent, ...self, ...begun, ...kept, id };
      const written = write(
        INSERT,
        COLUMNS.map((name) => (values[name] ?? null) as SQLInputValue),
      );
      return Number(written?.['seq']);
    },
    change: (id: string, { state, moment, took, exitCode, activity, evidence }: Change): void => {
      const now = activityColumns(activity, moment);
      // By place: SQLite is asked for each name anew at every run.
      const update = `UPDATE charge SET state = ?, recorded_at = ?, took = ?, exit_code = ?, activity = ?, status = ?,
        next_action = ?, activity_created_at = ?, told = ?, evidence = ? WHERE id = ? RETURNING *`;
      const { activity: uid, status, next_action, activity_created_at, told } = now;
      const of = [uid, status, next_action, activity_created_at, told];
      write(update, [state, moment.at, took ?? null, exitCode ?? null, ...of, JSON.stringify(evidence), id]);
    },
    keepEvidence: (id: string, evidence: Charge['evidence']): void => {
      write('UPDATE charge SET evidence = ? WHERE id = ? RETURNING *', [JSON.stringify(evidence), id]);
    },
    stand: (id: string, activity: KeptActivity, moment: Moment): void => {
      const { status, next_action, activity_created_at, told } = activityColumns(activity, moment);
      // An activity that needs nothing more of the customer has no next action; what it was stays known.
      const update = `UPDATE charge SET status = ?, next_action = coalesce(?, next_action), told = coalesce(?, told),
        activity_created_at = coalesce(activity_created_at, ?) WHERE id = ? RETURNING *`;
      write(update, [status, next_action, told, activity_created_at, id]);
    },
    /** What a look has shown of a payment request and was not known before. */
    ask: (id: string, { amount, currency, ref, customer }: Asked): void => {
      const update = `UPDATE charge SET amount = coalesce(amount, ?), currency = coalesce(currency, ?), ref = coalesce(ref, ?),
        customer = coalesce(customer, ?) WHERE id = ? RETURNING *`;
      write(update, [amount ?? null, currency ?? null, ref ?? null, customer ?? null, id]);
    },
    owners: (activity: string) => rows('WHERE activity = ?', activity),
    get: row,
    find: (id: string): Charge | undefined => {
      const found = row(id);
      return found && chargeOf(found);
    },
    /** The last charge of a row of a job. */
    ofRow: (job: string, number: number) => rows('WHERE job = ? AND row = ? ORDER BY seq DESC LIMIT 1', job, number)[0],
    /** All charges of some rows of a job. */
    ofRows: (job: string, first: number, last: number): Charge[] =>
      rows('WHERE job = ? AND row BETWEEN ? AND ? ORDER BY row, seq', job, first, last).map(chargeOf),
    sending: () => rows("WHERE state = 'sending' ORDER BY seq"),
    /**
     * All charges of a payment request, at whatever service, that may stand in the way of another. They are found by two
     * indexes: a page of one that is lost would hide them.
     */
    standing: (ugwo: string): Row[] => {
      const all = rows('INDEXED BY charge_of_ugwo WHERE ugwo = ? ORDER BY seq', ugwo).filter(isStanding);
      const found = sql(
        `SELECT seq FROM charge INDEXED BY charge_standing WHERE ugwo = ? AND ${STANDING} ORDER BY seq`,
      );
      const again = found.all(ugwo);
      if (again.length === all.length && again.every(({ seq }, at) => seq === all[at]?.['seq'])) return all;
      throw new Damage(`its indexes differ on the charges of ${ugwo}`);
    },
    list: (filter: ListFilter): Charge[] => {
      const [conditions, values] = listWhere(filter);
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const order = filter.oldestFirst === true ? 'ASC' : 'DESC';
      return rows(`${where} ORDER BY seq ${order} LIMIT ?`, ...values, filter.limit).map(chargeOf);
    },
    settings: (): { readonly name: string; readonly key: string } => {
      const rows = sql('SELECT name, value FROM setting').all();
      return Object.fromEntries(rows.map((row) => [row['name'], row['value']])) as { name: string; key: string };
    },
    /** How many charges were ever begun here. */
    highest: (): number => Number(sql("SELECT seq FROM sqlite_sequence WHERE name = 'charge'").get()?.['seq'] ?? 0),
    owned: (activities: readonly string[]): string[] =>
      sql('SELECT activity FROM charge WHERE activity IN (SELECT value FROM json_each(?))')
        .all(JSON.stringify(activities))
        .map((row) => String(row['activity'])),
  };
};
export type Statements = ReturnType<typeof statements>;
