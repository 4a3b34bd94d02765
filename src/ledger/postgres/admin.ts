import { randomBytes } from 'node:crypto';
import { NEXT_STEP } from '../../charge/words.ts';
import { PayError, usageError } from '../../core/error.ts';
import { currentVersion, versionFault } from '../../database/connect.ts';
import type { Entry } from '../entry.ts';
import type { Job, KeptUpdate } from '../job.ts';
import { JOB_COLUMNS, jobValues, UPDATE_COLUMNS, updateValues } from '../job-sql.ts';
import { handshake, isPostgres, ledgerErrorOf } from './handshake.ts';
import {
  checkVersion,
  grantsTo,
  MIGRATION_LOCK,
  migrationOf,
  newLedger,
  SHARED_LEDGER,
  VERSION_NOW,
} from './schema.ts';
import { type Access, DATABASE_LIMITS, openSession, type Session, type StatementResult } from './session.ts';
import { unknownTo } from './shadow.ts';
import { insertMissing, rowKept, WRITTEN_COLUMNS } from './statements.ts';
import { CLOCK, commitAll } from './transaction.ts';

/** Time limit for administration, in milliseconds. Rewriting a table or waiting for a lock may take long. */
const ADMIN_LIMIT_MS = 10 * 60_000;

/** SQLSTATE codes for a missing schema or table. */
const ABSENT = ['3F000', '42P01'];

/** Runs some work on a connection of its own. */
const withSession = async <T>(access: Access, work: (session: Session) => Promise<T>): Promise<T> => {
  try {
    const session = await openSession(access);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  } catch (thrown) {
    throw await ledgerErrorOf(thrown, access);
  }
};

const selectRows = (access: Access, text: string): Promise<StatementResult['rows']> =>
  withSession(access, async (session) => (await session.run(text, ADMIN_LIMIT_MS)).answers[0]?.rows ?? []);

const askDatabase = async (access: Access, text: string): Promise<StatementResult['rows'][number]> =>
  (await selectRows(access, text))[0] ?? [];

const schemaOf = async (access: Access): Promise<{ readonly schema: number; readonly ledger: string } | undefined> => {
  try {
    const [version, name] = await askDatabase(
      access,
      "SELECT max(value) FILTER (WHERE name = 'version'), max(value) FILTER (WHERE name = 'name') FROM paycli.setting",
    );
    return { schema: Number(version), ledger: String(name) };
  } catch (thrown) {
    if (thrown instanceof PayError && ABSENT.includes(thrown.detail.code ?? '')) return undefined;
    throw thrown;
  }
};

/** Reads the state of a database that holds a ledger or will hold one. Throws a `ledger` error if it can't be queried. */
export const databaseStatus = async (access: Access) => {
  const answer = await askDatabase(
    access,
    `SELECT version(), pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_commit'), ${CLOCK}, current_user, has_database_privilege(current_database()::text, 'CREATE'::text)`,
  );
  const [version, standby, fsync, pages, commit, at, user, owner] = answer;
  const known = await schemaOf(access);
  const standbys = await askDatabase(
    access,
    "SELECT coalesce(string_agg(sync_state, ' '), '') FROM pg_stat_replication",
  );
  return {
    version: String(version),
    isPostgres: isPostgres(String(version)),
    standby: standby === true,
    /** Version of the tables; undefined if there is no ledger. */
    schema: known?.schema,
    settings: { fsync: String(fsync), full_page_writes: String(pages), synchronous_commit: String(commit) },
    /** Replication state of each: `async`, `sync`, `quorum` and so on. Empty if the role may not see them. */
    standbys: String(standbys[0] ?? '')
      .split(' ')
      .filter((state) => state !== ''),
    /** Server's clock, in milliseconds since the epoch. */
    at: Number(at),
    user: String(user),
    /** True if this user may change the tables. */
    owner: owner === true,
  };
};

/** Does some work that requires the owner's rights. */
const workAsOwner = <T>(access: Access, work: (session: Session) => Promise<T>): Promise<T> =>
  withSession(access, work).catch((thrown: unknown) => {
    if (!(thrown instanceof PayError) || thrown.detail.code !== '42501') throw thrown;
    throw thrown.with({ hint: 'run it as the owner of the database' });
  });

const asOwner = (access: Access, text: string): Promise<unknown> =>
  workAsOwner(access, (session) => session.run(`BEGIN; ${text} COMMIT`, ADMIN_LIMIT_MS));

const grant = async (access: Access, roles: readonly string[]): Promise<void> => {
  if (roles.length > 0) await asOwner(access, roles.map(grantsTo).join('\n'));
};

/** Operator roles: all roles but the owner that may insert charges. */
const operatorsOf = async (access: Access): Promise<readonly string[]> => {
  const rows = await selectRows(
    access,
    `SELECT DISTINCT grantee FROM information_schema.role_table_grants WHERE table_schema = 'paycli'
      AND table_name = 'charge' AND privilege_type = 'INSERT' AND grantee::text <> current_user::text`,
  );
  return rows.map(([role]) => String(role));
};

/** Refuses other encodings than UTF-8, which could not store every name. */
const checkEncoding = async (access: Access): Promise<void> => {
  const [encoding] = await askDatabase(access, "SELECT current_setting('server_encoding')");
  if (encoding === 'UTF8') return;
  throw usageError(`the database ${access.address.name} has the encoding ${String(encoding)}`, {
    hint: "make one for the ledger: CREATE DATABASE payments ENCODING 'UTF8' TEMPLATE template0",
  });
};

/** Creates the ledger's tables if there are none, and grants roles the rights of an operator. Can be repeated. */
export const initLedger = async (
  access: Access,
  roles: readonly string[],
): Promise<{ readonly made: boolean; readonly schema: number }> => {
  const before = await schemaOf(access);
  if (before === undefined) {
    await checkEncoding(access);
    await asOwner(access, newLedger({ name: randomBytes(8).toString('hex'), key: randomBytes(32).toString('hex') }));
  } else {
    checkVersion(access.address.name, before.schema);
  }
  await grant(access, roles);
  return { made: before === undefined, schema: currentVersion(SHARED_LEDGER) };
};

/** Number of entries that are being sent. Past its deadline, none is: its process has ended. */
const sendingIn = async (session: Session, clockSql: string): Promise<number> => {
  const sending = `SELECT count(*) FROM paycli.charge WHERE state = 'sending' AND deadline >= ${clockSql}`;
  return Number((await session.run(sending, ADMIN_LIMIT_MS)).answers[0]?.rows[0]?.[0]);
};

interface MigrationOptions {
  /** SQL expression for the server's clock. */
  readonly clockSql?: string;
  /** Waits a moment, while `sending` entries are being sent. When it rejects, nothing has changed. */
  readonly wait: (sending: number) => Promise<void>;
}

/**
 * Migrates the ledger to this program's version, all or nothing, once no entry is being sent. Throws if there is no
 * ledger, or none that it can migrate.
 */
export const migrateLedger = async (
  access: Access,
  { clockSql = CLOCK, wait }: MigrationOptions,
): Promise<{ readonly from: number; readonly to: number }> => {
  const { name } = access.address;
  const before = await schemaOf(access);
  if (before === undefined) {
    throw usageError(`${name}: there is no ledger in this database`, { hint: NEXT_STEP.init });
  }
  if (versionFault(before.schema, SHARED_LEDGER)?.kind === 'older') {
    await workAsOwner(access, async (session) => {
      const { answers } = await session.run(`BEGIN; ${MIGRATION_LOCK} ${VERSION_NOW}`, ADMIN_LIMIT_MS);
      const version = Number(answers.at(-1)?.rows[0]?.[0]);
      // Somebody else may have migrated it meanwhile.
      if (versionFault(version, SHARED_LEDGER)?.kind !== 'older') return;
      for (let sending = await sendingIn(session, clockSql); sending > 0; ) {
        await wait(sending);
        sending = await sendingIn(session, clockSql);
      }
      await session.run(`${migrationOf(version)} COMMIT`, ADMIN_LIMIT_MS);
    });
    // Only the owner has rights to new tables.
    await grant(access, await operatorsOf(access));
  } else {
    checkVersion(name, before.schema);
  }
  return { from: before.schema, to: currentVersion(SHARED_LEDGER) };
};

/** Connects to an existing ledger of this program's version. */
export const withLedger = async <T>(access: Access, work: (session: Session) => Promise<T>): Promise<T> => {
  const { name } = access.address;
  return withSession(access, async (session) => {
    const { version } = await handshake(session, name, CLOCK, [], DATABASE_LIMITS.connect, () => openSession(access));
    checkVersion(name, version);
    return work(session);
  });
};

const IMPORT_LIMIT_MS = 60_000;

/** Inserts missing rows in one transaction. Returns the number of inserted rows. */
const written = async (session: Session, ...missing: Parameters<typeof insertMissing>): Promise<number> => {
  const answers = await commitAll(session, [insertMissing(...missing)], IMPORT_LIMIT_MS);
  return answers.reduce((sum, { rows }) => sum + rows.length, 0);
};

/**
 * Inserts entries of another ledger under their own ids. Returns the number of new ones, and the ids that another open
 * entry kept out.
 */
export const importEntries = async (
  session: Session,
  entries: readonly Entry[],
): Promise<{ readonly added: number; readonly kept: readonly string[] }> => {
  const added = await written(session, 'paycli.charge', WRITTEN_COLUMNS, entries.map(rowKept));
  if (added === entries.length) return { added, kept: [] };
  const kept = await unknownTo(session, entries, IMPORT_LIMIT_MS);
  return { added, kept: kept.map(({ id }) => id) };
};

export const importJobs = (session: Session, jobs: readonly Job[]): Promise<number> =>
  written(session, 'paycli.job', JOB_COLUMNS, jobs.map(jobValues));

export const importUpdates = (session: Session, updates: readonly KeptUpdate[]): Promise<number> =>
  written(session, 'paycli.onye_update', UPDATE_COLUMNS, updates.map(updateValues));
