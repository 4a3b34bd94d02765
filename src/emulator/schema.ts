import { PayError, usageError } from '../core/error.ts';
import type { DatabaseFault, DatabaseKind, Migration } from '../database/connect.ts';
import { randomKey } from './ids.ts';

/**
 * Stores records as the JSON of their answers. Other columns are only for searches and joins: `seq` is the order of
 * creation, which lists walk backwards, and is never used twice.
 */
const FIRST = `
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE onye (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE ugwo (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    onye TEXT REFERENCES onye (uid),
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE activity (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    ugwo TEXT NOT NULL REFERENCES ugwo (uid),
    record TEXT NOT NULL
  ) STRICT;

  CREATE INDEX activity_of_ugwo ON activity (ugwo, seq);
`;

/**
 * Adds the planned end of an open activity: the time in milliseconds since the epoch, and the ending. Accounts from
 * before this version expire at their `expires_at`.
 */
const SECOND = `
  ALTER TABLE activity ADD COLUMN due INTEGER;
  ALTER TABLE activity ADD COLUMN ending TEXT;

  UPDATE activity
  SET due = 1000 * unixepoch(record ->> '$.next_action.headers.expires_at'), ending = 'expired'
  WHERE CASE WHEN json_valid(record) THEN
    record ->> '$.status' = 'requires_action'
    AND unixepoch(record ->> '$.next_action.headers.expires_at') IS NOT NULL
  END;

  CREATE INDEX activity_due ON activity (due) WHERE due IS NOT NULL;
`;

/** Adds the total paid of a payment request, and the payment request and amount of an activity. */
const THIRD = `
  UPDATE ugwo
  SET record = json_set(record, '$.total_amount_paid', record ->> '$.amount' * max(
    record ->> '$.status' IN ('ugwo_successful', 'partially_refunded', 'refunded'),
    (SELECT count(*) FROM activity
      WHERE activity.ugwo = ugwo.uid AND CASE WHEN json_valid(record) THEN record ->> '$.status' = 'successful' END)
  ))
  WHERE json_valid(record);

  UPDATE activity
  SET record = json_set(record, '$.ugwo_uid', ugwo, '$.amount',
    (SELECT record ->> '$.amount' FROM ugwo WHERE ugwo.uid = activity.ugwo AND json_valid(record)))
  WHERE json_valid(record);
`;

/**
 * Adds columns for searches on creation: customers by e-mail, payment requests by ref. A deleted customer stays for the
 * payment requests that show it. Adds refunds, the paid amount of an activity if it differs from its own, and fault
 * rules.
 */
const FOURTH = `
  ALTER TABLE onye ADD COLUMN email TEXT;
  ALTER TABLE onye ADD COLUMN deleted INTEGER;
  UPDATE onye SET email = record ->> '$.email' WHERE json_valid(record);
  CREATE INDEX onye_email ON onye (email) WHERE deleted IS NULL;

  ALTER TABLE ugwo ADD COLUMN ref TEXT;
  UPDATE ugwo SET ref = record ->> '$.ref' WHERE json_valid(record);
  CREATE INDEX ugwo_ref ON ugwo (ref);

  ALTER TABLE activity ADD COLUMN paid INTEGER;

  CREATE TABLE refund (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    activity TEXT NOT NULL REFERENCES activity (uid),
    record TEXT NOT NULL,
    due INTEGER,
    ending TEXT
  ) STRICT;
  CREATE INDEX refund_of_activity ON refund (activity, seq);
  CREATE INDEX refund_due ON refund (due) WHERE due IS NOT NULL;

  CREATE TABLE fault (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rule TEXT NOT NULL,
    seen INTEGER NOT NULL DEFAULT 0,
    fired INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/** Adds the key for browsers and the key of the control endpoints. */
const keysBeside: Migration = (db) => {
  const insert = db.prepare('INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)');
  insert.run('public_key', randomKey('pk'));
  insert.run('control_token', randomKey('ctl'));
};

/**
 * Adds webhooks, and the outbox of pending and past deliveries. `due` is the time of the next attempt in milliseconds
 * since the epoch, or null if there is none. Events of one `subject` are delivered in order.
 */
const SIXTH = `
  CREATE TABLE webhook (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL
  ) STRICT;

  CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook INTEGER NOT NULL REFERENCES webhook (seq) ON DELETE CASCADE,
    uid TEXT NOT NULL,
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    due INTEGER DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    put_off TEXT,
    attempts TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX delivery_due ON delivery (webhook, due, seq);
`;

/** Steps from one version of a data file to the next. Never changed, only added to. */
const MIGRATIONS: readonly Migration[] = [FIRST, SECOND, THIRD, FOURTH, keysBeside, SIXTH];

const ELSEWHERE = 'set PAYCLI_HOME to another folder (the emulator commands take --data FILE, too)';
const START_OVER = `Empty it with \`paycli emulator reset\`, or ${ELSEWHERE}.`;

/** A file that is ours, but damaged or from a newer paycli. Only resetting it or another file helps. */
export class BeyondUse extends PayError {
  constructor(path: string, what: string, cause?: unknown) {
    super('usage', `the emulator's data file ${path} ${what}`, { hint: START_OVER, cause });
  }
}

const errorOf = ({ kind, path, what, cause }: DatabaseFault): PayError => {
  if (kind === 'newer' || kind === 'damaged') return new BeyondUse(path, what, cause);
  if (kind === 'foreign')
    return usageError(`${path} is not a data file of the emulator`, { hint: `move it away, or ${ELSEWHERE}` });
  return usageError(`the emulator's data file ${path} ${what}`, { hint: ELSEWHERE, cause });
};

/** The emulator's data file: test data that outlives runs, but isn't worth a sync for each write. */
export const DATA_FILE: DatabaseKind = {
  // "payl"
  applicationId: 0x7061796c,
  migrations: MIGRATIONS,
  survives: 'process',
  fill: (db) => {
    db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run('key', randomKey('sk'));
  },
  error: errorOf,
};
