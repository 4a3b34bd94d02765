import { PayError, usageError } from '../core/error.ts';
import type { DatabaseFault, DatabaseKind, Migration } from '../database/kind.ts';
import { randomKey } from './ids.ts';

/**
 * Records are kept as the JSON that is answered. Beside it stand only what is searched and joined: `seq` is the order
 * of creation, which lists walk backwards, and is never given twice.
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
 * When an open activity ends by itself, in milliseconds since the epoch, and as what. Accounts that were given before this
 * was kept expire as they say.
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

/** What was paid of a payment request, and what an activity says of the one that it is on. */
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
 * What is looked for when something is made: a customer by e-mail, a payment request by ref. A deleted customer stays for the
 * payment requests that show it. Refunds, what is paid of an activity when that is not its amount, and rules for faults.
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

/** The key for browsers, and that of the control endpoint. */
const keysBeside: Migration = (db) => {
  const insert = db.prepare('INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)');
  insert.run('public_key', randomKey('pk'));
  insert.run('control_token', randomKey('ctl'));
};

/**
 * Where events are told, and the outbox: what is to be delivered, and was. `due` is when it is tried next, in milliseconds since the
 * epoch, and null where it is not; `subject` is what its order is kept for.
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

/** What brings a data file from one version to the next. Never changed, only added to. */
const MIGRATIONS: readonly Migration[] = [FIRST, SECOND, THIRD, FOURTH, keysBeside, SIXTH];

const ELSEWHERE = 'set PAYCLI_HOME to another folder (the emulator commands take --data FILE, too)';
const START_OVER = `Empty it with \`paycli emulator reset\`, or ${ELSEWHERE}.`;

/** A file that is ours, but damaged or from a newer paycli: only starting over helps, or another file. */
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

/** The emulator's data file: test data, kept over runs but not worth a sync each. */
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
