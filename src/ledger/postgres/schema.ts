import { COUNTED, COUNTING, FOUND_INDEXES, PRUNABLE_INDEX, paymentByStatus, READ_INDEXES, UNFINISHED } from '../sql.ts';
import { literal } from './statements.ts';

const inSchema = (indexes: string): string => indexes.replaceAll(' ON charge ', ' ON paycli.charge ');

/**
 * Same tables as in SQLite, in a schema of their own. `seq` approximates the order of creation: the first to commit
 * need not have the lower number. `put_back` marks an intent that the database had lost and that its machine has
 * restored.
 */
const FIRST = `
  CREATE SCHEMA paycli;

  CREATE TABLE paycli.setting (
    name text PRIMARY KEY,
    value text NOT NULL
  );

  CREATE TABLE paycli.charge (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id text PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created')),
    service text NOT NULL,
    origin text NOT NULL,
    workspace text,
    profile text,
    ugwo text NOT NULL,
    medium text NOT NULL,
    provider text,
    phone text,
    phone_digest text,
    expires_at bigint,
    digest text NOT NULL,
    job text,
    row bigint,
    deadline bigint NOT NULL,
    created_at bigint NOT NULL,
    begun_uptime bigint NOT NULL,
    pid bigint NOT NULL,
    boot text NOT NULL,
    started text NOT NULL,
    recorded_at bigint,
    took bigint,
    exit_code bigint,
    activity text,
    status text,
    next_action text,
    activity_created_at text,
    told text,
    evidence text NOT NULL DEFAULT '[]',
    amount bigint,
    currency text,
    ref text,
    customer text,
    kind text NOT NULL DEFAULT 'charge',
    path text,
    body text,
    checksum bigint NOT NULL,
    put_back boolean NOT NULL DEFAULT false,
    CHECK ((state = 'sending') = (recorded_at IS NULL))
  );

  CREATE UNIQUE INDEX charge_open ON paycli.charge (service, ugwo) WHERE state IN ('sending', 'unknown') AND NOT put_back;
  CREATE UNIQUE INDEX charge_seq ON paycli.charge (seq);
  CREATE INDEX charge_of_ugwo ON paycli.charge (ugwo, seq);
  CREATE INDEX charge_activity ON paycli.charge (activity) WHERE activity IS NOT NULL;
  CREATE INDEX charge_state ON paycli.charge (state, seq);
  CREATE INDEX charge_of_job ON paycli.charge (job, row, seq) INCLUDE (state, status, kind, exit_code) WHERE job IS NOT NULL;
  CREATE INDEX charge_unfinished ON paycli.charge (seq) WHERE ${UNFINISHED};
  CREATE INDEX charge_put_back ON paycli.charge (seq) WHERE put_back AND state = 'unknown';

  CREATE TABLE paycli.job (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id text PRIMARY KEY,
    kind text NOT NULL,
    command text NOT NULL,
    name text NOT NULL,
    service text NOT NULL,
    origin text NOT NULL,
    profile text,
    rows bigint NOT NULL,
    created_at bigint NOT NULL,
    run_at bigint NOT NULL
  );
  CREATE UNIQUE INDEX job_seq ON paycli.job (seq);

  CREATE TABLE paycli.onye_update (
    job text NOT NULL,
    row bigint NOT NULL,
    onye text NOT NULL,
    state text NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown')),
    deadline bigint NOT NULL,
    exit_code bigint,
    message text,
    pid bigint NOT NULL,
    boot text NOT NULL,
    started text NOT NULL,
    PRIMARY KEY (job, row)
  );

  CREATE TABLE paycli.slice (
    job text NOT NULL,
    slice bigint NOT NULL,
    owner text NOT NULL,
    epoch bigint NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (job, slice)
  );
`;

/** Policies, which only the owner may set, and files that another person must approve. */
const POLICIES = `
  CREATE TABLE paycli.policy (
    profile text PRIMARY KEY,
    policy text,
    set_by text NOT NULL,
    set_at bigint NOT NULL
  );

  CREATE TABLE paycli.approval (
    job text PRIMARY KEY,
    rows bigint NOT NULL,
    amounts text NOT NULL,
    unknown bigint NOT NULL,
    asked_by text NOT NULL,
    asked_at bigint NOT NULL,
    approved_by text,
    approved_at bigint
  );

  CREATE INDEX charge_of_profile ON paycli.charge (profile, created_at) INCLUDE (currency, amount) WHERE ${COUNTED};
`;

/** Counts of the last run of a job that its entries don't show. */
const ADJUSTMENTS = 'ALTER TABLE paycli.job ADD COLUMN adjustments text;';

const LAPSED = `
  (told::json ->> 'service')::numeric >= (paycli.expiry(next_action) + 15) * 1000`;

/**
 * Expiry in seconds since the epoch. Stored texts come from the service: one that is no time, or that PostgreSQL can't
 * parse as JSON, has no expiry.
 */
const EXPIRY = `CREATE FUNCTION paycli.expiry(action text) RETURNS numeric LANGUAGE plpgsql AS $$
  DECLARE expires text;
  BEGIN
    expires := action::json -> 'headers' ->> 'expires_at';
    RETURN CASE WHEN expires ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' THEN extract(epoch FROM expires::timestamptz) END;
  EXCEPTION WHEN data_exception THEN
    RETURN NULL;
  END $$;
`;

/** Money that arrived, as in SQLite. */
const MONEY = `
  ALTER TABLE paycli.charge ADD COLUMN operator text, ADD COLUMN money text, ADD COLUMN customer_email text,
    ADD COLUMN payment text, ADD COLUMN received bigint, ADD COLUMN refunded bigint, ADD COLUMN paid_at bigint,
    ADD COLUMN paid_twice bigint, ADD COLUMN psp_reference text, ADD COLUMN account_digest text;
  DROP INDEX paycli.charge_unfinished;
  DROP INDEX paycli.charge_of_profile;
  DROP INDEX paycli.charge_of_job;

  ${EXPIRY}
  UPDATE paycli.charge SET payment = ${paymentByStatus(LAPSED)} WHERE kind = 'charge' AND state = 'accepted';
  DROP FUNCTION paycli.expiry;
  UPDATE paycli.charge SET received = 0, refunded = 0 WHERE payment IN ('open', 'expired', 'failed');
  UPDATE paycli.charge SET received = amount, paid_at = recorded_at,
    refunded = CASE payment WHEN 'paid' THEN 0 WHEN 'refunded' THEN amount END
    WHERE payment IN ('paid', 'partially_refunded', 'refunded');

  ${inSchema(READ_INDEXES)}
  CREATE INDEX charge_of_job ON paycli.charge (job, row, seq) INCLUDE (state, payment, kind, exit_code) WHERE job IS NOT NULL;
  CREATE INDEX charge_of_profile ON paycli.charge (profile, created_at) INCLUDE (currency, amount) WHERE ${COUNTING};
`;

/** Migrations from one version to the next. Add new ones at the end; never change one. */
export const SHARED_MIGRATIONS: readonly string[] = [
  FIRST,
  POLICIES,
  ADJUSTMENTS,
  MONEY,
  inSchema(PRUNABLE_INDEX),
  inSchema(FOUND_INDEXES),
];

/** Rights of an operator: no changes to tables, no deletes, and no updates of the columns that never change. */
const RIGHTS = [
  'USAGE ON SCHEMA paycli',
  'SELECT ON ALL TABLES IN SCHEMA paycli',
  'INSERT ON paycli.charge, paycli.job, paycli.onye_update, paycli.slice, paycli.approval',
  'UPDATE (state, recorded_at, took, exit_code, activity, status, next_action, activity_created_at, told, evidence, amount, currency, ref, customer, money, customer_email, payment, received, refunded, paid_at, paid_twice, psp_reference, account_digest, checksum) ON paycli.charge',
  'UPDATE (run_at, name, profile, adjustments) ON paycli.job',
  'UPDATE (onye, state, deadline, exit_code, message, pid, boot, started) ON paycli.onye_update',
  'UPDATE (owner, epoch, until) ON paycli.slice',
  'UPDATE (rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at) ON paycli.approval',
];

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Grants a role the rights of an operator. Can be repeated. */
export const grantsTo = (role: string): string =>
  RIGHTS.map((right) => `GRANT ${right} TO ${quotedName(role)};`).join('\n');

/** Serializes concurrent migrations. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('paycli ledger schema'::text, 0::bigint));";

/** Statements that migrate from a version to the current one. `name` and `key` are used for a new ledger only. */
export const migrationFrom = (
  version: number,
  { name, key }: { readonly name: string; readonly key: string },
): string => {
  const settings = `INSERT INTO paycli.setting VALUES ('name', ${literal(name)}), ('key', ${literal(key)}), ('version', '0');`;
  const steps = SHARED_MIGRATIONS.slice(version).join('\n');
  return `${LOCK}\n${steps}\n${version === 0 ? settings : ''}
    UPDATE paycli.setting SET value = '${SHARED_MIGRATIONS.length}' WHERE name = 'version';`;
};
