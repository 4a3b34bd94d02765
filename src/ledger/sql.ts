/** SQL that every database understands. */
import { CHARGE, REFUND } from '../core/charge.ts';
import type { Query } from './backend.ts';
import type { Period } from './ledger.ts';
import type { Row, Value } from './rows.ts';

/** Beginning of the name of each table. */
export type TablePrefix = '' | 'paycli.';

/** Statement or part of one, with a question mark for each of its values. */
export type Statement = readonly [sql: string, ...values: Value[]];

/** Runs a read-only statement. */
export type ReadStatement = (...statement: Statement) => Promise<readonly Row[]>;

/** Question marks for the values of some columns. */
export const placesFor = (columns: string): string => columns.replaceAll(/[^,]+/g, '?');

export const inserting = (table: string, columns: string): string =>
  `INSERT INTO ${table} (${columns}) VALUES (${placesFor(columns)})`;

/** Upsert into a table whose first `keys` columns are its key. */
export const replacing = (table: string, columns: string, keys: number): string => {
  const names = columns.split(', ');
  const change = names.slice(keys).map((name) => `${name} = excluded.${name}`);
  return `${inserting(table, columns)} ON CONFLICT (${names.slice(0, keys).join(', ')}) DO UPDATE SET ${change.join(', ')}`;
};

/** A single row uses an equation, which returns its charges in index order. Sorting costs more than finding them. */
const amongRows = ([first, last]: readonly [number, number]): Statement =>
  first === last ? ['"row" = ?', first] : ['"row" BETWEEN ? AND ?', first, last];

/** Condition for charges that brought another sum than was asked. An index has the same condition. */
export const IS_OTHER_SUM = 'received > 0 AND received <> COALESCE(amount, 0)';

/** Comparisons with one value of a query. */
const COMPARISONS = {
  ref: 'ref = ?',
  customer: 'customer = ?',
  email: 'customer_email = ?',
  operator: 'operator = ?',
  accountDigest: 'account_digest = ?',
  // `money` is the JSON that paycli wrote.
  accountEnd: `account_digest IS NOT NULL AND money LIKE '%"accountLast4":"' || ? || '"%'`,
  refBeginning: "lower(ref) LIKE lower(?) || '%' ESCAPE '!'",
  anyCase: 'lower(?) IN (lower(ref), lower(customer_email), lower(psp_reference))',
  pspReference: 'psp_reference = ?',
  phone: 'phone = ?',
  termsDigest: 'phone_digest = ?',
  amount: 'amount = ?',
  currency: 'currency = ?',
  otherReceived: `received = ? AND ${IS_OTHER_SUM}`,
  service: 'service = ?',
  profile: 'profile = ?',
  otherThan: "COALESCE(profile, '') <> ?",
  job: 'job = ?',
  about: 'ugwo = ?',
  since: 'created_at >= ?',
  until: 'created_at < ?',
  paidSince: 'paid_at >= ?',
  before: 'seq < ?',
  after: 'seq > ?',
} as const;
const COMPARED = Object.entries(COMPARISONS) as [keyof typeof COMPARISONS, string][];

/** Conditions for the values that are there. */
export const comparing = (query: Pick<Query & Period, keyof typeof COMPARISONS>): Statement[] =>
  COMPARED.flatMap(([name, sql]): Statement[] => {
    const value = query[name];
    if (value === undefined) return [];
    return name === 'profile' && value === '' ? [['profile IS NULL']] : [[sql, value]];
  });

const isOneOf = (column: string, values: readonly string[]): Statement => [
  `${column} IN (${values.map(() => '?').join() || 'NULL'})`,
  ...values,
];

/** Lets SQLite use the index `charge_kind`. Few entries have the same subject, so these are found by their subject. */
const OTHER_KIND = `kind = ? AND kind <> '${CHARGE}'`;

/** Conditions of a query, except `id` and `earlier`: each database finds those in its own way. */
export const conditionsOf = (
  { activities, states, kind, payments, paidTwice, disputed, prunable, rows, started, workspace, ...compared }: Query,
  among = isOneOf,
  state = 'state',
): Statement[] => [
  ...(compared.ids === undefined ? [] : [among('id', compared.ids)]),
  ...(activities === undefined ? [] : [among('activity', activities)]),
  ...(states === undefined ? [] : [isOneOf(state, states)]),
  ...(kind === undefined
    ? []
    : [[kind === CHARGE || compared.about !== undefined ? 'kind = ?' : OTHER_KIND, kind] as const]),
  ...(payments === undefined ? [] : [isOneOf('payment', payments)]),
  ...(paidTwice === true ? [['paid_twice IS NOT NULL'] as const] : []),
  ...(disputed === true ? [['disputed IS NOT NULL'] as const] : []),
  ...(prunable === true ? [[PRUNABLE] as const] : []),
  ...(workspace === undefined ? [] : [['COALESCE(workspace, ?) = ?', workspace, workspace] as const]),
  ...(rows === undefined ? [] : [amongRows(rows)]),
  ...comparing({ ...compared, ...started }),
];

/** WHERE clause with all of these conditions; empty if there are none. */
export const whereOf = (conditions: readonly Statement[]): Statement => {
  const [texts, given]: [string[], Value[]] = [[], []];
  for (const [sql, ...values] of conditions) {
    texts.push(sql);
    given.push(...values);
  }
  return [texts.length === 0 ? '' : `WHERE ${texts.join(' AND ')}`, ...given];
};

/**
 * Condition for charges that count for a policy: those that may have been made, and may still bring money or did. An
 * index has the same condition, so a change of this text needs a migration.
 */
export const COUNTING = `kind = 'charge' AND state IN ('sending', 'unknown', 'accepted') AND
  (payment IS NULL OR payment NOT IN ('expired', 'failed', 'reversed'))`;

/**
 * Condition for final entries that pruning would change. An index has the same condition, so a change of this text needs
 * a migration.
 */
export const PRUNABLE = `state NOT IN ('sending', 'unknown') AND COALESCE(payment, '') NOT IN ('open', 'refund_open') AND pruned IS NULL`;

/** Condition for charges or refunds that count for a policy. */
export const countingOf = (kind: string | undefined): string =>
  kind === REFUND
    ? `kind = '${REFUND}' AND state IN ('sending', 'unknown', 'accepted') AND COALESCE(payment, '') <> 'refund_failed'`
    : COUNTING;
