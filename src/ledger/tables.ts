import { COUNTING, IS_OTHER_SUM, PRUNABLE, type TablePrefix } from './sql.ts';

/** Differences between the SQL of the two databases. */
interface Dialect {
  readonly prefix: TablePrefix;
  readonly integer: string;
  /** Type and key of a place in the order of creation. */
  readonly place: string;
  /** Ends of a table, and of one that is found by its key alone. */
  readonly end: string;
  readonly keyed: string;
  /** Separates the columns of an index from those that it only holds. */
  readonly including: string;
}

/**
 * A charge is an entry of any kind; `ugwo` holds its subject. `next_action`, `told`, `evidence` and `money` are JSON.
 * Instants are milliseconds since the epoch, and amounts are in the minor unit.
 */
const chargeTable = ({ prefix, integer, place, end }: Dialect): string => `
  CREATE TABLE ${prefix}charge (
    seq ${place},
    id text NOT NULL UNIQUE,
    kind text NOT NULL,
    service text NOT NULL, origin text NOT NULL, workspace text, profile text,
    ugwo text NOT NULL,
    medium text NOT NULL, provider text, phone text, phone_digest text, expires_at ${integer},
    path text, body text, digest text NOT NULL,
    job text, row ${integer},
    deadline ${integer} NOT NULL, created_at ${integer} NOT NULL, begun_uptime ${integer} NOT NULL,
    pid ${integer} NOT NULL, boot text NOT NULL, started text NOT NULL, operator text,
    state text NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created')),
    recorded_at ${integer}, took ${integer}, exit_code ${integer},
    activity text, status text, next_action text, activity_created_at text, told text, evidence text NOT NULL,
    amount ${integer}, currency text, ref text, customer text, customer_email text,
    money text, payment text, received ${integer}, refunded ${integer}, paid_at ${integer}, paid_twice ${integer},
    psp_reference text, account_digest text,
    pruned ${integer}, disputed ${integer}, checksum ${integer} NOT NULL,
    CHECK ((state = 'sending') = (recorded_at IS NULL))
  )${end};
`;

/**
 * `charge_prunable` holds nothing that is pruned or still open, so that a charge costs it no write before its end.
 * `charge_of_job` and `charge_of_profile` hold all columns that counting a job's rows and summing a profile's day need.
 */
const chargeIndexes = ({ prefix, including }: Dialect): string => `
  CREATE INDEX charge_of_ugwo ON ${prefix}charge (ugwo, seq);
  CREATE INDEX charge_state ON ${prefix}charge (state, seq);
  CREATE INDEX charge_time ON ${prefix}charge (created_at);
  CREATE INDEX charge_of_job ON ${prefix}charge (job, row, seq ${including} state, payment, kind, exit_code) WHERE job IS NOT NULL;
  CREATE INDEX charge_of_profile ON ${prefix}charge (profile, created_at ${including} currency, amount) WHERE ${COUNTING};
  CREATE INDEX charge_kind ON ${prefix}charge (kind, seq) WHERE kind <> 'charge';
  CREATE INDEX charge_payment ON ${prefix}charge (payment, seq) WHERE payment IS NOT NULL;
  CREATE INDEX charge_paid_twice ON ${prefix}charge (seq) WHERE paid_twice IS NOT NULL;
  CREATE INDEX charge_disputed ON ${prefix}charge (seq) WHERE disputed IS NOT NULL;
  CREATE INDEX charge_paid_at ON ${prefix}charge (paid_at) WHERE paid_at IS NOT NULL;
  CREATE INDEX charge_prunable ON ${prefix}charge (created_at) WHERE ${PRUNABLE};
  CREATE INDEX charge_activity ON ${prefix}charge (activity) WHERE activity IS NOT NULL;
  CREATE INDEX charge_ref ON ${prefix}charge (ref, seq) WHERE ref IS NOT NULL;
  CREATE INDEX charge_customer ON ${prefix}charge (customer, seq) WHERE customer IS NOT NULL;
  CREATE INDEX charge_email ON ${prefix}charge (customer_email, seq) WHERE customer_email IS NOT NULL;
  CREATE INDEX charge_account ON ${prefix}charge (account_digest, seq) WHERE account_digest IS NOT NULL;
  CREATE INDEX charge_psp_reference ON ${prefix}charge (psp_reference, seq) WHERE psp_reference IS NOT NULL;
  CREATE INDEX charge_operator ON ${prefix}charge (operator, seq) WHERE operator IS NOT NULL;
  CREATE INDEX charge_phone ON ${prefix}charge (phone, seq) WHERE phone IS NOT NULL;
  CREATE INDEX charge_amount ON ${prefix}charge (amount, seq) WHERE amount IS NOT NULL;
  CREATE INDEX charge_other_sum ON ${prefix}charge (received, seq) WHERE ${IS_OTHER_SUM};
`;

/**
 * A row of a job is identified by its charges, the last of which counts, or by its update. `adjustments` is JSON: counts of
 * the last run that its entries don't show, NULL while a run is under way.
 */
const jobTables = ({ prefix, integer, place, end, keyed }: Dialect): string => `
  CREATE TABLE ${prefix}job (
    seq ${place},
    id text NOT NULL UNIQUE,
    kind text NOT NULL,
    command text NOT NULL,
    name text NOT NULL,
    service text NOT NULL,
    origin text NOT NULL,
    profile text,
    rows ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    run_at ${integer} NOT NULL,
    adjustments text
  )${end};

  CREATE TABLE ${prefix}onye_update (
    job text NOT NULL,
    row ${integer} NOT NULL,
    onye text NOT NULL,
    state text NOT NULL CHECK (state IN ('sending', 'accepted', 'rejected', 'not_sent', 'unknown')),
    deadline ${integer} NOT NULL,
    exit_code ${integer},
    message text,
    pid ${integer} NOT NULL,
    boot text NOT NULL,
    started text NOT NULL,
    PRIMARY KEY (job, row)
  )${keyed};
`;

/** A policy is JSON; NULL once removed. */
const policyTables = ({ prefix, integer, keyed }: Dialect): string => `
  CREATE TABLE ${prefix}policy (
    profile text PRIMARY KEY,
    policy text,
    set_by text NOT NULL,
    set_at ${integer} NOT NULL
  )${keyed};

  CREATE TABLE ${prefix}approval (
    job text PRIMARY KEY,
    rows ${integer} NOT NULL,
    amounts text NOT NULL,
    unknown ${integer} NOT NULL,
    asked_by text NOT NULL,
    asked_at ${integer} NOT NULL,
    approved_by text,
    approved_at ${integer}
  )${keyed};
`;

/** Tables and indexes that both databases have. */
export const tablesIn = (dialect: Dialect): string => `
  CREATE TABLE ${dialect.prefix}setting (name text PRIMARY KEY, value text NOT NULL)${dialect.keyed};
  ${[chargeTable, chargeIndexes, jobTables, policyTables].map((made) => made(dialect)).join('')}`;
