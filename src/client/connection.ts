import { lookup as ask } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { buildConnector, Client as ClientTypes, Dispatcher } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { attempt } from '../core/async.ts';
import { PayError } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import { localhost } from '../core/origin.ts';
import { verifies } from '../core/unsafe-settings.ts';
import { proxyFault } from './failure.ts';

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
export const lookup: LookupFunction = (hostname, options, done) =>
  (hostname === 'localhost' ? localhost : ask)(hostname, options, done);

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than an attempt, to leave time for another one after a failed connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** True when NO_PROXY has a range of addresses (10.0.0.0/8) that contains the origin's host, given as an address. */
const isInRange = (origin: string, noProxy: string): boolean => {
  const host = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
  const ranges = new BlockList();
  for (const [, net = '', bits] of noProxy.matchAll(/([^,\s/]+)\/(\d+)/g)) {
    // Skip an invalid range.
    attempt(() => ranges.addSubnet(net, Number(bits), familyOf(net)));
  }
  return isIP(host) !== 0 && ranges.check(host, familyOf(host));
};

const setting = (env: Env, name: string): string => env[name.toLowerCase()] ?? env[name.toUpperCase()] ?? '';

/** The first of these variables with a value: its name in capitals, and its value. */
const firstSetting = (env: Env, names: readonly string[]): readonly [name: string, value: string] | undefined =>
  names.map((name) => [name, setting(env, name)] as const).find(([, value]) => value !== '');

/** True when undici accepts the URL: it rejects one with more than an origin only at the first request. */
const isProxy = ({ protocol, username, password, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  attempt(() => [username, password].map(decodeURIComponent)) !== undefined &&
  pathname + search + hash === '/';

/** Reads `host:port` as http://host:port, like curl. The text is never quoted, since it may hold a password. */
const proxyUrl = (text: string): string => {
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url) && isProxy(new URL(url))) return url;
  throw new PayError('auth', 'HTTPS_PROXY (or ALL_PROXY) is not the URL of an http or https proxy', {
    hint: 'write it as http://host:port, with user and password percent-encoded and nothing after the port; or unset it',
  });
};

/** Name of a proxy: its address and the variable that sets it, without the user and password in its URL. */
const proxyName = (url: string, variable: string): string => {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)} (from ${variable})`;
};

const OPTIONS = {
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
const named =
  (connect: buildConnector.connector, direct: buildConnector.connector, proxy: string): buildConnector.connector =>
  (options, done) =>
    connect === direct
      ? connect(options, done)
      : connect(options, (error, socket) => (error ? done(proxyFault(proxy, error), null) : done(null, socket)));

/** The route to one origin, from the environment. */
interface ConnectionRoute {
  readonly origin: string;
  /** False when certificates are not verified. */
  readonly verified: boolean;
  /** `passedBy`: hosts that are reached without the proxy, in the form of NO_PROXY. */
  readonly proxy?: { readonly url: string; readonly name: string; readonly passedBy: string };
}

/**
 * Plain http is for this machine alone and never goes through a proxy, which would read the key. Throws an `auth`
 * error for an unusable setting before anything starts.
 */
export const routeOf = (origin: string, env: Env): ConnectionRoute => {
  const verified = verifies(origin, env, 'the secret key');
  const found = firstSetting(env, ['HTTPS_PROXY', 'ALL_PROXY']);
  const passedBy = setting(env, 'no_proxy');
  if (!origin.startsWith('https:') || found === undefined || isInRange(origin, passedBy)) return { origin, verified };
  const [variable, value] = found;
  const url = proxyUrl(value);
  return { origin, verified, proxy: { url, name: proxyName(url, variable), passedBy } };
};

/** Opens a dispatcher for a route. */
export const openDispatcher = async ({ origin, verified, proxy }: ConnectionRoute): Promise<Dispatcher> => {
  const tls = { allowH2: false, rejectUnauthorized: verified, timeout: CONNECT_TIMEOUT_MS };
  const direct = connectorOf({ ...tls, lookup });
  if (proxy === undefined) return clientOf(origin, OPTIONS, direct);
  const { EnvHttpProxyAgent } = await import('./proxy.ts');
  return new EnvHttpProxyAgent({
    ...OPTIONS,
    connect: direct,
    factory: (to, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector };
      return clientOf(to, options, named(connect, direct, proxy.name));
    },
    httpProxy: '',
    httpsProxy: proxy.url,
    noProxy: proxy.passedBy,
    requestTls: tls,
    proxyTls: tls,
  });
};
