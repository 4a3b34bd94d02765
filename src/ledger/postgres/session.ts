import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import Client from 'pg/lib/client.js';
import { PayError, reasonOf } from '../../core/error.ts';
import { Lost, stateOf } from './errors.ts';
import { LIMITS, type Limits } from './limits.ts';
import type { Address } from './url.ts';

/** What one statement has come to. */
export interface Answer {
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
  ): Promise<{ readonly answers: readonly Answer[]; readonly warnings: readonly string[] }>;
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

const optionsOf = ({ host, port, user, database, tls }: Address, password: () => string, { connect }: Limits) => ({
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
        const asked = client.query({ text: PINNED + text, rowMode: 'array' }) as unknown as Promise<Answer | Answer[]>;
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
