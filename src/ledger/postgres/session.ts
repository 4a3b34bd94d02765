import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import Client from 'pg/lib/client.js';
import { NEXT_STEP } from '../../charge/words.ts';
import { memo } from '../../core/async.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import type { Env } from '../../core/io.ts';
import { everyAuthority, refuseRelativeTrust } from '../../core/unsafe-settings.ts';
import type { Address } from './url.ts';

/** The connection is unusable. The last message may or may not have taken effect. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/**
 * SQLSTATE of a server error: five characters with at least one digit, unlike EPIPE. Undefined if the server sent none.
 */
const sqlState = (thrown: unknown): string | undefined => {
  if (thrown instanceof Lost || !(thrown instanceof Error)) return undefined;
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/**
 * SQLSTATE prefixes of temporary failures: shutdown, full, recovery, deadlock, lock timeout, idle transaction timeout.
 */
const PASSING = ['08', '40', '53', '55P03', '57', '25006', '25P03'];

/** True if a retry may succeed. */
export const isPassing = (thrown: unknown): boolean => {
  const state = sqlState(thrown);
  return thrown instanceof Lost || (state !== undefined && PASSING.some((one) => state.startsWith(one)));
};

/** True if the error or one of its causes is temporary. */
export const isFromPassing = (thrown: unknown): boolean =>
  isPassing(thrown) || (thrown instanceof PayError && thrown.cause !== undefined && isFromPassing(thrown.cause));

/** SQLSTATE classes that certainly left nothing written. Others may arrive after the commit took effect. */
const CERTAIN = ['22', '23', '25', '28', '2F', '40', '42', '55', '0A', '3F', '3D'];

/** True if certainly nothing was written. */
export const isUndone = (thrown: unknown): boolean => {
  const state = sqlState(thrown);
  return state !== undefined && CERTAIN.some((one) => state.startsWith(one));
};

const NO_LEDGER = ['3F000', '42P01', '42703'];

/** True if an error says that there is no ledger, or one with other tables. */
export const isNoLedger = ({ detail: { code = '' } }: PayError): boolean => NO_LEDGER.includes(code);

/** Error codes for a certificate that could not be verified. */
const UNTRUSTED_CODES = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/;

const isTlsFault = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (UNTRUSTED_CODES.test(String((thrown as { readonly code?: unknown }).code)) || isTlsFault(thrown.cause));

const hintOf = (thrown: unknown, state: string | undefined): string => {
  if (isTlsFault(thrown)) {
    return 'check the host in the address; a certificate authority of your own goes into sslrootcert=FILE, SSL_CERT_FILE or NODE_EXTRA_CA_CERTS';
  }
  if (state?.startsWith('28') === true) {
    return 'check the user and its password: PGPASSFILE, or PAYCLI_LEDGER_PASSWORD_COMMAND';
  }
  if (state === '42501') return NEXT_STEP.grant;
  if (state === '42704') return 'create the role first: CREATE ROLE … LOGIN';
  if (state === '3D000') return 'check the name of the database';
  if (state !== undefined && NO_LEDGER.includes(state)) return NEXT_STEP.initAsOwner;
  return NEXT_STEP.reach;
};

/** Converts any failure to a `ledger` error: exit 10, nothing was sent. */
export const sharedError = (thrown: unknown, name: string): PayError => {
  if (thrown instanceof PayError) return thrown;
  const state = sqlState(thrown);
  const missing = state !== undefined && NO_LEDGER.includes(state);
  const what = missing ? 'there is no ledger in this database' : `cannot be used: ${reasonOf(thrown)}`;
  return new PayError('ledger', missing ? `${name}: ${what}` : `the ledger ${name} ${what}`, {
    hint: hintOf(thrown, state),
    cause: thrown,
    ...(state === undefined ? {} : { code: state }),
  });
};

/** Time limits, in milliseconds. */
export interface DatabaseLimits {
  /** For the connection, and for the first messages on it, each. */
  readonly connect: number;
  /** For closing a connection. */
  readonly close: number;
  /** For the answer to a message that writes. */
  readonly answer: number;
  /** For the answer to a message that only reads. */
  readonly read: number;
  /** For a read that is not worth waiting for. */
  readonly glance: number;
  /** For a lock that another process holds. The attempt is repeated afterwards. */
  readonly lock: number;
  /** For an idle transaction, which the server then ends. */
  readonly idle: number;
  /** Total time of retries, except for outcomes and for `glance` (none). */
  readonly patience: number;
  /** Total time of retries for an outcome, which is worth a longer wait. */
  readonly outcome: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  connect: 10_000,
  close: 1000,
  answer: 15_000,
  read: 20_000,
  glance: 2000,
  lock: 4000,
  idle: 10_000,
  patience: 20_000,
  outcome: 60_000,
};

export interface StatementResult {
  /** Command tag of the server: `SELECT`, `COMMIT`, and `ROLLBACK` for a COMMIT that failed. */
  readonly command: string;
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

export interface Session {
  /** Sends statements in one message, and waits for their results. `warnings` are the server's notices. */
  run(
    text: string,
    limit: number,
  ): Promise<{ readonly answers: readonly StatementResult[]; readonly warnings: readonly string[] }>;
  /** True while it can be used. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export interface Access {
  readonly address: Address;
  /** Called for each connection; undefined if no password is known. */
  readonly password: () => Promise<string | undefined>;
  /** Environment of the run, whose SSL_CERT_FILE names more authorities. */
  readonly env?: Env;
}

const [BOOL, INT8, INT4] = [16, 20, 23];

/** Texts stay texts. All integers here fit a JavaScript number. */
const types = {
  getTypeParser: (oid: number) => {
    if (oid === INT8 || oid === INT4) return Number;
    return oid === BOOL ? (text: string) => text === 't' : (text: string) => text;
  },
};

/**
 * Returns a function that the driver calls when the server asks for the password. The password command runs before,
 * since it may take longer than connecting.
 */
const passwordOf = async ({ address, password }: Access): Promise<() => string> => {
  const unknown = new PayError('auth', `the ledger ${address.name} asks for a password, and none is known`, {
    hint: 'put it into a password file (PGPASSFILE), or give a command that prints it (PAYCLI_LEDGER_PASSWORD_COMMAND)',
  });
  const known = await password().catch((thrown: unknown) => ({ thrown }));
  return () => {
    if (typeof known === 'string') return known;
    throw known === undefined ? unknown : known.thrown;
  };
};

const optionsOf = (
  { host, port, user, database, tls }: Address,
  password: () => string,
  { connect }: DatabaseLimits,
) => ({
  host,
  port,
  user,
  database,
  types,
  password,
  ssl: tls === undefined ? false : { ...tls, rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
  enableChannelBinding: true,
  application_name: 'paycli',
  connectionTimeoutMillis: connect,
  keepAlive: true,
});

/**
 * Precedes the statements of each message, so that no name resolves to an operator or function that other users
 * planted. It applies to one transaction only: a pool would pass a session setting on to the next user of the
 * connection.
 */
const PINNED = 'SET LOCAL search_path = pg_catalog, pg_temp;\n';

/** Part of the driver that its types omit. */
interface Wire extends EventEmitter {
  readonly stream: Duplex;
  /** Connects incoming data to the parser. Called once, when it is known whether TLS is used. */
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

const wireOf = (client: Client): Wire => (client as unknown as { readonly connection: Wire }).connection;

const IN_CLEAR = { authenticationCleartextPassword: 'in clear text', authenticationMD5Password: 'as MD5' } as const;

/**
 * Refuses a password request other than SCRAM without TLS: the server is not authenticated, and only SCRAM proves a
 * password without revealing it. The driver sends nothing over a destroyed stream.
 */
const refuseInClear = (wire: Wire, { name, tls }: Address): void => {
  if (tls !== undefined) return;
  for (const [event, how] of Object.entries(IN_CLEAR)) {
    const refused = new PayError(
      'auth',
      `the ledger ${name} asks for the password ${how} over a connection without TLS`,
      {
        hint: 'let it ask by SCRAM (scram-sha-256 in pg_hba.conf, or as auth_type of PgBouncer), or use TLS (sslmode=verify-full)',
      },
    );
    wire.on(event, () => wire.stream.destroy(refused));
  }
};

/** Limits in bytes, for the login and for one answer. */
const [LOGIN_BYTES, ANSWER_BYTES] = [64 * 1024, 64 * 1024 * 1024];
/** Additional bytes counted per message, since even an empty one takes memory. */
const MESSAGE_BYTES = 256;

/** Ends a connection that exceeds the current limit, or that sends something the driver can't parse. */
const boundedBy = (wire: Wire, name: string) => {
  let [left, limit] = [LOGIN_BYTES, LOGIN_BYTES];
  const take = (bytes: number): void => {
    left -= bytes;
    if (left >= 0) return;
    throw new PayError('ledger', `the ledger ${name} sent more than ${limit / 1024} KiB in one answer`, {
      hint: 'check that the address leads to its server',
    });
  };
  const attach = wire.attachListeners.bind(wire);
  wire.attachListeners = (stream: Duplex) => {
    const guarded = (parse: (chunk: Buffer) => void) => (chunk: Buffer) => {
      try {
        take(chunk.length);
        parse(chunk);
      } catch (thrown) {
        stream.destroy(thrown as Error);
      }
    };
    const on = (event: string, listen: (...some: unknown[]) => void) =>
      stream.on(event, event === 'data' ? guarded(listen) : listen);
    attach({ on } as Duplex);
  };
  wire.on('message', () => take(MESSAGE_BYTES));
  return (bytes: number): void => {
    [left, limit] = [bytes, bytes];
  };
};

/** Rejects with `Lost` if `work` takes longer than `ms`. */
const within = async <T>(work: Promise<T>, ms: number, what: string): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Lost(what)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Passes on server errors, `Lost` and PayErrors. Any other failure becomes `Lost`, since the connection can't be
 * trusted any more.
 */
const asFault = (thrown: unknown): unknown =>
  sqlState(thrown) === undefined && !(thrown instanceof Lost) && !(thrown instanceof PayError)
    ? new Lost(reasonOf(thrown), { cause: thrown })
    : thrown;

/** Opens a connection. Throws `Lost` if it fails, and the server's error if the server refuses it. */
export const openSession = async (
  { address, env = {}, ...access }: Access,
  limits = DATABASE_LIMITS,
): Promise<Session> => {
  if (address.tls !== undefined) refuseRelativeTrust(env);
  const password = memo(access.password);
  const client = new Client(optionsOf(address, await passwordOf({ address, password }), limits));
  const wire = wireOf(client);
  refuseInClear(wire, address);
  const allow = boundedBy(wire, address.name);
  let open = true;
  let warnings: string[] = [];
  const drop = (): void => {
    open = false;
    wire.stream.destroy();
  };
  // Without a listener, a broken idle connection would end the process.
  client.on('error', drop).on('end', () => {
    open = false;
  });
  // The severity text is in the server's language. A code that begins with 00 is no warning.
  client.on('notice', ({ code, message }) => {
    if (code?.startsWith('00') !== true) warnings.push(message ?? '');
  });
  try {
    await within(client.connect(), limits.connect, `no answer within ${limits.connect / 1000} s`);
  } catch (thrown) {
    drop();
    const { tls } = address;
    // Once more with the system's authorities, which Node doesn't trust by itself.
    if (tls !== undefined && tls.ca === undefined && isTlsFault(thrown)) {
      const ca = await everyAuthority(env);
      return openSession({ address: { ...address, tls: { ...tls, ca } }, password }, limits);
    }
    throw asFault(thrown);
  }
  return {
    run: async (text, limit) => {
      if (!open) throw new Lost('the connection was lost');
      warnings = [];
      allow(ANSWER_BYTES);
      try {
        const asked = client.query({ text: PINNED + text, rowMode: 'array' }) as unknown as Promise<
          StatementResult | StatementResult[]
        >;
        const answer = await within(asked, limit, `no answer within ${limit / 1000} s`);
        return { answers: [answer].flat().slice(1), warnings };
      } catch (thrown) {
        // A failure may leave a transaction open, or an answer in transit.
        drop();
        throw asFault(thrown);
      }
    },
    isOpen: () => open,
    close: async () => {
      if (open) await within(client.end(), limits.close, 'late').catch(drop);
      open = false;
    },
  };
};
