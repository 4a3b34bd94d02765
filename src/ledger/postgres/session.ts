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
  let open = true;
  let warnings: string[] = [];
  const drop = (): void => {
    open = false;
    (
      client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
    ).connection.stream.destroy();
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
