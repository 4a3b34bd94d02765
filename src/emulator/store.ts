import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Activity } from '../contract/activity.ts';
import type { DeliveryRule, FaultRule } from '../contract/fault-rule.ts';
import type { Onye } from '../contract/onye.ts';
import type { Refund, Ugwo } from '../contract/ugwo.ts';
import type { ActivityEnding, DeliveryState } from '../core/data-files.ts';
import { parseExact, printExact } from '../core/json.ts';
import {
  closedAfter,
  connect,
  migrate,
  optionalNumber,
  optionalText,
  rehearse,
  sqlNumber,
  sqlText,
  transact,
  transactLong,
} from '../database/connect.ts';
import { holdLock, openDatabase } from '../database/open.ts';
import { meantBy } from './ids.ts';
import { DATA_FILE, UnusableFile } from './schema.ts';

type StoredRow = ReturnType<StatementSync['get']>;

export interface Placed<T> {
  readonly position: number;
  readonly record: T;
}

/** A planned ending and its time, in milliseconds since the epoch. */
interface Due<Ending extends string> {
  readonly ending: Ending;
  readonly due: number;
}

const parseRecord = <T>(row: StoredRow, column = 'record'): T | undefined => {
  const json = optionalText(row?.[column]);
  return json === undefined ? undefined : (parseExact(json) as T);
};

/** Reads the plan from the columns `due` and `ending`. */
const dueEnding = <Ending extends string>(row: StoredRow): Due<Ending> | undefined => {
  const ending = optionalText(row?.['ending']);
  return ending === undefined ? undefined : { ending: ending as Ending, due: sqlNumber(row?.['due']) };
};

/** Reads the records of a page with their positions; `read` converts a row. */
const placedOf = <T>(rows: readonly StoredRow[], read: (row: StoredRow) => T | undefined): Placed<T>[] =>
  rows.flatMap((row) => {
    const record = read(row);
    return record === undefined ? [] : [{ position: sqlNumber(row?.['seq']), record }];
  });

/** Start position of a page without a cursor. */
const END_OF_LIST = Number.MAX_SAFE_INTEGER;

/** An activity, the uid of its payment request, and its medium, which answers don't show. */
export interface StoredActivity {
  readonly activity: Activity;
  readonly ugwo: string;
  readonly medium: string;
}

/** The planned ending of an activity, and the amount paid if it differs from the activity's own. */
export interface ActivityPlan extends Due<ActivityEnding> {
  readonly paid?: number | undefined;
}

const storedActivity = (row: StoredRow): StoredActivity | undefined => {
  const [activity, ugwo] = [parseRecord<Activity>(row), optionalText(row?.['ugwo'])];
  if (activity === undefined || ugwo === undefined) return undefined;
  return { activity, ugwo, medium: sqlText(row?.['medium']) };
};

const dueFrom = (row: StoredRow): (StoredActivity & ActivityPlan) | undefined => {
  const [kept, plan] = [storedActivity(row), dueEnding<ActivityEnding>(row)];
  if (kept === undefined || plan === undefined) return undefined;
  return { ...kept, ...plan, paid: optionalNumber(row?.['paid']) };
};

const activities = (db: DatabaseSync) => {
  const find = db.prepare('SELECT ugwo, record, medium FROM activity WHERE uid BETWEEN ? AND ?');
  const on = db.prepare('SELECT record FROM activity WHERE ugwo = ? ORDER BY seq');
  const named = db.prepare(`SELECT record FROM activity WHERE ugwo IN (SELECT uid FROM ugwo WHERE lower(ref) = lower(?)
    UNION SELECT uid FROM ugwo WHERE onye IN (SELECT uid FROM onye WHERE lower(email) = lower(?))) ORDER BY seq`);
  const due = db.prepare(
    'SELECT ugwo, record, medium, due, ending, paid FROM activity WHERE due <= ? ORDER BY due, seq LIMIT 1',
  );
  const insert = db.prepare(
    'INSERT INTO activity (uid, ugwo, record, medium, due, ending, paid) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare('UPDATE activity SET record = ?, due = ?, ending = ?, paid = ? WHERE uid = ?');
  const columns = (plan: ActivityPlan | undefined) =>
    [plan?.due ?? null, plan?.ending ?? null, plan?.paid ?? null] as const;
  return {
    activity: (uid: string) => storedActivity(find.get(...meantBy(uid))),
    /** All activities of a payment request, oldest first. */
    activitiesOn: (ugwo: string) => on.all(ugwo).flatMap((row) => parseRecord<Activity>(row) ?? []),
    /** All activities of the payment request with this ref, or of the customer with this e-mail address. */
    activitiesNamed: (name: string) => named.all(name, name).flatMap((row) => parseRecord<Activity>(row) ?? []),
    addActivity: ({ activity, ugwo, medium }: StoredActivity, plan: ActivityPlan | undefined) =>
      void insert.run(activity.uid, ugwo, printExact(activity), medium, ...columns(plan)),
    /** Without a plan, the activity no longer changes by itself. */
    replaceActivity: (activity: Activity, plan: ActivityPlan | undefined) =>
      void update.run(printExact(activity), ...columns(plan), activity.uid),
    dueActivity: (now: number) => dueFrom(due.get(now)),
  };
};

/**
 * Reads and writes customers. A deleted customer stays for the payment requests that show it, but isn't found any more.
 */
const customers = (db: DatabaseSync) => {
  const find = db.prepare('SELECT record FROM onye WHERE uid BETWEEN ? AND ? AND deleted IS NULL');
  const byEmail = db.prepare('SELECT record FROM onye WHERE email = ? AND deleted IS NULL LIMIT 1');
  const before = db.prepare('SELECT seq, record FROM onye WHERE seq < ? AND deleted IS NULL ORDER BY seq DESC LIMIT ?');
  const ids = db.prepare('SELECT uid FROM onye WHERE deleted IS NULL ORDER BY seq');
  const insert = db.prepare('INSERT INTO onye (uid, email, record) VALUES (?, ?, ?)');
  const update = db.prepare('UPDATE onye SET email = ?, record = ? WHERE uid = ?');
  const remove = db.prepare('UPDATE onye SET deleted = 1 WHERE uid = ?');
  return {
    customer: (uid: string) => parseRecord<Onye>(find.get(...meantBy(uid))),
    customerByEmail: (email: string) => parseRecord<Onye>(byEmail.get(email)),
    /** The newest customers older than `position`, newest first. */
    customersBefore: (position = END_OF_LIST, count: number): Placed<Onye>[] =>
      placedOf(before.all(position, count), (row) => parseRecord<Onye>(row)),
    /** The uids of all customers, oldest first. */
    customerIds: () => ids.all().flatMap((row) => optionalText(row?.['uid']) ?? []),
    addCustomer: (customer: Onye) => void insert.run(customer.uid, customer.email ?? null, printExact(customer)),
    replaceCustomer: (customer: Onye) => void update.run(customer.email ?? null, printExact(customer), customer.uid),
    removeCustomer: (uid: string) => void remove.run(uid),
  };
};

export interface Webhook {
  readonly id: number;
  readonly url: string;
  /** Names of events, in which `*` stands for any text. */
  readonly events: readonly string[];
  /** `wsk.…`; empty if deliveries are not signed. */
  readonly secret: string;
}

export interface DeliveryAttempt {
  readonly delivery_id: string;
  readonly at: string;
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
  /** Reason why there was no answer; null if there was one. */
  readonly error: string | null;
  readonly ms: number;
  /** The effect of the fault rule that was applied. */
  readonly fault?: string;
}

export interface EmittedEvent {
  /** `evt.…`: the same in each attempt, and at each webhook. */
  readonly uid: string;
  readonly event: string;
  /** The payment request or customer whose events are delivered in order. */
  readonly subject: string;
  /** The resource, as JSON in the documented dialect. */
  readonly data: string;
  /** Time of the event, in milliseconds since the epoch. */
  readonly at: number;
}

export interface OutgoingDelivery extends EmittedEvent {
  readonly id: number;
  readonly webhook: Webhook;
  readonly state: DeliveryState;
  /** Time of the next attempt; undefined if there is none. */
  readonly due: number | undefined;
  /** Number of attempts since the event or its replay. */
  readonly tries: number;
  /** Set if a fault rule has already postponed it. */
  readonly putOff: 'late' | 'held' | undefined;
  readonly attempts: readonly DeliveryAttempt[];
}

export type Next = Pick<OutgoingDelivery, 'state' | 'due' | 'tries' | 'putOff'>;

/** Maximum number of finished deliveries that are stored. */
const DELIVERY_LIMIT = 10_000;

const DELIVERY = `SELECT delivery.*, webhook.url, webhook.events, webhook.secret
  FROM delivery JOIN webhook ON webhook.seq = delivery.webhook`;

const webhookOf = (row: StoredRow, id: unknown): Webhook => ({
  id: Number(id),
  url: sqlText(row?.['url']),
  events: JSON.parse(optionalText(row?.['events']) ?? '[]') as string[],
  secret: sqlText(row?.['secret']),
});

const deliveryOf = (row: StoredRow): OutgoingDelivery => ({
  id: sqlNumber(row?.['seq']),
  webhook: webhookOf(row, row?.['webhook']),
  uid: sqlText(row?.['uid']),
  event: sqlText(row?.['event']),
  subject: sqlText(row?.['subject']),
  data: sqlText(row?.['data']),
  at: sqlNumber(row?.['at']),
  state: optionalText(row?.['state']) as DeliveryState,
  due: optionalNumber(row?.['due']),
  tries: sqlNumber(row?.['tries']),
  putOff: optionalText(row?.['put_off']) as OutgoingDelivery['putOff'],
  attempts: JSON.parse(optionalText(row?.['attempts']) ?? '[]') as DeliveryAttempt[],
});

/**
 * Reads and writes webhooks and the outbox. A delivery added in the transaction of a change exists only if the change
 * does.
 */
const outbox = (db: DatabaseSync) => {
  const webhooks = db.prepare('SELECT seq, url, events, secret FROM webhook ORDER BY seq');
  const add = db.prepare('INSERT INTO webhook (url, events, secret) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM webhook WHERE seq = ?');
  const put = db.prepare('INSERT INTO delivery (webhook, uid, event, subject, data, at) VALUES (?, ?, ?, ?, ?, ?)');
  const one = db.prepare(`${DELIVERY} WHERE delivery.seq = ?`);
  const before = db.prepare(`${DELIVERY} WHERE delivery.seq < ? ORDER BY delivery.seq DESC LIMIT ?`);
  // Untried deliveries (due 0) come first, in the order of their events.
  const due = db.prepare(`${DELIVERY} WHERE webhook = ? AND due <= ? ORDER BY due, delivery.seq LIMIT ?`);
  const next = db.prepare('UPDATE delivery SET state = ?, due = ?, tries = ?, put_off = ? WHERE seq = ?');
  const note = db.prepare("UPDATE delivery SET attempts = json_insert(attempts, '$[#]', json(?)) WHERE seq = ?");
  const held = db.prepare("SELECT 1 FROM delivery WHERE webhook = ? AND put_off = 'held' AND due > 0 LIMIT 1");
  const release = db.prepare(
    "UPDATE delivery SET due = 0 WHERE webhook = ? AND seq <> ? AND put_off = 'held' AND due > 0",
  );
  const forget = db.prepare(
    'DELETE FROM delivery WHERE due IS NULL AND seq <= (SELECT max(seq) FROM delivery) - CAST(? AS INTEGER)',
  );
  return {
    webhooks: (): Webhook[] => webhooks.all().map((row) => webhookOf(row, row['seq'])),
    addWebhook: ({ url, events, secret }: Omit<Webhook, 'id'>): Webhook => {
      const { lastInsertRowid } = add.run(url, JSON.stringify(events), secret);
      return { id: Number(lastInsertRowid), url, events, secret };
    },
    /** Also removes the webhook's pending and past deliveries. */
    removeWebhook: (id: number) => void remove.run(id),
    addDelivery: (webhook: number, { uid, event, subject, data, at }: EmittedEvent): number =>
      Number(put.run(webhook, uid, event, subject, data, at).lastInsertRowid),
    delivery: (id: number): OutgoingDelivery | undefined => {
      const row = one.get(id);
      return row === undefined ? undefined : deliveryOf(row);
    },
    /** Newest first. */
    newestDeliveries: (count: number): OutgoingDelivery[] => before.all(END_OF_LIST, count).map(deliveryOf),
    dueDeliveries: (webhook: number, now: number, count: number): OutgoingDelivery[] =>
      due.all(webhook, now, count).map(deliveryOf),
    setNext: (id: number, { state, due: at, tries, putOff }: Next) =>
      void next.run(state, at ?? null, tries, putOff ?? null, id),
    noteAttempt: (id: number, attempt: DeliveryAttempt) => {
      note.run(JSON.stringify(attempt), id);
      forget.run(DELIVERY_LIMIT);
    },
    /** True if a delivery to the webhook is held until the next one was sent there. */
    isHolding: (webhook: number) => held.get(webhook) !== undefined,
    /** Releases the deliveries held at a webhook after `sent` was sent there. */
    releaseHeld: (webhook: number, sent: number) => void release.run(webhook, sent),
  };
};

export type RefundEnding = 'successful' | 'failed';

const refunds = (db: DatabaseSync) => {
  const of = db.prepare('SELECT record FROM refund WHERE activity = ? ORDER BY seq');
  const due = db.prepare('SELECT record, due, ending FROM refund WHERE due <= ? ORDER BY due, seq LIMIT 1');
  const insert = db.prepare('INSERT INTO refund (uid, activity, record, due, ending) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE refund SET record = ?, due = NULL, ending = NULL WHERE uid = ?');
  return {
    refundsOf: (activity: string) => of.all(activity).flatMap((row) => parseRecord<Refund>(row) ?? []),
    addRefund: (refund: Refund, activity: string, plan: Due<RefundEnding> | undefined) =>
      void insert.run(refund.uid, activity, printExact(refund), plan?.due ?? null, plan?.ending ?? null),
    /** Stores the final state. */
    endRefund: (refund: Refund) => void update.run(printExact(refund), refund.uid),
    dueRefund: (now: number) => {
      const row = due.get(now);
      const [refund, plan] = [parseRecord<Refund>(row), dueEnding<RefundEnding>(row)];
      return refund === undefined || plan === undefined ? undefined : { refund, ...plan };
    },
  };
};

const SELECT_UGWO = `SELECT ugwo.seq, ugwo.record, onye.record AS onye,
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

/**
 * Returns a payment request as the service shows it (docs/service.md, Payment requests): with its customer and its
 * latest activity in short form, as they are now.
 */
const ugwoOf = (row: StoredRow): Ugwo | undefined => {
  const ugwo = parseRecord<Ugwo>(row);
  if (ugwo === undefined) return undefined;
  return {
    ...ugwo,
    onye: customerInShort(parseRecord<Onye>(row, 'onye')),
    // The service's own spelling.
    lastest_ugwo_activity: activityInShort(parseRecord<Activity>(row, 'latest')),
  };
};

const requests = (db: DatabaseSync) => {
  const find = db.prepare(`${SELECT_UGWO} WHERE ugwo.uid BETWEEN ? AND ?`);
  const before = db.prepare(`${SELECT_UGWO} WHERE ugwo.seq < ? ORDER BY ugwo.seq DESC LIMIT ?`);
  const byRef = db.prepare('SELECT 1 FROM ugwo WHERE ref = ? LIMIT 1');
  const insert = db.prepare('INSERT INTO ugwo (uid, onye, ref, record) VALUES (?, ?, ?, ?)');
  const setStatus = db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?) WHERE uid = ?");
  // A JavaScript number is bound as a float, and would be written with `.0`.
  const pay = db.prepare(`UPDATE ugwo
    SET record = json_set(record, '$.total_amount_paid', ifnull(record ->> '$.total_amount_paid', 0) + CAST(? AS INTEGER))
    WHERE uid = ?`);
  return {
    ugwo: (uid: string) => ugwoOf(find.get(...meantBy(uid))),
    /** The newest payment requests older than `position`, newest first. */
    ugwoBefore: (position = END_OF_LIST, count: number): Placed<Ugwo>[] =>
      placedOf(before.all(position, count), ugwoOf),
    hasRef: (ref: string) => byRef.get(ref) !== undefined,
    addUgwo: (ugwo: Ugwo, customer: string | null) =>
      void insert.run(ugwo.uid, customer, ugwo.ref ?? null, printExact(ugwo)),
    setUgwoStatus: (uid: string, status: string) => void setStatus.run(status, uid),
    /** Adds to the total paid; the amount is negative if money was reversed. */
    addPayment: (uid: string, amount: number) => void pay.run(amount, uid),
  };
};

/** A fault rule, with the number of requests or deliveries that it matched (`seen`) and was applied to (`fired`). */
export interface StoredFault {
  readonly seq: number;
  readonly rule: FaultRule | DeliveryRule;
  readonly seen: number;
  readonly fired: number;
}

/** Reads and writes the keys, the clock offset and the fault rules of a data file. */
const settings = (db: DatabaseSync) => {
  const read = db.prepare('SELECT value FROM setting WHERE name = ?');
  const write = db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)');
  const faults = db.prepare('SELECT seq, rule, seen, fired FROM fault ORDER BY seq');
  const add = db.prepare('INSERT INTO fault (rule) VALUES (?)');
  const count = db.prepare('UPDATE fault SET seen = seen + 1, fired = fired + ? WHERE seq = ?');
  const setting = (name: string): string | undefined => optionalText(read.get(name)?.['value']);
  return {
    setting,
    /**
     * Offset of the clock, in milliseconds. A request that was cut off may still be answered after the file is closed.
     */
    clockOffset: () => (db.isOpen ? Number(setting('clock') ?? 0) : 0),
    setClockOffset: (ms: number) => void write.run('clock', String(ms)),
    faults: (): StoredFault[] =>
      faults.all().flatMap((row) => {
        const rule = parseRecord<FaultRule | DeliveryRule>(row, 'rule');
        const [seq, seen, fired] = [row['seq'], row['seen'], row['fired']].map(Number) as [number, number, number];
        return rule === undefined ? [] : [{ seq, rule, seen, fired }];
      }),
    replaceFaults: (rules: readonly (FaultRule | DeliveryRule)[]) => {
      db.exec('DELETE FROM fault');
      for (const rule of rules) add.run(JSON.stringify(rule));
    },
    countFault: (seq: number, fired: boolean) => void count.run(fired ? 1 : 0, seq),
  };
};

const wholeFile = (db: DatabaseSync) => {
  const made = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?');
  const newest = {
    onye: db.prepare('SELECT record FROM onye ORDER BY seq DESC LIMIT 1'),
    ugwo: db.prepare('SELECT record FROM ugwo ORDER BY seq DESC LIMIT 1'),
  };
  const some = db.prepare(`SELECT EXISTS (SELECT 1 FROM onye) OR EXISTS (SELECT 1 FROM ugwo)
      OR EXISTS (SELECT 1 FROM setting WHERE name = 'emptied') AS some`);
  const listeners: (() => void)[] = [];
  const write = <T>(work: () => T): T => {
    const result = transact(db, work);
    for (const listener of listeners) listener();
    return result;
  };
  return {
    /** The number of records of a kind ever created here. */
    made: (kind: 'onye' | 'ugwo') => Number(made.get(kind)?.['seq'] ?? 0),
    newest: (kind: 'onye' | 'ugwo') => parseRecord<Onye | Ugwo>(newest[kind].get())?.created_at ?? undefined,
    /** True if no record was ever created here, and none was ever removed. */
    isNew: () => some.get()?.['some'] === 0,
    /**
     * Also removes the clock offset, the fault rules and the deliveries. Numbering continues afterwards, so that no
     * identifier is used twice.
     */
    removeRecords: () => {
      // A search for each record's references would take most of the time, and none stays.
      db.exec('PRAGMA foreign_keys = OFF');
      try {
        write(() =>
          db.exec(`DELETE FROM refund; DELETE FROM activity; DELETE FROM ugwo; DELETE FROM onye; DELETE FROM fault; DELETE FROM delivery;
            DELETE FROM setting WHERE name = 'clock'; INSERT OR IGNORE INTO setting VALUES ('emptied', '');`),
        );
      } finally {
        db.exec('PRAGMA foreign_keys = ON');
      }
    },
    /** Runs `work` alone among all processes; rolls its writes back if it throws. */
    write,
    /** Like `write`, for work that gives way to the event loop at each `yield`. Nothing else may use the store then. */
    writeLong: <T>(work: () => Generator<void, T>): Promise<T> => transactLong(db, work),
    /** Runs `work` alone among all processes, rolls its writes back and returns its result. */
    rehearse: <T>(work: () => T): T => rehearse(db, work),
    /** Calls the listener after each commit of this process. */
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
  ...wholeFile(db),
});

/**
 * The state of one data file. Stored records are trusted, since answers are checked before they are sent. Records are
 * found by their identifiers in either dialect.
 */
export interface EmulatorStore extends ReturnType<typeof storeOf> {
  readonly path: string;
  readonly key: string;
  /** Takes the lock of the process that delivers the outbox; undefined while another one has it. */
  readonly holdOutbox: () => (() => void) | undefined;
}

/** Opens the data file at an absolute path, and creates it if it is missing. Throws usage errors. */
export const openStore = (path: string): EmulatorStore =>
  openDatabase(path, DATA_FILE, (db) => {
    const store = storeOf(db);
    const key = store.setting('key');
    if (key === undefined) throw new UnusableFile(path, 'is damaged: it holds no key');
    return { path, key, holdOutbox: () => holdLock(`${path}.lock`, 0), ...store };
  });

/** Calls `use` with an empty store in memory, and drops the store. */
export const withoutFile = <T>(use: (store: EmulatorStore) => T): T =>
  closedAfter(connect(':memory:', DATA_FILE), (db) => {
    migrate(db, DATA_FILE);
    return use({ path: '', key: '', holdOutbox: () => undefined, ...storeOf(db) });
  });

export const withStore = async <T>(path: string, use: (store: EmulatorStore) => T | Promise<T>): Promise<T> => {
  const store = openStore(path);
  try {
    return await use(store);
  } finally {
    store.close();
  }
};
