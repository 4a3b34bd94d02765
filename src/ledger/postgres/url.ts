import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { PayError, reasonOf, usageError } from '../../core/error.ts';
import { checkPath, OPEN_TO_OTHERS } from '../../core/files.ts';
import { definedIn } from '../../core/json.ts';
import { isLoopback } from '../../core/origin.ts';
import { shellQuote } from '../../core/shell.ts';
import { thisMachine } from '../sender.ts';

/** Address of a shared ledger. */
export interface Address {
  /** Host name, IP address, or folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** TLS files. Undefined for a plain connection, which is allowed only to this machine. */
  readonly tls: Tls | undefined;
  /** Name in messages: without the user, which may hold a password. */
  readonly name: string;
}

interface Tls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const PORT = 5432;
const FORM = 'use postgres://USER@HOST[:PORT]/DATABASE';
const PARAMETERS = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

const unsafe = (problem: string, hint: string): PayError =>
  new PayError('auth', `the ledger's address ${problem}`, { hint });

const absoluteFile = (path: string | null): string | undefined => {
  if (path === null) return undefined;
  if (!isAbsolute(path)) {
    throw unsafe('names a file by a relative path', 'give its absolute path');
  }
  checkPath(thisMachine.uid)(path);
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw unsafe(`names a file that can't be read: ${reasonOf(thrown)}`, 'fix sslrootcert, sslcert or sslkey');
  }
};

/** Forbidden mode bits of a private key, as in PostgreSQL's own programs: a group may read a key that root owns. */
const OTHERS_OF_ROOT = 0o037;

const checkKey = (path: string | null, uid = thisMachine.uid): void => {
  const stats = path === null || uid === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === null || stats === undefined) return;
  if ((stats.mode & (stats.uid === 0 ? OTHERS_OF_ROOT : OPEN_TO_OTHERS)) === 0) return;
  throw unsafe(`names a private key that is open to other users: ${path}`, `run: chmod 600 ${shellQuote(path)}`);
};

const tlsOf = (params: URLSearchParams): Tls => {
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => absoluteFile(params.get(name)));
  checkKey(params.get('sslkey'));
  return definedIn({ ca, cert, key });
};

/** Accepted modes. All of them verify the certificate fully. A weaker mode is refused, not silently strengthened. */
const STRICT = ['require', 'verify-ca', 'verify-full'];

const checkMode = (mode: string | null, near: boolean): void => {
  if (mode === null || STRICT.includes(mode) || (near && mode === 'disable')) return;
  throw unsafe(
    "has an sslmode that doesn't verify the server's certificate, which is always verified",
    'leave sslmode out; name your own certificate authority with sslrootcert=FILE',
  );
};

const checkParameters = (params: URLSearchParams): void => {
  if ([...params.keys()].every((name) => PARAMETERS.includes(name))) return;
  // Its name is not shown: it may be the rest of a password.
  throw usageError("the ledger's address has an unknown setting", { hint: `known: ${PARAMETERS.join(', ')}` });
};

/** `postgres://USER@/DATABASE?host=…`, as in libpq. A URL can't have a user without a host. */
const HOSTLESS = /^(postgres(?:ql)?:\/\/)([^/?#@:]+)@\/([^?#]*)\?/;

const parsed = (given: string): URL => {
  // A `+` means itself, as in libpq: `URLSearchParams` would read it as a blank.
  const text = given.replace(HOSTLESS, '$1/$3?user=$2&').replaceAll('+', '%2B');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // With an unescaped `@` or `/` in the database, the host may be the beginning of a password, too.
  const isWhole = url !== undefined && !/[@/]/.test(url.pathname.slice(1));
  if (isWhole && ['postgres:', 'postgresql:'].includes(url.protocol)) return url;
  // The message doesn't repeat the address, which may hold a password.
  throw usageError("the ledger's address is not a PostgreSQL address", { hint: FORM });
};

const decodedPart = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usageError("the ledger's address is not a PostgreSQL address", { hint: FORM });
  }
};

const isOnThisMachine = (host: string): boolean => {
  if (host.startsWith('/')) return true;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}`;
  if (/[/?#@\\]/.test(host) || !URL.canParse(origin))
    throw usageError("the ledger's address has no host in it", { hint: FORM });
  return isLoopback(origin);
};

const portOf = (text: string): number => {
  if (text === '') return PORT;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw usageError("the ledger's address has a port that is no number", { hint: FORM });
  return Number(text);
};

/**
 * Parses `PAYCLI_LEDGER`, or a profile's ledger. Throws if it holds a password, or asks for less than a verified
 * connection.
 */
export const parseAddress = (text: string): Address => {
  const url = parsed(text);
  const { searchParams: params } = url;
  const user = params.get('user') ?? decodedPart(url.username);
  // `URL` doesn't report an empty password: in `ada:@b/c@db.example/pay`, `@b/c` is meant as one.
  if (url.password !== '' || user.includes(':') || /^[^/]*\/\/[^/?#]*:\s*@/.test(text)) {
    throw unsafe(
      'contains a password, which other users could see',
      'remove it, and use a password file (PGPASSFILE) or a command that prints it (PAYCLI_LEDGER_PASSWORD_COMMAND)',
    );
  }
  checkParameters(params);
  const host = (params.get('host') ?? decodedPart(url.hostname)).replace(/^\[(.*)\]$/, '$1');
  const database = decodedPart(url.pathname.slice(1));
  if (host === '' || user === '' || database === '')
    throw usageError("the ledger's address is not complete", { hint: FORM });
  const near = isOnThisMachine(host);
  const mode = params.get('sslmode');
  checkMode(mode, near);
  const secure = !near || (mode !== null && mode !== 'disable') || params.has('sslrootcert') || params.has('sslcert');
  const port = portOf(params.get('port') ?? url.port);
  return {
    // Without a hosts entry, a machine would ask a name server for `localhost`.
    host: host.toLowerCase() === 'localhost' ? '127.0.0.1' : host,
    port,
    user,
    database,
    tls: secure && !host.startsWith('/') ? tlsOf(params) : undefined,
    name: `postgres://${host}:${port}/${database}`,
  };
};
