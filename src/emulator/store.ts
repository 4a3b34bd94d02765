import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Activity } from '../contract/activity.ts';
import type { Onye } from '../contract/onye.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { parseExact, printExact } from '../core/json.ts';
import type { Ending } from '../core/local.ts';
import { openDatabase } from '../database/open.ts';
import { transact } from '../database/transact.ts';
import { BeyondUse, DATA_FILE } from './file.ts';
import { meantBy } from './ids.ts';

/** A record and its place in the order of creation. */
export interface Placed<T> {
  readonly position: number;
  readonly record: T;
}

/** What an open activity becomes by itself. */
export interface Plan {
  readonly ending: Ending;
  /** Milliseconds since the epoch. */
  readonly due: number;
}

/** An activity with the payment request that it is on. */
export interface KeptActivity {
  readonly activity: Activity;
  readonly ugwo: string;
}

/** An activity whose time has come. */
export interface DueActivity extends KeptActivity, Plan {}

/**
 * The state of one data file. Its records are believed as they come: answers are checked when they leave. A record is found
 * by its identifier, also as the live dialect shows it.
 */
export interface Store {
  readonly key: string;
  customer(uid: string): Onye | undefined;
  addCustomer(customer: Onye): void;
  replaceCustomer(customer: Onye): void;
  /** The uids of all customers, oldest first. */
  customerIds(): string[];
  ugwo(uid: string): Ugwo | undefined;
  addUgwo(ugwo: Ugwo, customer: string | null): void;
  /** The newest payment requests that are older than `position` (all, when it is undefined), newest first. */
  ugwoBefore(position: number | undefined, count: number): Placed<Ugwo>[];
  setUgwoStatus(uid: string, status: string): void;
  /** Adds its amount once more to what was paid of a payment request. */
  addPayment(uid: string): void;
  addActivity(kept: KeptActivity, plan: Plan | undefined): void;
  activity(uid: string): KeptActivity | undefined;
  /** Every activity on a payment request, oldest first. */
  activitiesOn(ugwo: string): Activity[];
  /** An activity without a plan stays as it is. */
  replaceActivity(activity: Activity, plan: Plan | undefined): void;
  /** The activities that should have ended by `now`, in the order in which they should have. */
  dueActivities(now: number): DueActivity[];
  /** How many records of a kind were ever made here. */
  made(kind: 'onye' | 'ugwo'): number;
  /** The `created_at` of the newest record of a kind. */
  newest(kind: 'onye' | 'ugwo'): string | undefined;
  /** No record was ever made here, and none was ever removed. */
  isNew(): boolean;
  /** What is made afterwards is numbered on from here, so that no identifier is ever given again. */
  removeRecords(): void;
  /** Runs `work` alone among all processes; what it wrote is undone when it throws. */
  write<T>(work: () => T): T;
  close(): void;
}

type Row = ReturnType<StatementSync['get']>;

const textOf = (row: Row, column: string): string | undefined => {
  const value = row?.[column];
  return typeof value === 'string' ? value : undefined;
};

const recordOf = <T>(row: Row, column = 'record'): T | undefined => {
  const text = textOf(row, column);
  return text === undefined ? undefined : (parseExact(text) as T);
};

const UGWO = `SELECT ugwo.seq, ugwo.record, onye.record AS onye,
    (SELECT record FROM activity WHERE activity.ugwo = ugwo.uid ORDER BY activity.seq DESC LIMIT 1) AS latest
  FROM ugwo LEFT JOIN onye ON onye.uid = ugwo.onye`;

const customerInShort = (customer: Onye | undefined) => {
  if (customer === undefined) return null;
  const { uid, email, first_name, last_name } = customer;
  return { uid, email, first_name, last_name };
};

const activityInShort = (activity: Activity | undefined) => {
  if (activity === undefined) return null;
  const { uid, status, psp_external_id, is_double_charge = false } = activity;
  return { uid, status, psp_external_id, is_double_charge };
};

/** A payment request as it is shown (public material): its customer and its latest activity as they are now, in short. */
const ugwoOf = (row: Row): Ugwo | undefined => {
  const ugwo = recordOf<Ugwo>(row);
  if (ugwo === undefined) return undefined;
  return {
    ...ugwo,
    onye: customerInShort(recordOf<Onye>(row, 'onye')),
    // The service spells it so.
    lastest_ugwo_activity: activityInShort(recordOf<Activity>(row, 'latest')),
  };
};

const customers = (db: DatabaseSync) => {
  const find = db.prepare('SELECT record FROM onye WHERE uid BETWEEN ? AND ?');
  const insert = db.prepare('INSERT INTO onye (uid, record) VALUES (?, ?)');
  const update = db.prepare('UPDATE onye SET record = ? WHERE uid = ?');
  const ids = db.prepare('SELECT uid FROM onye ORDER BY seq');
  return {
    customer: (uid) => recordOf<Onye>(find.get(...meantBy(uid))),
    addCustomer: (customer) => void insert.run(customer.uid, printExact(customer)),
    replaceCustomer: (customer) => void update.run(printExact(customer), customer.uid),
    customerIds: () => ids.all().flatMap((row) => textOf(row, 'uid') ?? []),
  } satisfies Partial<Store>;
};

const requests = (db: DatabaseSync) => {
  const find = db.prepare(`${UGWO} WHERE ugwo.uid BETWEEN ? AND ?`);
  const before = db.prepare(`${UGWO} WHERE ugwo.seq < ? ORDER BY ugwo.seq DESC LIMIT ?`);
  const insert = db.prepare('INSERT INTO ugwo (uid, onye, record) VALUES (?, ?, ?)');
  const setStatus = db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?) WHERE uid = ?");
  const pay = db.prepare(`UPDATE ugwo
    SET record = json_set(record, '$.total_amount_paid', record ->> '$.total_amount_paid' + record ->> '$.amount')
    WHERE uid = ?`);
  return {
    ugwo: (uid) => ugwoOf(find.get(...meantBy(uid))),
    addUgwo: (ugwo, customer) => void insert.run(ugwo.uid, customer, printExact(ugwo)),
    ugwoBefore: (position = Number.MAX_SAFE_INTEGER, count) =>
      before.all(position, count).flatMap((row) => {
        const record = ugwoOf(row);
        return record === undefined ? [] : [{ position: Number(row['seq']), record }];
      }),
    setUgwoStatus: (uid, status) => void setStatus.run(status, uid),
    addPayment: (uid) => void pay.run(uid),
  } satisfies Partial<Store>;
};

const keptOf = (row: Row): KeptActivity | undefined => {
  const [activity, ugwo] = [recordOf<Activity>(row), textOf(row, 'ugwo')];
  return activity === undefined || ugwo === undefined ? undefined : { activity, ugwo };
};

const dueOf = (row: Row): DueActivity | undefined => {
  const [kept, ending] = [keptOf(row), textOf(row, 'ending')];
  return kept === undefined || ending === undefined
    ? undefined
    : { ...kept, ending: ending as Ending, due: Number(row?.['due']) };
};

const activities = (db: DatabaseSync) => {
  const find = db.prepare('SELECT ugwo, record FROM activity WHERE uid BETWEEN ? AND ?');
  const on = db.prepare('SELECT record FROM activity WHERE ugwo = ? ORDER BY seq');
  const due = db.prepare('SELECT ugwo, record, due, ending FROM activity WHERE due <= ? ORDER BY due, seq');
  const insert = db.prepare('INSERT INTO activity (uid, ugwo, record, due, ending) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE activity SET record = ?, due = ?, ending = ? WHERE uid = ?');
  return {
    addActivity: ({ activity, ugwo }, plan) =>
      void insert.run(activity.uid, ugwo, printExact(activity), plan?.due ?? null, plan?.ending ?? null),
    activity: (uid) => keptOf(find.get(...meantBy(uid))),
    activitiesOn: (ugwo) => on.all(ugwo).flatMap((row) => recordOf<Activity>(row) ?? []),
    replaceActivity: (activity, plan) =>
      void update.run(printExact(activity), plan?.due ?? null, plan?.ending ?? null, activity.uid),
    dueActivities: (now) => due.all(now).flatMap((row) => dueOf(row) ?? []),
  } satisfies Partial<Store>;
};

const whole = (db: DatabaseSync) => {
  const made = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
  const newest = {
    onye: db.prepare('SELECT record FROM onye ORDER BY seq DESC LIMIT 1'),
    ugwo: db.prepare('SELECT record FROM ugwo ORDER BY seq DESC LIMIT 1'),
  };
  const some = db.prepare(`SELECT EXISTS (SELECT 1 FROM onye) OR EXISTS (SELECT 1 FROM ugwo)
      OR EXISTS (SELECT 1 FROM setting WHERE name = 'emptied') AS some`);
  return {
    made: (kind) => Number(made.get(kind)?.['seq'] ?? 0),
    newest: (kind) => recordOf<Onye | Ugwo>(newest[kind].get())?.created_at ?? undefined,
    isNew: () => some.get()?.['some'] === 0,
    removeRecords: () =>
      db.exec(`DELETE FROM activity; DELETE FROM ugwo; DELETE FROM onye;
        INSERT OR IGNORE INTO setting VALUES ('emptied', '');`),
    write: (work) => transact(db, work),
    close: () => db.close(),
  } satisfies Partial<Store>;
};

/** Opens the state in the file at an absolute path; made when missing. Throws usage errors. */
export const openStore = (path: string): Store =>
  openDatabase(path, DATA_FILE, (db) => {
    const key = textOf(db.prepare("SELECT value FROM setting WHERE name = 'key'").get(), 'value');
    if (key === undefined) throw new BeyondUse(path, 'is damaged: it holds no key');
    return { key, ...customers(db), ...requests(db), ...activities(db), ...whole(db) };
  });
