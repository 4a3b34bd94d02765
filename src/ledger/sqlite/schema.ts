import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { CHARGE, payableUntil } from '../../core/charge.ts';
import { parseIfJson } from '../../core/json.ts';
import { Damage, type DatabaseKind, type Migration, optionalText } from '../../database/connect.ts';
import { ledgerError, TRY_MS } from '../local/file.ts';
import { AT, COLUMNS, checksumOf, type Row } from '../rows.ts';
import { COUNTED, COUNTING, FOUND_INDEXES, PRUNABLE_INDEX, paymentByStatus, READ_INDEXES, UNFINISHED } from '../sql.ts';

/** Returns the row if its checksum is right. Throws if a page of the file holds something else by now. */
export const checkedRow = (row: Row): Row => {
  if (row[AT.checksum] === checksumOf(row)) return row;
  throw new Damage(`row ${row[AT.seq]} of its charges is not what paycli wrote`);
};

const CHECKED_AT_ONCE = 1000;

/** Values of columns that a row is too old to have. */
const BEFORE: Readonly<Record<string, SQLOutputValue>> = { kind: CHARGE };

/** Computes the checksum of every row, in the caller's transaction. */
export const writeChecksums = (db: DatabaseSync): void => {
  const next = db.prepare('SELECT * FROM charge WHERE seq > ? ORDER BY seq LIMIT ?');
  const write = db.prepare('UPDATE charge SET checksum = ? WHERE seq = ?');
  for (let last = 0; ; ) {
    const rows = next.all(last, CHECKED_AT_ONCE);
    for (const row of rows) {
      const values = COLUMNS.map((name) => row[name] ?? BEFORE[name] ?? null);
      write.run(checksumOf(values), Number(row['seq']));
    }
    if (rows.length < CHECKED_AT_ONCE) return;
    last = Number(rows.at(-1)?.['seq']);
  }
};

/**
 * One row per charge. Instants are milliseconds since the epoch; `next_action`, `told` and `evidence` are JSON. At most
 * one charge of a payment request is open. The unique index enforces it: a check in the program could not keep two
 * processes from sending at once.
 */
const FIRST = `
  CREATE TABLE charge (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created')),
    service TEXT NOT NULL,
    origin TEXT NOT NULL,
    workspace TEXT,
    profile TEXT,
    ugwo TEXT NOT NULL,
    medium TEXT NOT NULL,
    provider TEXT,
    phone TEXT,
    digest TEXT NOT NULL,
    job TEXT,
    row INTEGER,
    deadline INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    begun_uptime INTEGER NOT NULL,
    took INTEGER,
    settled_at INTEGER,
    exit_code INTEGER,
    activity TEXT,
    status TEXT,
    next_action TEXT,
    activity_created_at TEXT,
    told TEXT,
    evidence TEXT NOT NULL DEFAULT '[]',
    pid INTEGER NOT NULL,
    boot TEXT NOT NULL,
    started TEXT NOT NULL,
    CHECK ((state = 'sending') = (settled_at IS NULL))
  ) STRICT;

  CREATE UNIQUE INDEX charge_open ON charge (service, ugwo) WHERE state IN ('sending', 'unknown');
  CREATE INDEX charge_of_ugwo ON charge (ugwo, seq);
  CREATE INDEX charge_activity ON charge (activity) WHERE activity IS NOT NULL;
  CREATE INDEX charge_state ON charge (state, seq);
`;

/**
 * Jobs: files whose rows are charges or updates of customers. A row is identified by its charges, the last of which
 * counts, or by its update. The index holds all columns that counting a job's rows needs, so that no charge is read.
 */
const JOB_TABLE = `
  CREATE TABLE job (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    command TEXT NOT NULL CHECK (command IN ('ugwo charge', 'onye update')),
    name TEXT NOT NULL,
    service TEXT NOT NULL,
    origin TEXT NOT NULL,
    profile TEXT,
    rows INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX charge_of_job ON charge (job, row, seq, state, status) WHERE job IS NOT NULL;

  CREATE TABLE onye_update (
    job TEXT NOT NULL,
    row INTEGER NOT NULL,
    onye TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown')),
    deadline INTEGER NOT NULL,
    exit_code INTEGER,
    message TEXT,
    pid INTEGER NOT NULL,
    boot TEXT NOT NULL,
    started TEXT NOT NULL,
    PRIMARY KEY (job, row)
  ) STRICT, WITHOUT ROWID;
`;

/** SQL that rewrites the service of an entry on this machine to its one current name (see `ledgerTargetOf`). */
const HOST_OF_SERVICE = "substr(service, instr(service, '://') + 3)";
const ONE_NAME = `substr(service, 1, instr(service, '://') + 2) || '127.0.0.1' || CASE
  WHEN ${HOST_OF_SERVICE} LIKE '[::1]%' THEN substr(${HOST_OF_SERVICE}, 6)
  ELSE substr(${HOST_OF_SERVICE}, instr(${HOST_OF_SERVICE} || ':', ':')) END`;
const HAS_OTHER_NAME = `${HOST_OF_SERVICE} IN ('localhost', '[::1]') OR ${HOST_OF_SERVICE} GLOB 'localhost:*' OR ${HOST_OF_SERVICE} GLOB '[[]::1]:*' OR
  (${HOST_OF_SERVICE} GLOB '127.*' AND ${HOST_OF_SERVICE} NOT GLOB '*[a-z]*')`;

/**
 * Columns for what the read before a charge shows (`amount` in the minor unit) and for what distinguishes activities.
 * The settings hold the ledger's name and the key of its digests.
 */
const LOOKS = `
  ALTER TABLE charge RENAME COLUMN settled_at TO recorded_at;
  ALTER TABLE charge ADD COLUMN amount INTEGER;
  ALTER TABLE charge ADD COLUMN currency TEXT;
  ALTER TABLE charge ADD COLUMN ref TEXT;
  ALTER TABLE charge ADD COLUMN customer TEXT;
  ALTER TABLE charge ADD COLUMN phone_digest TEXT;
  ALTER TABLE charge ADD COLUMN expires_at INTEGER;

  -- Two that are open by two names stay two.
  UPDATE OR IGNORE charge SET service = ${ONE_NAME} WHERE ${HAS_OTHER_NAME};
  UPDATE job SET service = ${ONE_NAME} WHERE ${HAS_OTHER_NAME};

  CREATE INDEX charge_unfinished ON charge (seq) WHERE ${UNFINISHED};

  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO setting VALUES ('name', lower(hex(randomblob(8)))), ('key', hex(randomblob(32)));
`;

/**
 * Detection of corrupted pages: a checksum for each row, and a second index on the charges of a payment request, which
 * must agree with the first.
 */
const WITH_CHECKSUMS = (db: DatabaseSync): void => {
  db.exec(`
    ALTER TABLE charge ADD COLUMN checksum INTEGER;
    CREATE INDEX charge_of_ugwo_again ON charge (ugwo, seq);
  `);
  writeChecksums(db);
};

/**
 * Columns for other kinds than charges. `ugwo` holds the subject of an intent, and each subject has at most one open
 * intent of any kind. A job's kind says what its rows store; its command is only displayed.
 */
const ENTRY_KINDS = `
  ALTER TABLE charge ADD COLUMN kind TEXT NOT NULL DEFAULT 'charge';
  ALTER TABLE charge ADD COLUMN path TEXT;
  ALTER TABLE charge ADD COLUMN body TEXT;

  CREATE TABLE job_with_kind (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    command TEXT NOT NULL,
    name TEXT NOT NULL,
    service TEXT NOT NULL,
    origin TEXT NOT NULL,
    profile TEXT,
    rows INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO job_with_kind SELECT seq, id, iif(command = 'onye update', 'update', 'charge'), command, name, service, origin,
    profile, rows, created_at, run_at FROM job;
  DROP TABLE job;
  ALTER TABLE job_with_kind RENAME TO job;
`;

/**
 * Policies (JSON; NULL once removed), and approvals with their totals. The index holds all columns that summing a
 * profile's day needs.
 */
const POLICIES = `
  CREATE TABLE policy (
    profile TEXT PRIMARY KEY,
    policy TEXT,
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approval (
    job TEXT PRIMARY KEY,
    rows INTEGER NOT NULL,
    amounts TEXT NOT NULL,
    unknown INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    approved_by TEXT,
    approved_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX charge_of_profile ON charge (profile, created_at, currency, amount) WHERE ${COUNTED};
`;

/** Counts of the last run of a job that its entries don't show, as JSON; NULL while a run is under way. */
const ADJUSTMENTS = 'ALTER TABLE job ADD COLUMN adjustments TEXT;';

const LAPSED = `
  json_extract(told, '$.service') >= expiry(next_action) + 15000`;

const WITH_MONEY = `
  ALTER TABLE charge ADD COLUMN operator TEXT;
  ALTER TABLE charge ADD COLUMN money TEXT;
  ALTER TABLE charge ADD COLUMN customer_email TEXT;
  ALTER TABLE charge ADD COLUMN payment TEXT;
  ALTER TABLE charge ADD COLUMN received INTEGER;
  ALTER TABLE charge ADD COLUMN refunded INTEGER;
  ALTER TABLE charge ADD COLUMN paid_at INTEGER;
  ALTER TABLE charge ADD COLUMN paid_twice INTEGER;
  ALTER TABLE charge ADD COLUMN psp_reference TEXT;
  ALTER TABLE charge ADD COLUMN account_digest TEXT;
  DROP INDEX charge_unfinished;
  DROP INDEX charge_of_profile;
  DROP INDEX charge_of_job;

  UPDATE charge SET payment = ${paymentByStatus(LAPSED)} WHERE kind = 'charge' AND state = 'accepted';
  UPDATE charge SET received = 0, refunded = 0 WHERE payment IN ('open', 'expired', 'failed');
  UPDATE charge SET received = amount, paid_at = recorded_at,
    refunded = CASE payment WHEN 'paid' THEN 0 WHEN 'refunded' THEN amount END
    WHERE payment IN ('paid', 'partially_refunded', 'refunded');

  ${READ_INDEXES}
  CREATE INDEX charge_of_job ON charge (job, row, seq, state, payment, kind, exit_code) WHERE job IS NOT NULL;
  CREATE INDEX charge_of_profile ON charge (profile, created_at, currency, amount) WHERE ${COUNTING};
`;

const storedExpiry = (action: string | undefined): number | null =>
  payableUntil({ status: 'requires_action', next_action: parseIfJson(action ?? '') }) ?? null;

/**
 * Money that arrived. Rows of older versions get what follows from their status; what was asked counts as received.
 */
const MONEY = (db: DatabaseSync): void => {
  db.function('expiry', (action) => storedExpiry(optionalText(action)));
  db.exec(WITH_MONEY);
};

/** Leases on slices of jobs. The owner is a `Sender` as JSON. */
const LEASES = `
  CREATE TABLE slice (
    job TEXT NOT NULL,
    slice INTEGER NOT NULL,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (job, slice)
  ) STRICT, WITHOUT ROWID;
`;

/** Migrations from one version to the next. Add new ones at the end; never change one. */
const LEDGER_MIGRATIONS: readonly Migration[] = [
  FIRST,
  JOB_TABLE,
  LOOKS,
  WITH_CHECKSUMS,
  ENTRY_KINDS,
  POLICIES,
  ADJUSTMENTS,
  MONEY,
  PRUNABLE_INDEX,
  LEASES,
  FOUND_INDEXES,
];

/** Kind of the ledger's file. Its contents must survive a power loss. */
export const LEDGER_FILE: DatabaseKind = {
  // "payg" in ASCII.
  applicationId: 0x70617967,
  migrations: LEDGER_MIGRATIONS,
  survives: 'power loss',
  // Longer waits happen between attempts, where signals are handled.
  busyTimeout: TRY_MS,
  // The rows of a file change the same pages again and again. Rare checkpoints write those pages fewer times.
  logPages: 4000,
  error: ledgerError,
};
