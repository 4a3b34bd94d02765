import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Activity } from '../contract/activity.ts';
import type { DeliveryRule, FaultRule } from '../contract/fault-rule.ts';
import type { Onye } from '../contract/onye.ts';
import type { Refund, Ugwo } from '../contract/ugwo.ts';
import type { ActivityEnding, DeliveryState } from '../core/data-files.ts';
import { parseExact, printExact } from '../core/json.ts';
import { rehearse, transact } from '../database/connect.ts';
import { number, optionalNumber, optionalText, text } from '../database/kind.ts';
import { openDatabase } from '../database/open.ts';
import { meantBy } from './ids.ts';
import { BeyondUse, DATA_FILE } from './schema.ts';

type StoredRow = ReturnType<StatementSync['get']>;

/** A record and its place in the order of creation. */
export interface Placed<T> {
  readonly position: number;
  readonly record: T;
}

/** What an open thing becomes by itself, and when, in milliseconds since the epoch. */
interface Due<Ending extends string> {
  readonly ending: Ending;
  readonly due: number;
}

const recordOf = <T>(row: StoredRow, column = 'record'): T | undefined => {
  const json = optionalText(row?.[column]);
  return json === undefined ? undefined : (parseExact(json) as T);
};

/** The plan in the columns `due` and `ending`. */
const planOf = <Ending extends string>(row: StoredRow): Due<Ending> | undefined => {
  const ending = optionalText(row?.['ending']);
  return ending === undefined ? undefined : { ending: ending as Ending, due: number(row?.['due']) };
};

/** The records of a page with their places, as `read` takes them out of its rows. */
const placedOf = <T>(rows: readonly StoredRow[], read: (row: StoredRow) => T | undefined): Placed<T>[] =>
  rows.flatMap((row) => {
    const record = read(row);
    return record === undefined ? [] : [{ position: number(row?.['seq']), record }];
  });

/** Where a page begins that no cursor was given for. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** An activity with the payment request that it is on. */
export interface StoredActivity {
  readonly activity: Activity;
  readonly ugwo: string;
}

/** What becomes of an activity by itself, and how much is paid then where that is not its amount. */
export interface ActivityPlan extends Due<ActivityEnding> {
  readonly paid?: number | undefined;
}

const keptOf = (row: StoredRow): StoredActivity | undefined => {
  const [activity, ugwo] = [recordOf<Activity>(row), optionalText(row?.['ugwo'])];
  return activity === undefined || ugwo === undefined ? undefined : { activity, ugwo };
};

const dueOf = (row: StoredRow): (StoredActivity & ActivityPlan) | undefined => {
  const [kept, plan] = [keptOf(row), planOf<ActivityEnding>(row)];
  if (kept === undefined || plan === undefined) return undefined;
  return { ...kept, ...plan, paid: optionalNumber(row?.['paid']) };
};

/** Activities. */
const activities = (db: DatabaseSync) => {
  const find = db.prepare('SELECT ugwo, record FROM activity WHERE uid BETWEEN ? AND ?');
  const on = db.prepare('SELECT record FROM activity WHERE ugwo = ? ORDER BY seq');
  const due = db.prepare(
    'SELECT ugwo, record, due, ending, paid FROM activity WHERE due <= ? ORDER BY due, seq LIMIT 1',
  );
  const insert = db.prepare('INSERT INTO activity (uid, ugwo, record, due, ending, paid) VALUES (?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE activity SET record = ?, due = ?, ending = ?, paid = ? WHERE uid = ?');
  const columns = (plan: ActivityPlan | undefined) =>
    [plan?.due ?? null, plan?.ending ?? null, plan?.paid ?? null] as const;
  return {
    activity: (uid: string) => keptOf(find.get(...meantBy(uid))),
    /** Every activity on a payment request, oldest first. */
    activitiesOn: (ugwo: string) => on.all(ugwo).flatMap((row) => recordOf<Activity>(row) ?? []),
    addActivity: ({ activity, ugwo }: StoredActivity, plan: ActivityPlan | undefined) =>
      void insert.run(activity.uid, ugwo, printExact(activity), ...columns(plan)),
    /** One without a plan stays as it is. */
    replaceActivity: (activity: Activity, plan: ActivityPlan | undefined) =>
      void update.run(printExact(activity), ...columns(plan), activity.uid),
    /** The first one that should have ended by `now`. */
    dueActivity: (now: number) => dueOf(due.get(now)),
  };
};

/** Customers. One that was deleted is kept for the payment requests that show it, and found no more. */
const customers = (db: DatabaseSync) => {
  const find = db.prepare('SELECT record FROM onye WHERE uid BETWEEN ? AND ? AND deleted IS NULL');
  const byEmail = db.prepare('SELECT record FROM onye WHERE email = ? AND deleted IS NULL LIMIT 1');
  const before = db.prepare('SELECT seq, record FROM onye WHERE seq < ? AND deleted IS NULL ORDER BY seq DESC LIMIT ?');
  const ids = db.prepare('SELECT uid FROM onye WHERE deleted IS NULL ORDER BY seq');
  const insert = db.prepare('INSERT INTO onye (uid, email, record) VALUES (?, ?, ?)');
  const update = db.prepare('UPDATE onye SET email = ?, record = ? WHERE uid = ?');
  const remove = db.prepare('UPDATE onye SET deleted = 1 WHERE uid = ?');
  return {
    customer: (uid: string) => recordOf<Onye>(find.get(...meantBy(uid))),
    customerByEmail: (email: string) => recordOf<Onye>(byEmail.get(email)),
    /** The newest that are older than `position`, newest first. */
    customersBefore: (position = NEWEST, count: number): Placed<Onye>[] =>
      placedOf(before.all(position, count), (row) => recordOf<Onye>(row)),
    /** The uids of all, oldest first. */
    customerIds: () => ids.all().flatMap((row) => optionalText(row?.['uid']) ?? []),
    addCustomer: (customer: Onye) => void insert.run(customer.uid, customer.email ?? null, printExact(customer)),
    replaceCustomer: (customer: Onye) => void update.run(customer.email ?? null, printExact(customer), customer.uid),
    removeCustomer: (uid: string) => void remove.run(uid),
  };
};

/** Where events are told. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  /** Names of events, in which `*` stands for any text. */
  readonly events: readonly string[];
  /** `wsk.…`; empty where nothing is signed. */
  readonly secret: string;
}

/** What was sent once, and what came of it. */
export interface DeliveryAttempt {
  readonly delivery_id: string;
  readonly at: string;
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** Why there was none. */
  readonly error: string | null;
  readonly ms: number;
  /** What a rule for faults made of it. */
  readonly fault?: string;
}

/** An event as it happened. */
export interface EmittedEvent {
  /** `evt.…`: the same in each attempt, and at each webhook. */
  readonly uid: string;
  readonly event: string;
  /** What its order is kept for: a payment request or a customer. */
  readonly subject: string;
  /** The resource, as JSON in the documented dialect. */
  readonly data: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
}

/** An event for one webhook. */
export interface OutgoingDelivery extends EmittedEvent {
  readonly id: number;
  readonly webhook: Webhook;
  readonly state: DeliveryState;
  /** When it is tried next; undefined where it is not. */
  readonly due: number | undefined;
  /** How often it was tried since it was told or replayed. */
  readonly tries: number;
  /** A rule for faults has put it off already. */
  readonly putOff: 'late' | 'held' | undefined;
  readonly attempts: readonly DeliveryAttempt[];
}

/** How a delivery goes on. */
export type Next = Pick<OutgoingDelivery, 'state' | 'due' | 'tries' | 'putOff'>;

/** So many are kept that have come to an end. */
const KEPT = 10_000;

const DELIVERY = `SELECT delivery.*, webhook.url, webhook.events, webhook.secret
  FROM delivery JOIN webhook ON webhook.seq = delivery.webhook`;

const webhookOf = (row: StoredRow, id: unknown): Webhook => ({
  id: Number(id),
  url: text(row?.['url']),
  events: JSON.parse(optionalText(row?.['events']) ?? '[]') as string[],
  secret: text(row?.['secret']),
});

const deliveryOf = (row: StoredRow): OutgoingDelivery => ({
  id: number(row?.['seq']),
  webhook: webhookOf(row, row?.['webhook']),
  uid: text(row?.['uid']),
  event: text(row?.['event']),
  subject: text(row?.['subject']),
  data: text(row?.['data']),
  at: number(row?.['at']),
  state: optionalText(row?.['state']) as DeliveryState,
  due: optionalNumber(row?.['due']),
  tries: number(row?.['tries']),
  putOff: optionalText(row?.['put_off']) as OutgoingDelivery['putOff'],
  attempts: JSON.parse(optionalText(row?.['attempts']) ?? '[]') as DeliveryAttempt[],
});

/** Webhooks, and the outbox. What is put into it in the transaction of a change is there if the change is, and only then. */
const outbox = (db: DatabaseSync) => {
  const webhooks = db.prepare('SELECT seq, url, events, secret FROM webhook ORDER BY seq');
  const add = db.prepare('INSERT INTO webhook (url, events, secret) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM webhook WHERE seq = ?');
  const put = db.prepare('INSERT INTO delivery (webhook, uid, event, subject, data, at) VALUES (?, ?, ?, ?, ?, ?)');
  const one = db.prepare(`${DELIVERY} WHERE delivery.seq = ?`);
  const before = db.prepare(`${DELIVERY} WHERE delivery.seq < ? ORDER BY delivery.seq DESC LIMIT ?`);
  // At first what was never tried, in the order in which it happened.
  const due = db.prepare(`${DELIVERY} WHERE webhook = ? AND due <= ? ORDER BY due, delivery.seq LIMIT ?`);
  const next = db.prepare('UPDATE delivery SET state = ?, due = ?, tries = ?, put_off = ? WHERE seq = ?');
  const note = db.prepare("UPDATE delivery SET attempts = json_insert(attempts, '$[#]', json(?)) WHERE seq = ?");
  const held = db.prepare("SELECT 1 FROM delivery WHERE webhook = ? AND put_off = 'held' AND due > 0 LIMIT 1");
  const release = db.prepare(
    "UPDATE delivery SET due = 0 WHERE webhook = ? AND seq <> ? AND put_off = 'held' AND due > 0",
  );
  const deliverer = db.prepare("SELECT value FROM setting WHERE name = 'deliverer'");
  const setDeliverer = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('deliverer', ?)");
  const removeDeliverer = db.prepare("DELETE FROM setting WHERE name = 'deliverer' AND value LIKE ?");
  const forget = db.prepare(
    'DELETE FROM delivery WHERE due IS NULL AND seq <= (SELECT max(seq) FROM delivery) - CAST(? AS INTEGER)',
  );
  return {
    webhooks: (): Webhook[] => webhooks.all().map((row) => webhookOf(row, row['seq'])),
    addWebhook: ({ url, events, secret }: Omit<Webhook, 'id'>): Webhook => {
      const { lastInsertRowid } = add.run(url, JSON.stringify(events), secret);
      return { id: Number(lastInsertRowid), url, events, secret };
    },
    /** With all that was to be delivered there, and was. */
    removeWebhook: (id: number) => void remove.run(id),
    addDelivery: (webhook: number, { uid, event, subject, data, at }: EmittedEvent): number =>
      Number(put.run(webhook, uid, event, subject, data, at).lastInsertRowid),
    delivery: (id: number): OutgoingDelivery | undefined => {
      const row = one.get(id);
      return row === undefined ? undefined : deliveryOf(row);
    },
    /** The newest that are older than `id`, newest first. */
    deliveriesBefore: (id = NEWEST, count: number): OutgoingDelivery[] => before.all(id, count).map(deliveryOf),
    dueDeliveries: (webhook: number, now: number, count: number): OutgoingDelivery[] =>
      due.all(webhook, now, count).map(deliveryOf),
    setNext: (id: number, { state, due: at, tries, putOff }: Next) =>
      void next.run(state, at ?? null, tries, putOff ?? null, id),
    noteAttempt: (id: number, attempt: DeliveryAttempt) => {
      note.run(JSON.stringify(attempt), id);
      forget.run(KEPT);
    },
    /** The process that delivers, and until when nobody else may, in milliseconds since the epoch by the real clock. */
    deliverer: (): { readonly owner: string; readonly until: number } | undefined => {
      const [owner, until] = optionalText(deliverer.get()?.['value'])?.split(' ') ?? [];
      return owner === undefined ? undefined : { owner, until: Number(until) };
    },
    setDeliverer: (owner: string, until: number) => void setDeliverer.run(`${owner} ${until}`),
    removeDeliverer: (owner: string) => void removeDeliverer.run(`${owner} %`),
    /** Whether one is kept back at a webhook until the next one was sent there. */
    isHolding: (webhook: number) => held.get(webhook) !== undefined,
    /** Lets go what is kept back at a webhook, now that `sent` was sent there. */
    releaseHeld: (webhook: number, sent: number) => void release.run(webhook, sent),
  };
};

export type RefundEnding = 'successful' | 'failed';

/** Refunds, each of one activity. */
const refunds = (db: DatabaseSync) => {
  const of = db.prepare('SELECT record FROM refund WHERE activity = ? ORDER BY seq');
  const due = db.prepare('SELECT record, due, ending FROM refund WHERE due <= ? ORDER BY due, seq LIMIT 1');
  const insert = db.prepare('INSERT INTO refund (uid, activity, record, due, ending) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE refund SET record = ?, due = NULL, ending = NULL WHERE uid = ?');
  return {
    /** Every refund of an activity, oldest first. */
    refundsOf: (activity: string) => of.all(activity).flatMap((row) => recordOf<Refund>(row) ?? []),
    addRefund: (refund: Refund, activity: string, plan: Due<RefundEnding> | undefined) =>
      void insert.run(refund.uid, activity, printExact(refund), plan?.due ?? null, plan?.ending ?? null),
    /** As it has ended. */
    endRefund: (refund: Refund) => void update.run(printExact(refund), refund.uid),
    /** The first one that should have ended by `now`. */
    dueRefund: (now: number) => {
      const row = due.get(now);
      const [refund, plan] = [recordOf<Refund>(row), planOf<RefundEnding>(row)];
      return refund === undefined || plan === undefined ? undefined : { refund, ...plan };
    },
  };
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
const ugwoOf = (row: StoredRow): Ugwo | undefined => {
  const ugwo = recordOf<Ugwo>(row);
  if (ugwo === undefined) return undefined;
  return {
    ...ugwo,
    onye: customerInShort(recordOf<Onye>(row, 'onye')),
    // The service spells it so.
    lastest_ugwo_activity: activityInShort(recordOf<Activity>(row, 'latest')),
  };
};

/** Payment requests. */
const requests = (db: DatabaseSync) => {
  const find = db.prepare(`${UGWO} WHERE ugwo.uid BETWEEN ? AND ?`);
  const before = db.prepare(`${UGWO} WHERE ugwo.seq < ? ORDER BY ugwo.seq DESC LIMIT ?`);
  const byRef = db.prepare('SELECT 1 FROM ugwo WHERE ref = ? LIMIT 1');
  const insert = db.prepare('INSERT INTO ugwo (uid, onye, ref, record) VALUES (?, ?, ?, ?)');
  const setStatus = db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?) WHERE uid = ?");
  // A number of JavaScript is bound as a float, and would be written with `.0`.
  const pay = db.prepare(`UPDATE ugwo
    SET record = json_set(record, '$.total_amount_paid', ifnull(record ->> '$.total_amount_paid', 0) + CAST(? AS INTEGER))
    WHERE uid = ?`);
  return {
    ugwo: (uid: string) => ugwoOf(find.get(...meantBy(uid))),
    /** The newest that are older than `position`, newest first. */
    ugwoBefore: (position = NEWEST, count: number): Placed<Ugwo>[] => placedOf(before.all(position, count), ugwoOf),
    hasRef: (ref: string) => byRef.get(ref) !== undefined,
    addUgwo: (ugwo: Ugwo, customer: string | null) =>
      void insert.run(ugwo.uid, customer, ugwo.ref ?? null, printExact(ugwo)),
    setUgwoStatus: (uid: string, status: string) => void setStatus.run(status, uid),
    /** Adds to what was paid of it; less than nothing where money was taken back. */
    addPayment: (uid: string, amount: number) => void pay.run(amount, uid),
  };
};

/** A rule of how the service is to misbehave, and how often it has matched a request or a delivery and been heeded. */
export interface KeptFault {
  readonly seq: number;
  readonly rule: FaultRule | DeliveryRule;
  readonly seen: number;
  readonly fired: number;
}

/** What a data file holds beside its records: the keys, how far its clock was moved, and the rules for faults. */
const settings = (db: DatabaseSync) => {
  const read = db.prepare('SELECT value FROM setting WHERE name = ?');
  const write = db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)');
  const faults = db.prepare('SELECT seq, rule, seen, fired FROM fault ORDER BY seq');
  const add = db.prepare('INSERT INTO fault (rule) VALUES (?)');
  const count = db.prepare('UPDATE fault SET seen = seen + 1, fired = fired + ? WHERE seq = ?');
  const setting = (name: string): string | undefined => optionalText(read.get(name)?.['value']);
  return {
    setting,
    /** How far the clock was moved, in milliseconds. A request that was cut off may be answered when the file is closed. */
    clockOffset: () => (db.isOpen ? Number(setting('clock') ?? 0) : 0),
    setClockOffset: (ms: number) => void write.run('clock', String(ms)),
    faults: (): KeptFault[] =>
      faults.all().flatMap((row) => {
        const rule = recordOf<FaultRule | DeliveryRule>(row, 'rule');
        const [seq, seen, fired] = [row['seq'], row['seen'], row['fired']].map(Number) as [number, number, number];
        return rule === undefined ? [] : [{ seq, rule, seen, fired }];
      }),
    /** In place of all that there were. */
    replaceFaults: (rules: readonly (FaultRule | DeliveryRule)[]) => {
      db.exec('DELETE FROM fault');
      for (const rule of rules) add.run(JSON.stringify(rule));
    },
    addFault: (rule: FaultRule | DeliveryRule) => void add.run(JSON.stringify(rule)),
    removeFault: (seq: number) => void db.prepare('DELETE FROM fault WHERE seq = ?').run(seq),
    countFault: (seq: number, fired: boolean) => void count.run(fired ? 1 : 0, seq),
  };
};

const whole = (db: DatabaseSync) => {
  const made = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
  const newest = {
    onye: db.prepare('SELECT record FROM onye ORDER BY seq DESC LIMIT 1'),
    ugwo: db.prepare('SELECT record FROM ugwo ORDER BY seq DESC LIMIT 1'),
  };
  const some = db.prepare(`SELECT EXISTS (SELECT 1 FROM onye) OR EXISTS (SELECT 1 FROM ugwo)
      OR EXISTS (SELECT 1 FROM setting WHERE name = 'emptied') AS some`);
  const listeners: (() => void)[] = [];
  return {
    /** How many records of a kind were ever made here. */
    made: (kind: 'onye' | 'ugwo') => Number(made.get(kind)?.['seq'] ?? 0),
    /** The `created_at` of the newest record of a kind. */
    newest: (kind: 'onye' | 'ugwo') => recordOf<Onye | Ugwo>(newest[kind].get())?.created_at ?? undefined,
    /** No record was ever made here, and none was ever removed. */
    isNew: () => some.get()?.['some'] === 0,
    /** The clock and the faults, too. What is made afterwards is numbered on from here, so that no identifier is ever given again. */
    removeRecords: () =>
      db.exec(`DELETE FROM refund; DELETE FROM activity; DELETE FROM ugwo; DELETE FROM onye; DELETE FROM fault; DELETE FROM delivery;
        DELETE FROM setting WHERE name = 'clock'; INSERT OR IGNORE INTO setting VALUES ('emptied', '');`),
    /** Another text whenever something was written, by this process or another one. */
    version: () => {
      const { changes } = db.prepare('SELECT total_changes() AS changes').get() ?? {};
      return `${db.prepare('PRAGMA data_version').get()?.['data_version']} ${changes}`;
    },
    /** Runs `work` alone among all processes; what it wrote is undone when it throws. */
    write: <T>(work: () => T): T => {
      const result = transact(db, work);
      for (const listener of listeners) listener();
      return result;
    },
    /** What `work` gives alone among all processes; nothing of what it wrote stays. */
    rehearse: <T>(work: () => T): T => rehearse(db, work),
    /** Calls it after each commit of this process. */
    onWrite: (listener: () => void) => void listeners.push(listener),
    close: () => db.close(),
  };
};

const storeOf = (db: DatabaseSync) => ({
  ...customers(db),
  ...requests(db),
  ...activities(db),
  ...refunds(db),
  ...settings(db),
  ...outbox(db),
  ...whole(db),
});

/**
 * The state of one data file. Its records are believed as they come: answers are checked when they leave. A record is found
 * by its identifier, also as the live dialect shows it.
 */
export interface EmulatorStore extends ReturnType<typeof storeOf> {
  readonly key: string;
}

/** Opens the state in the file at an absolute path; made when missing. Throws usage errors. */
export const openStore = (path: string): EmulatorStore =>
  openDatabase(path, DATA_FILE, (db) => {
    const store = storeOf(db);
    const key = store.setting('key');
    if (key === undefined) throw new BeyondUse(path, 'is damaged: it holds no key');
    return { key, ...store };
  });

/** Opens it for one use. */
export const withStore = <T>(path: string, use: (store: EmulatorStore) => T): T => {
  const store = openStore(path);
  try {
    return use(store);
  } finally {
    store.close();
  }
};
