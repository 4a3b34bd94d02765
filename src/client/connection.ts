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

/** What stands before an answer and is none (RFC 9110 section 15.2). 101 is no such thing: it changes the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const BEGINNING = 'HTTP/1.1 100 '.length;
const HEAD_END = '\r\n\r\n';

/** The bytes without the interim heads that they begin with; undefined while more must come to know. */
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
 * Lets nothing through to who reads the socket before the answer itself: undici takes `100 Continue` for a fault of the
 * service and breaks the connection. `limit` bounds what is held back meanwhile, in bytes; beyond it all is let through.
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

/** Why nothing may be sent over a connection that nothing was sent over yet. */
const faultOf = (socket: Socket): string | undefined => {
  if (socket.readableLength > 0) return 'the service answered before it was asked';
  return socket.destroyed || socket.readableEnded ? 'the connection was closed before anything was sent' : undefined;
};

/**
 * A connection is handed over once it has been silent for a whole turn of the event loop: an answer that is there before the
 * request is none, and must not be taken for one. Until then nothing is sent, and what breaks is proven not sent.
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
      // The first one comes in this turn, before what has arrived is read.
      setImmediate(() => setImmediate(handOver));
    });

/** As the system does, but for `localhost`. */
export const lookup: LookupFunction = (hostname, options, done) =>
  (hostname === 'localhost' ? localhost : ask)(hostname, options, done);

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than an attempt: a connection that does not come about leaves time for the next. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Whether NO_PROXY has a range of addresses (10.0.0.0/8) that the host of an origin, given as an address, is in. */
const isInRange = (origin: string, noProxy: string): boolean => {
  const host = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
  const ranges = new BlockList();
  for (const [, net = '', bits] of noProxy.matchAll(/([^,\s/]+)\/(\d+)/g)) {
    // What is no range names nothing.
    attempt(() => ranges.addSubnet(net, Number(bits), familyOf(net)));
  }
  return isIP(host) !== 0 && ranges.check(host, familyOf(host));
};

const setting = (env: Env, name: string): string => env[name.toLowerCase()] ?? env[name.toUpperCase()] ?? '';

/** The first of these variables that says something: its name, as it is usually written, and its value. */
const firstSetting = (env: Env, names: readonly string[]): readonly [name: string, value: string] | undefined =>
  names.map((name) => [name, setting(env, name)] as const).find(([, value]) => value !== '');

/** Whether undici takes it: it refuses what has more than an origin only when something is to be sent. */
const isProxy = ({ protocol, username, password, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) &&
  attempt(() => [username, password].map(decodeURIComponent)) !== undefined &&
  pathname + search + hash === '/';

/** `host:port` means http://host:port, as it does for curl. Never quoted: it may hold a password. */
const proxyUrl = (text: string): string => {
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url) && isProxy(new URL(url))) return url;
  throw new PayError('auth', 'HTTPS_PROXY (or ALL_PROXY) is not the URL of an http or https proxy', {
    hint: 'write it as http://host:port, with user and password percent-encoded and nothing after the port; or unset it',
  });
};

/** Where a proxy is and who says so, without the user and password that may stand in its URL. */
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

/** A tunnel's own connector, whose faults are the proxy's; one around the proxy is ours. */
const named =
  (connect: buildConnector.connector, direct: buildConnector.connector, proxy: string): buildConnector.connector =>
  (options, done) =>
    connect === direct
      ? connect(options, done)
      : connect(options, (error, socket) => (error ? done(proxyFault(proxy, error), null) : done(null, socket)));

/** The way to one origin, as the environment has it. */
interface ConnectionRoute {
  readonly origin: string;
  /** Whether certificates are verified. */
  readonly verified: boolean;
  /** `passedBy`: for which hosts it is not used, as NO_PROXY says it. */
  readonly proxy?: { readonly url: string; readonly name: string; readonly passedBy: string };
}

/**
 * Plain http is for this machine alone and never goes through a proxy, which would read the key. Throws an `auth` error for
 * a setting that can't be used: before anything is begun.
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

/** Connections by that way. */
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
