import type { DatabaseSync } from 'node:sqlite';
import { isUnpaid } from '../../charge/payment.ts';
import { counted } from '../../core/bounds.ts';
import { CHARGE } from '../../core/charge.ts';
import { LOCAL_PROFILE } from '../../core/data-files.ts';
import { formatMoney } from '../../core/money.ts';
import { statusWord } from '../../core/status.ts';
import { readWithoutLock } from '../../database/file.ts';
import { checkAccess } from '../local/file.ts';
import { LEDGER_FILE } from './schema.ts';

/** Identifier from the ledger, with a short description. */
interface RecentId {
  readonly id: string;
  readonly about: string;
  /** The ref of a payment request or of its charge, or the e-mail address of a customer, which commands take as well. */
  readonly name?: unknown;
}

/**
 * Kind of requested identifiers: charges, refunds, jobs, charges and jobs (`entry`), an object of the service, a payment
 * request that can be charged (`unpaid`), an activity or its payment request (`payment`), or an activity that a ref may
 * name (`activityOrRef`).
 */
type RecentKind =
  | 'charge'
  | 'refund'
  | 'job'
  | 'entry'
  | 'ugwo'
  | 'unpaid'
  | 'onye'
  | 'activity'
  | 'payment'
  | 'activityOrRef';

/** Number of newest entries that are searched, however long the ledger is. */
const NEWEST_COMPLETED = 2000;
const NEWEST_JOBS = 100;
/** Number of newest update files that are searched, and of rows in each. */
const UPDATE_JOBS = 5;
const UPDATES = 200;

type Row = Readonly<Record<string, unknown>>;

const PREFIXES = {
  ugwo: /^ugw\./,
  unpaid: /^ugw\./,
  onye: /^ony\./,
  activity: /^act\./,
  payment: /^(?:act|ugw)\./,
  activityOrRef: /^act\./,
};

/** Entries of the local emulator profile are offered only under that profile. */
const IS_MEANT = `(profile IS '${LOCAL_PROFILE}') = ?`;

const aboutEntry = (row: Row): string => {
  const { kind, ref, customer_email: email, amount, currency, payment, state } = row;
  const money = amount === null || currency === null ? null : formatMoney(String(amount), String(currency));
  const words = [kind === CHARGE ? null : kind, ref, email, money, statusWord(String(payment ?? state))];
  return words.filter(Boolean).join(' ');
};

const recentJobs = (db: DatabaseSync, local: number): RecentId[] => {
  const jobs = `SELECT id, command, rows FROM (SELECT * FROM job ORDER BY seq DESC LIMIT ${NEWEST_JOBS}) WHERE ${IS_MEANT}`;
  const found: Row[] = db.prepare(jobs).all(local);
  return found.map(({ id, command, rows }) => ({
    id: String(id),
    about: `${String(command)}, ${counted(Number(rows), 'row')}`,
  }));
};

/** Customers of the newest files of updates. */
const recentUpdates = (db: DatabaseSync, local: number): RecentId[] => {
  const updates = `SELECT onye AS id, state FROM onye_update WHERE job IN
    (SELECT id FROM job WHERE kind = 'update' AND ${IS_MEANT} ORDER BY seq DESC LIMIT ${UPDATE_JOBS}) LIMIT ${UPDATES}`;
  const found: Row[] = db.prepare(updates).all(local);
  return found.map(({ id, state }) => ({ id: String(id), about: `update ${String(state)}` }));
};

/** Ids of this kind in the newest entries, and in the newest jobs where these belong to it. */
const recentIn = (db: DatabaseSync, kind: RecentKind, local: number): RecentId[] => {
  if (kind === 'job') return recentJobs(db, local);
  const entries = `SELECT id, state, kind, ugwo, activity, customer, customer_email, ref, payment, amount, currency FROM
    (SELECT * FROM charge ORDER BY seq DESC LIMIT ${NEWEST_COMPLETED}) WHERE ${IS_MEANT}`;
  const rows: Row[] = db.prepare(entries).all(local);
  if (kind === 'charge' || kind === 'refund' || kind === 'entry') {
    const own = rows.filter((row) => kind !== 'refund' || row['kind'] === 'refund');
    const all = own.map((row) => ({ id: String(row['id']), about: aboutEntry(row), name: row['ref'] }));
    return kind === 'entry' ? [...all, ...recentJobs(db, local)] : all;
  }
  const isPaid = ({ state, payment }: Row): boolean => !isUnpaid(String(state), payment as null);
  const paid = new Set(kind === 'unpaid' ? rows.filter(isPaid).map(({ ugwo }) => ugwo) : []);
  const found = rows.flatMap((row) => [
    ...(paid.has(row['ugwo']) ? [] : [{ id: String(row['ugwo']), about: aboutEntry(row), name: row['ref'] }]),
    { id: String(row['activity']), about: aboutEntry(row), name: kind === 'activityOrRef' && row['ref'] },
    { id: String(row['customer']), about: String(row['customer_email'] ?? ''), name: row['customer_email'] },
  ]);
  const updated = kind === 'onye' ? recentUpdates(db, local) : [];
  return [...found, ...updated].filter(({ id }) => PREFIXES[kind].test(id));
};

/** Lists recent identifiers of a ledger file, newest first. Never creates the file. Throws if it can't be read. */
export const recentIds = (path: string, kind: RecentKind, local: boolean): readonly RecentId[] => {
  checkAccess(path);
  return readWithoutLock(path, LEDGER_FILE, (db) => recentIn(db, kind, local ? 1 : 0)) ?? [];
};
