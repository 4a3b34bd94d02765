import { PayError, usageError } from '../core/error.ts';
import { shellLine } from '../core/shell.ts';
import type { DatabaseFault, DatabaseKind } from '../database/connect.ts';
import { randomKey } from './ids.ts';

/**
 * Stores records as the JSON of their answers. Other columns are for searches, joins and plans: `seq` is the order of
 * creation, which lists walk backwards, and is never used twice. `due` and `ending` are the planned end of an open
 * activity or refund, in milliseconds since the epoch; `paid` is the amount if it differs from the activity's own. A
 * deleted customer stays for the payment requests that show it. Events of one `subject` are delivered in order.
 */
const EMULATOR_TABLES = `
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE onye (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL,
    email TEXT,
    deleted INTEGER
  ) STRICT;
  CREATE INDEX onye_email ON onye (email) WHERE deleted IS NULL;

  CREATE TABLE ugwo (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    onye TEXT REFERENCES onye (uid),
    record TEXT NOT NULL,
    ref TEXT
  ) STRICT;
  CREATE INDEX ugwo_ref ON ugwo (ref);

  CREATE TABLE activity (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    ugwo TEXT NOT NULL REFERENCES ugwo (uid),
    record TEXT NOT NULL,
    medium TEXT NOT NULL,
    due INTEGER,
    ending TEXT,
    paid INTEGER
  ) STRICT;
  CREATE INDEX activity_of_ugwo ON activity (ugwo, seq);
  CREATE INDEX activity_due ON activity (due) WHERE due IS NOT NULL;

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

/** The line of a command for this data file. */
export const emulatorLine = (path: string, ...words: readonly string[]): string =>
  shellLine(['paycli', 'emulator', ...words, '--data', path]);

const ELSEWHERE_HINT = 'set PAYCLI_HOME to another folder (the emulator commands take --data FILE, too)';

/** A file that is ours, but damaged or of another version. Only resetting it or another file helps. */
export class UnusableFile extends PayError {
  constructor(path: string, what: string, cause?: unknown) {
    super('usage', `the emulator's data file ${path} ${what}`, {
      hint: `Empty it with \`${emulatorLine(path, 'reset')}\`, or ${ELSEWHERE_HINT}.`,
      cause,
    });
  }
}

const dataError = ({ kind, path, what, cause }: DatabaseFault): PayError => {
  if (kind === 'newer' || kind === 'unreleased' || kind === 'damaged') return new UnusableFile(path, what, cause);
  if (kind === 'foreign')
    return usageError(`${path} is not a data file of the emulator`, { hint: `move it away, or ${ELSEWHERE_HINT}` });
  return usageError(`the emulator's data file ${path} ${what}`, { hint: ELSEWHERE_HINT, cause });
};

/** The emulator's data file: test data that outlives runs, but isn't worth a sync for each write. */
export const DATA_FILE: DatabaseKind = {
  // "payl"
  applicationId: 0x7061796c,
  first: 3,
  migrations: [EMULATOR_TABLES],
  survives: 'process',
  fill: (db) => {
    const insert = db.prepare('INSERT INTO setting (name, value) VALUES (?, ?)');
    insert.run('key', randomKey('sk'));
    insert.run('public_key', randomKey('pk'));
    insert.run('control_token', randomKey('ctl'));
  },
  error: dataError,
};
