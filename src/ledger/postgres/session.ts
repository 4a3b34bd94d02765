import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import Client from 'pg/lib/client.js';
import { PayError, reasonOf } from '../../core/error.ts';
import type { Address } from './url.ts';

/** The connection is of no use any more, or never was: what was sent last may have been done or not. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/** What the server calls a fault: five characters (SQLSTATE), one a digit at least, as in no EPIPE; undefined where it did not say. */
export const stateOf = (thrown: unknown): string | undefined => {
  if (thrown instanceof Lost || !(thrown instanceof Error)) return undefined;
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/**
 * The server goes down, is full, in recovery, or did not do it this time: a deadlock, a lock that was not had, a process that
 * stood still in a transaction.
 */
const PASSING = ['08', '40', '53', '55P03', '57', '25006', '25P03'];

/** Whether another try may go better. */
export const isPassing = (thrown: unknown): boolean => {
  const state = stateOf(thrown);
  return thrown instanceof Lost || (state !== undefined && PASSING.some((one) => state.startsWith(one)));
};

/** The same of an error that says so of another one. */
export const isFromPassing = (thrown: unknown): boolean =>
  isPassing(thrown) || (thrown instanceof PayError && thrown.cause !== undefined && isFromPassing(thrown.cause));

/** What it has refused for certain: the rest of its classes may come when it was done already. */
const CERTAIN = ['22', '23', '25', '28', '2F', '40', '42', '55', '0A', '3F', '3D'];

/** Whether nothing was written, for certain. */
export const isUndone = (thrown: unknown): boolean => {
  const state = stateOf(thrown);
  return state !== undefined && CERTAIN.some((one) => state.startsWith(one));
};

const NO_LEDGER = ['3F000', '42P01', '42703'];

/** A certificate that could not be verified. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/;

const isUntrusted = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (UNTRUSTED.test(String((thrown as { readonly code?: unknown }).code)) || isUntrusted(thrown.cause));

const hintOf = (thrown: unknown, state: string | undefined): string => {
  if (isUntrusted(thrown)) {
    return 'check the host in the address; a certificate authority of your own goes into sslrootcert=FILE, or NODE_EXTRA_CA_CERTS';
  }
  if (state?.startsWith('28') === true) {
    return 'check the user and its password: PGPASSFILE, or PAYCLI_LEDGER_PASSWORD_COMMAND';
  }
  if (state === '42501')
    return 'ask whoever set the ledger up for the rights of an operator (`paycli ledger init --operator`)';
  if (state === '42704') return 'make the role first: CREATE ROLE … LOGIN';
  if (state === '3D000') return 'check the name of the database';
  if (state !== undefined && NO_LEDGER.includes(state))
    return 'run `paycli ledger init` once, as the owner of the database';
  return 'check that the database runs and can be reached (`paycli ledger status`), then run the same command again';
};

/** A failure of any kind as a `ledger` error: exit 10, nothing was sent. */
export const sharedError = (thrown: unknown, name: string): PayError => {
  if (thrown instanceof PayError) return thrown;
  const state = stateOf(thrown);
  const missing = state !== undefined && NO_LEDGER.includes(state);
  const what = missing ? 'there is no ledger in this database' : `cannot be used: ${reasonOf(thrown)}`;
  return new PayError('ledger', missing ? `${name}: ${what}` : `the ledger ${name} ${what}`, {
    hint: hintOf(thrown, state),
    cause: thrown,
    ...(state === undefined ? {} : { code: state }),
  });
};

/** How long is waited for what, in milliseconds. */
export interface DatabaseLimits {
  /** A connection, and the first words on it, each. */
  readonly connect: number;
  /** The end of a connection. */
  readonly close: number;
  /** The answer to a message that changes something. */
  readonly answer: number;
  /** The answer to one that only reads. */
  readonly read: number;
  /** The same where nobody has asked for it. */
  readonly glance: number;
  /** A lock that somebody keeps for longer is asked for again. */
  readonly lock: number;
  /** Who does nothing in a transaction for so long loses it. */
  readonly idle: number;
  /** For so long is tried what is to be sent, or kept. */
  readonly patience: number;
  /** The same for what was done, which is worth a longer wait. */
  readonly outcome: number;
}

export const LIMITS: DatabaseLimits = {
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

/** What one statement has come to. */
export interface StatementResult {
  /** As the server calls it: `SELECT`, `COMMIT`, and `ROLLBACK` for a COMMIT that was none. */
  readonly command: string;
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

/** One connection. */
export interface Session {
  /** Sends statements in one message, and waits for what each comes to; `warnings` is what the server said beside it. */
  run(
    text: string,
    limit: number,
  ): Promise<{ readonly answers: readonly StatementResult[]; readonly warnings: readonly string[] }>;
  /** Whether it can still be used. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export interface Access {
  readonly address: Address;
  /** Asked at each connection; undefined where none is known. */
  readonly password: () => Promise<string | undefined>;
}

const [BOOL, INT8, INT4] = [16, 20, 23];

/** Texts stay what they are; whole numbers here are all small enough. */
const types = {
  getTypeParser: (oid: number) => {
    if (oid === INT8 || oid === INT4) return Number;
    return oid === BOOL ? (text: string) => text === 't' : (text: string) => text;
  },
};

/** What gives the password when the server asks for it. A command that prints it may take longer than a connection, so it is run before. */
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
  ...{ host, port, user, database, types, password },
  ssl: tls === undefined ? false : { ...tls, rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
  enableChannelBinding: true,
  application_name: 'paycli',
  connectionTimeoutMillis: connect,
  keepAlive: true,
});

/**
 * Stands before the statements of each message: no name in them is looked up where others may have put an operator or a function of
 * their own. For one transaction only: what a pool keeps of a session reaches whoever has its connection next.
 */
const PINNED = 'SET LOCAL search_path = pg_catalog, pg_temp;\n';

/** What the driver's types leave out. */
interface Wire extends EventEmitter {
  readonly stream: Duplex;
  /** Hands what comes to the parser; once, when it is known whether TLS is between. */
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

const wireOf = (client: Client): Wire => (client as unknown as { readonly connection: Wire }).connection;

const IN_CLEAR = { authenticationCleartextPassword: 'in clear text', authenticationMD5Password: 'as MD5' } as const;

/** Without TLS nobody has shown who asks: SCRAM alone proves a password and does not tell it. The driver sends nothing over what was destroyed. */
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

/** So many bytes may come before a server has let us in, and in one answer. */
const [LOGIN_BYTES, ANSWER_BYTES] = [64 * 1024, 64 * 1024 * 1024];
/** So many more each message counts for: it takes memory even when it is empty. */
const MESSAGE_BYTES = 256;

/** Ends a connection over which more comes than was allowed last, or what the driver can't read. */
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

/** What `work` gives, unless it takes longer than `ms`. */
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

/** What the server refuses has its state, and of a password it is known what is wrong; anything else is a connection that can't be trusted any more. */
const asFault = (thrown: unknown): unknown =>
  stateOf(thrown) === undefined && !(thrown instanceof Lost) && !(thrown instanceof PayError)
    ? new Lost(reasonOf(thrown), { cause: thrown })
    : thrown;

/** Opens a connection. Throws `Lost` where there is none, and the server's word where it refuses. */
export const openSession = async (access: Access, limits = LIMITS): Promise<Session> => {
  const client = new Client(optionsOf(access.address, await passwordOf(access), limits));
  const wire = wireOf(client);
  refuseInClear(wire, access.address);
  const allow = boundedBy(wire, access.address.name);
  let open = true;
  let warnings: string[] = [];
  const drop = (): void => {
    open = false;
    wire.stream.destroy();
  };
  // Without a listener an idle connection that breaks ends the process.
  client.on('error', drop).on('end', () => {
    open = false;
  });
  // Its severity comes in the server's language; a code that begins with 00 is no warning.
  client.on('notice', ({ code, message }) => {
    if (code?.startsWith('00') !== true) warnings.push(message ?? '');
  });
  try {
    await within(client.connect(), limits.connect, `no answer within ${limits.connect / 1000} s`);
  } catch (thrown) {
    drop();
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
        // What has failed may have left a transaction open, or an answer on its way.
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
