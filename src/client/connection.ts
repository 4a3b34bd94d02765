import { subscribe } from 'node:diagnostics_channel';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { buildConnector, Client as ClientTypes, Dispatcher } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { attempt } from '../core/async.ts';
import { PayError, reasonOf } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import { localhost } from '../core/origin.ts';
import { verifies } from '../core/unsafe-settings.ts';

/**
 * Proof that a request was not sent. Error codes prove nothing: one ECONNRESET looks like another. undici publishes an
 * event when it hands a request to a connected socket; without that event "not sent" is certain.
 */
export interface SentDetector {
  readonly method: string;
  readonly path: string;
  /** The creation of the request was observed, so its hand-over can't have been missed. */
  traced: boolean;
  handedOver: boolean;
}

interface Published {
  readonly request: { readonly method: string; readonly path: string };
}

const detectors = new WeakMap<object, SentDetector>();
let making: SentDetector | undefined;

// A CONNECT to a proxy may be created in the same turn; method and path distinguish the observed request.
subscribe('undici:request:create', (message) => {
  const { request } = message as Published;
  if (making === undefined || request.method !== making.method || request.path !== making.path) return;
  making.traced = true;
  detectors.set(request, making);
});

subscribe('undici:client:sendHeaders', (message) => {
  const detector = detectors.get((message as Published).request);
  if (detector !== undefined) detector.handedOver = true;
});

export const newSentDetector = (method: string, path: string): SentDetector => ({
  method,
  path,
  traced: false,
  handedOver: false,
});

/** Runs `dispatch`, which must create its request before it returns, and links that request to the detector. */
export const withSentDetector = <T>(detector: SentDetector, dispatch: () => T): T => {
  making = detector;
  try {
    return dispatch();
  } finally {
    making = undefined;
  }
};

/** True only with proof that no byte of the request was sent. */
const provenNotSent = (detector: SentDetector): boolean => detector.traced && !detector.handedOver;

interface NoAnswer {
  /** For people, in plain words; a known code is replaced by them. */
  readonly reason: string;
  /** Code from the system, OpenSSL or undici. */
  readonly code?: string;
}

/** Result of an attempt without a complete answer. `broken`: the request was handed over, or may have been. */
export type Failure =
  | (NoAnswer & { readonly kind: 'broken' })
  | (NoAnswer & { readonly kind: 'not_sent'; readonly untrusted: boolean });

/** A failed connection through a proxy, with its cause. */
class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}

/** OpenSSL's codes for an untrusted certificate, and Node's for a wrong host. */
const UNTRUSTED =
  /^(?:CERT_|CRL_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|ERROR_IN_C(?:ERT|RL)_)/;

/** An error and its causes, outermost first. */
const chainOf = (thrown: unknown): Error[] => {
  const chain: Error[] = [];
  for (let at = thrown; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
};

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

const codesIn = (thrown: unknown): string[] => chainOf(thrown).flatMap((error) => codeOf(error) ?? []);

const isUntrusted = (codes: readonly string[]): boolean => codes.some((code) => UNTRUSTED.test(code));

/** Blames the proxy for a failed tunnel, except for a certificate error: that is the service's, behind the proxy. */
const proxyFault = (proxy: string, cause: Error): Error =>
  isUntrusted(codesIn(cause)) ? cause : new ProxyFault(`could not connect through the proxy ${proxy}`, { cause });

/** The other end of a connection according to a system error; the first of several addresses stands for all. */
const lastError = (error: Error): Readonly<Record<string, unknown>> =>
  error instanceof AggregateError ? { ...error.errors[0] } : { ...(error as object) };

const hostOf = (error: Error): string => {
  const { hostname } = lastError(error);
  return typeof hostname === 'string' ? `the host ${hostname}` : 'the host';
};

const addressIn = (error: Error): string => {
  const { address, port } = lastError(error);
  return typeof address === 'string' ? `${address.includes(':') ? `[${address}]` : address}:${port}` : 'the other end';
};

const CLOSED = 'the connection was closed';
const TOO_LATE = 'the connection timed out';

/** Plain words for the codes of everyday failures. */
const CODE_SENTENCES = new Map<unknown, (error: Error) => string>(
  Object.entries({
    ENOTFOUND: (error: Error) => `could not find ${hostOf(error)}`,
    EAI_AGAIN: (error: Error) => `could not look up ${hostOf(error)}: the name server did not answer`,
    ECONNREFUSED: (error: Error) => `${addressIn(error)} refused the connection`,
    ECONNRESET: () => CLOSED,
    EPIPE: () => CLOSED,
    UND_ERR_SOCKET: () => CLOSED,
    UND_ERR_PRX_CONN: () => CLOSED,
    ETIMEDOUT: () => TOO_LATE,
    UND_ERR_CONNECT_TIMEOUT: () => TOO_LATE,
    ENETUNREACH: () => 'the network is not reachable',
    EHOSTUNREACH: (error: Error) => `${addressIn(error)} is not reachable`,
  }),
);

const failureText = (thrown: unknown): string => {
  if (thrown instanceof ProxyFault) return `${thrown.message}: ${failureText(thrown.cause)}`;
  const known = chainOf(thrown).flatMap((error) => CODE_SENTENCES.get(codeOf(error))?.(error) ?? []);
  return known.at(-1) ?? reasonOf(thrown);
};

/** Judges a failure by the detector alone. If it was not sent, the error codes tell if the other end was untrusted. */
export const failureFrom = (thrown: unknown, detector: SentDetector): Failure => {
  const codes = codesIn(thrown);
  const why = { reason: failureText(thrown), ...(codes[0] === undefined ? {} : { code: codes[0] }) };
  if (!provenNotSent(detector)) return { kind: 'broken', ...why };
  return { kind: 'not_sent', ...why, untrusted: isUntrusted(codes) };
};

/** Error of a connection to an untrusted service: the same for reads and writes, never worth a retry. */
export const untrustedError = (origin: string, reason: string): PayError =>
  new PayError('auth', `couldn't verify the certificate of ${new URL(origin).host}, so nothing was sent: ${reason}`, {
    hint: 'if you run your own certificate authority, name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS',
  });

export const withCode = (error: PayError, outcome: { readonly code?: string }): PayError =>
  outcome.code === undefined ? error : error.with({ code: outcome.code });

/** 1xx responses before the final one (RFC 9110 section 15.2), except 101, which changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const BEGINNING = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';

/** The bytes after the leading 1xx responses; undefined while too few have arrived to tell. */
const answerIn = (bytes: Buffer): Buffer | undefined => {
  let rest = bytes;
  for (;;) {
    const begins = rest.toString('latin1', 0, BEGINNING);
    if (begins.length < BEGINNING && 'HTTP/1.'.startsWith(begins.slice(0, 'HTTP/1.'.length))) return undefined;
    if (!INTERIM.test(begins)) return rest;
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return undefined;
    rest = rest.subarray(end + HEAD_END.length);
  }
};

/**
 * Hides 1xx responses from the reader of the socket: undici treats `100 Continue` as an error of the service and
 * breaks the connection. `limit` is the maximum number of bytes that are held back meanwhile; beyond it all are passed
 * on.
 */
const withoutInformational = <S extends Duplex>(socket: S, limit: number): S => {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.read = (size?: number) => {
    if (held === undefined || size !== undefined) return read(size);
    for (;;) {
      const chunk: Buffer | null = read();
      if (chunk === null) return null;
      held = Buffer.concat([held, chunk]);
      const answer: Buffer | undefined = answerIn(held) ?? (held.byteLength > limit ? held : undefined);
      if (answer === undefined) continue;
      held = undefined;
      return answer;
    }
  };
  return socket;
};

type Connector = buildConnector.connector;

/** Reason why an unused connection must not be used. */
const faultOf = (socket: Socket): string | undefined => {
  if (socket.readableLength > 0) return 'the service answered before it was asked';
  return socket.destroyed || socket.readableEnded ? 'the connection was closed before anything was sent' : undefined;
};

/**
 * Hands a connection over after it has been silent for a whole turn of the event loop: an answer that arrives before
 * the request must not be taken for its answer. Until then nothing is sent, and a failure is proven not sent.
 */
const silentFirst =
  (connect: Connector, maxHeadBytes: number): Connector =>
  (options, done) =>
    connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      const handOver = (): void => {
        const fault = faultOf(socket);
        if (fault === undefined) {
          done(null, withoutInformational(socket, maxHeadBytes));
        } else {
          socket.destroy();
          done(new Error(fault), null);
        }
      };
      // The first callback runs in this turn, before the arrived bytes are read.
      setImmediate(() => setImmediate(handOver));
    });

/** The system's lookup, except for `localhost`. */
const lookup: LookupFunction = (hostname, options, done) =>
  (hostname === 'localhost' ? localhost : systemLookup)(hostname, options, done);

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than an attempt, to leave time for another one after a failed connection. */
const CONNECT_TIMEOUT_MS = 10_000;

const setting = (env: Env, name: string): string => env[name.toLowerCase()] ?? env[name.toUpperCase()] ?? '';

/** The first of these variables with a value: its name in capitals, and its value. */
const firstSetting = (env: Env, names: readonly string[]): readonly [name: string, value: string] | undefined => {
  for (const name of names) {
    const value = setting(env, name);
    if (value !== '') return [name, value];
  }
  return undefined;
};

/** True if undici accepts the URL: it rejects one with more than an origin only at the first request. */
const isProxy = ({ protocol, username, password, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  attempt(() => [username, password].map(decodeURIComponent)) !== undefined &&
  pathname + search + hash === '/';

/** Reads `host:port` as http://host:port, like curl. The text is never quoted, since it may hold a password. */
const proxyUrl = (text: string, variable: string): string => {
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url) && isProxy(new URL(url))) return url;
  throw new PayError('auth', `${variable} is not the URL of an http or https proxy`, {
    hint: 'write it as http://host:port, with user and password percent-encoded and nothing after the port; or unset it',
  });
};

/** Name of a proxy: its address and the variable that sets it, without the user and password in its URL. */
const proxyName = (url: string, variable: string): string => {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)} (from ${variable})`;
};

const CLIENT_OPTIONS = {
  allowH2: false,
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 0,
  bodyTimeout: 0,
  pipelining: 1,
} satisfies ClientTypes.Options;

const clientOf = (origin: string | URL, options: object, connect: buildConnector.connector): Dispatcher =>
  new Client(origin, { ...options, connect: silentFirst(connect, MAX_HEADER_BYTES) });

/**
 * Turns errors of a tunnel's connector into errors of the proxy. Hosts that bypass the proxy use our own connector,
 * `direct`.
 */
const asProxyErrors =
  (connect: buildConnector.connector, direct: buildConnector.connector, proxy: string): buildConnector.connector =>
  (options, done) =>
    connect === direct
      ? connect(options, done)
      : connect(options, (error, socket) => (error ? done(proxyFault(proxy, error), null) : done(null, socket)));

interface ConnectionRoute {
  readonly origin: string;
  /** False if certificates are not verified. */
  readonly verified: boolean;
  /** `passedBy`: hosts that are reached without the proxy, in the form of NO_PROXY. */
  readonly proxy?: { readonly url: string; readonly name: string; readonly passedBy: string };
}

/**
 * The route to an origin. Plain http is for this machine alone and never goes through a proxy, which would read the
 * key. Throws an `auth` error for an unusable setting before anything starts.
 */
export const routeTo = (origin: string, env: Env): ConnectionRoute => {
  const verified = verifies(origin, env, 'the secret key');
  const found = firstSetting(env, ['HTTPS_PROXY', 'ALL_PROXY']);
  const passedBy = setting(env, 'no_proxy');
  if (!origin.startsWith('https:') || found === undefined) return { origin, verified };
  const [variable, value] = found;
  const url = proxyUrl(value, variable);
  return { origin, verified, proxy: { url, name: proxyName(url, variable), passedBy } };
};

/** Opens a dispatcher for a route. Without `trust`, it trusts the authorities of the runtime. */
export const openDispatcher = async (
  { origin, verified, proxy }: ConnectionRoute,
  trust?: { readonly secureContext: SecureContext },
): Promise<Dispatcher> => {
  const tls = { allowH2: false, rejectUnauthorized: verified, timeout: CONNECT_TIMEOUT_MS, ...trust };
  const direct = connectorOf({ ...tls, lookup });
  if (proxy === undefined) return clientOf(origin, CLIENT_OPTIONS, direct);
  const { EnvHttpProxyAgent } = await import('./proxy.ts');
  return new EnvHttpProxyAgent({
    ...CLIENT_OPTIONS,
    connect: direct,
    factory: (to, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector };
      return clientOf(to, options, asProxyErrors(connect, direct, proxy.name));
    },
    httpProxy: '',
    httpsProxy: proxy.url,
    noProxy: proxy.passedBy,
    requestTls: tls,
    proxyTls: tls,
  });
};
