import { PayError } from '../../core/error.ts';
import { checkVersion, VERSION_NOW } from './schema.ts';
import {
  type Access,
  DATABASE_LIMITS,
  isNoLedger,
  Lost,
  openSession,
  type Session,
  type StatementResult,
  sharedError,
} from './session.ts';
import { idsOf, knownStatement } from './statements.ts';
import { SERVER } from './transaction.ts';

const OTHER_SERVERS = /-YB-|Cockroach|Redshift|Greenplum|Crate|Materialize|Risingwave|Spanner/i;

export const isPostgres = (version: string): boolean => /^PostgreSQL \d/.test(version) && !OTHER_SERVERS.test(version);

const PROBE = 4_711_000_815;

/** True if one connection's lock keeps out another connection. */
const locksAreReal = async (one: Session, other: Session, limit: number): Promise<boolean> => {
  await one.run(`BEGIN; SELECT pg_advisory_xact_lock(${PROBE})`, limit);
  const { answers } = await other.run(`BEGIN; SELECT pg_try_advisory_xact_lock(${PROBE}); COMMIT`, limit);
  await one.run('ROLLBACK', limit);
  return answers[1]?.rows[0]?.[0] === false;
};

/**
 * Refuses a database that speaks PostgreSQL's protocol but is another product, unless its locks keep two connections
 * apart.
 */
const checkLocks = async (
  session: Session,
  version: string,
  name: string,
  limit: number,
  another: () => Promise<Session>,
): Promise<void> => {
  if (isPostgres(version)) return;
  const other = await another();
  try {
    if (await locksAreReal(session, other, limit)) return;
  } finally {
    await other.close();
  }
  const message = `${name} is not PostgreSQL (${version.slice(0, 60)}), so its locks may not prevent double charges`;
  throw new PayError('ledger', message, { hint: 'use PostgreSQL 14 or newer' });
};

const settingsIn = ({ rows }: StatementResult): ReadonlyMap<string, string> =>
  new Map(rows.map(([setting, value]) => [String(setting), String(value)]));

/**
 * Converts any failure of a database to a `ledger` error. Where there seems to be no ledger, it reads the version: a
 * newer paycli may have changed the tables.
 */
export const ledgerErrorOf = async (thrown: unknown, access: Access, limits = DATABASE_LIMITS): Promise<PayError> => {
  const { name } = access.address;
  const error = sharedError(thrown, name);
  if (!isNoLedger(error)) return error;
  try {
    const session = await openSession(access, limits);
    const { answers } = await session.run(VERSION_NOW, limits.read).finally(session.close);
    checkVersion(name, Number(answers[0]?.rows[0]?.[0]));
  } catch (fault) {
    if (fault instanceof PayError) return fault;
  }
  return error;
};

/** First messages on a connection. Throws if the server is no ledger that this program can rely on: no PostgreSQL, or a standby. */
export const handshake = async (
  session: Session,
  name: string,
  clockSql: string,
  mine: readonly string[],
  limit: number,
  another: () => Promise<Session>,
) => {
  const { answers } = await session.run(
    `SELECT version(), pg_is_in_recovery(), ${clockSql}, session_user, ${SERVER};
    SELECT name, value FROM paycli.setting;
    ${knownStatement(mine)}`,
    limit,
  );
  const [version, standby, at, account, server] = answers[0]?.rows[0] ?? [];
  if (standby === true) throw new Lost('it is a standby, which takes no writes');
  await checkLocks(session, String(version), name, limit, another);
  const settings = settingsIn(answers[1] as StatementResult);
  return {
    /** Unique name of the ledger, and the key of its digests. */
    ledger: settings.get('name') ?? '',
    key: settings.get('key') ?? '',
    version: Number(settings.get('version')),
    /** Identity of the server (see `SERVER`), its clock in milliseconds, and the role that has logged in. */
    server: String(server),
    at: Number(at),
    account: String(account),
    /** Known ids among those that were asked about. */
    knows: idsOf(answers[2] as StatementResult),
  };
};
export type Handshake = Awaited<ReturnType<typeof handshake>>;
