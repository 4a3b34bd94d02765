import { NEXT_STEP } from '../../charge/words.ts';
import { PayError } from '../../core/error.ts';
import { currentVersion, migrationsFrom, type Versions, versionFault } from '../../database/connect.ts';
import { UPDATED_COLUMNS } from '../rows.ts';
import { tablesIn } from '../tables.ts';
import { literal } from './statements.ts';

/**
 * A schema of their own. `seq` approximates the order of creation: the first to commit need not have the lower number.
 * `put_back` marks an intent that the database had lost and that its machine has restored.
 */
const SHARED_TABLES = `
  CREATE SCHEMA paycli;
  ${tablesIn({
    prefix: 'paycli.',
    integer: 'bigint',
    place: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    end: '',
    keyed: '',
    including: ') INCLUDE (',
  })}
  ALTER TABLE paycli.charge ADD COLUMN put_back boolean NOT NULL DEFAULT false;
  CREATE UNIQUE INDEX charge_open ON paycli.charge (service, ugwo) WHERE state IN ('sending', 'unknown') AND NOT put_back;
  CREATE INDEX charge_put_back ON paycli.charge (seq) WHERE put_back AND state = 'unknown';

  CREATE TABLE paycli.slice (
    job text NOT NULL,
    slice bigint NOT NULL,
    owner text NOT NULL,
    epoch bigint NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (job, slice)
  );
`;

export const SHARED_LEDGER: Versions = { first: 8, migrations: [SHARED_TABLES] };

const VERSION_HINTS = {
  newer: NEXT_STEP.useNewer,
  older: NEXT_STEP.migrateAsOwner,
  unreleased: NEXT_STEP.settleShared,
};

/** Throws unless a ledger has the version of this program. */
export const checkVersion = (name: string, version: number): void => {
  const fault = versionFault(version, SHARED_LEDGER);
  if (fault === undefined) return;
  throw new PayError('ledger', `the ledger ${name} ${fault.what}`, { hint: VERSION_HINTS[fault.kind] });
};

/** Rights of an operator: no changes to tables, no deletes, and no updates of the columns that never change. */
const RIGHTS = [
  'USAGE ON SCHEMA paycli',
  'SELECT ON ALL TABLES IN SCHEMA paycli',
  'INSERT ON paycli.charge, paycli.job, paycli.onye_update, paycli.slice, paycli.approval',
  `UPDATE (${UPDATED_COLUMNS.join()}, checksum) ON paycli.charge`,
  'UPDATE (run_at, name, profile, adjustments) ON paycli.job',
  'UPDATE (onye, state, deadline, exit_code, message, pid, boot, started) ON paycli.onye_update',
  'UPDATE (owner, epoch, until) ON paycli.slice',
  'UPDATE (rows, amounts, unknown, asked_by, asked_at, approved_by, approved_at) ON paycli.approval',
];

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Grants a role the rights of an operator. Can be repeated. */
export const grantsTo = (role: string): string =>
  RIGHTS.map((right) => `GRANT ${right} TO ${quotedName(role)};`).join('\n');

const LOCK_KEY = "hashtextextended('paycli ledger schema'::text, 0::bigint)";

/** Waits for other migrations and for the intents under way. Meanwhile, nobody can begin an intent (see `INTENT_LOOKS`). */
export const MIGRATION_LOCK = `SELECT pg_advisory_xact_lock(${LOCK_KEY});`;

export const VERSION_NOW = "SELECT value FROM paycli.setting WHERE name = 'version'";

/**
 * Reads in the transaction of each intent. A migration can't commit between the version and the intent, since both
 * share a lock; it is false if a migration has it. Only a statement after the lock reads the version that it protects.
 */
export const INTENT_LOOKS = [`SELECT pg_try_advisory_xact_lock_shared(${LOCK_KEY})`, VERSION_NOW] as const;

/** Statements that make the tables of a new ledger. */
export const newLedger = ({ name, key }: { readonly name: string; readonly key: string }): string => `${MIGRATION_LOCK}
  ${migrationsFrom(0, SHARED_LEDGER)}
  INSERT INTO paycli.setting VALUES ('name', ${literal(name)}), ('key', ${literal(key)}), ('version', '${currentVersion(SHARED_LEDGER)}');`;

/** Statements that bring the tables of a version to the current one. */
export const migrationOf = (version: number): string => `${migrationsFrom(version, SHARED_LEDGER)}
  UPDATE paycli.setting SET value = '${currentVersion(SHARED_LEDGER)}' WHERE name = 'version';`;
