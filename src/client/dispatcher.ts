import type { buildConnector, Client as ClientTypes, Dispatcher } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Env } from '../cli/io.ts';
import { PayError } from '../core/error.ts';
import { isLoopback } from '../core/origin.ts';
import { silentFirst } from './connector.ts';
import { proxyFault } from './failure.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Shorter than an attempt: a connection that does not come about leaves time for the next. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Whether certificates are verified. Only for this machine may the usual variable turn it off. */
const verifies = (origin: string, env: Env): boolean => {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return true;
  if (isLoopback(origin)) return false;
  throw new PayError('auth', 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the secret key to anyone who answers', {
    hint: 'unset it; to trust a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS',
  });
};

const setting = (env: Env, name: string): string => env[name.toLowerCase()] ?? env[name.toUpperCase()] ?? '';

/** The first of these variables that says something: its name, as it is usually written, and its value. */
const firstSetting = (env: Env, names: readonly string[]): readonly [name: string, value: string] | undefined =>
  names.map((name) => [name, setting(env, name)] as const).find(([, value]) => value !== '');

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** `host:port` means http://host:port, as it does for curl. Never quoted: it may hold a password. */
const proxyUrl = (text: string): string => {
  const url = text.includes('://') ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (
    parsed !== undefined &&
    /^https?:$/.test(parsed.protocol) &&
    decoded(parsed.username) !== undefined &&
    decoded(parsed.password) !== undefined
  ) {
    return url;
  }
  throw new PayError('auth', 'the proxy that HTTPS_PROXY (or ALL_PROXY) names is not an http or https URL', {
    hint: 'write it as http://host:port, with user and password percent-encoded; or unset it',
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

/**
 * Connections to one origin under the environment's proxy settings. Plain http is for this machine alone and never
 * goes through a proxy, which would read the key.
 */
export const openDispatcher = async (origin: string, env: Env): Promise<Dispatcher> => {
  const tls = { rejectUnauthorized: verifies(origin, env), timeout: CONNECT_TIMEOUT_MS };
  const direct = connectorOf({ ...tls, allowH2: false });
  const found = firstSetting(env, ['HTTPS_PROXY', 'ALL_PROXY']);
  if (!origin.startsWith('https:') || found === undefined) return clientOf(origin, OPTIONS, direct);
  const [variable, value] = found;
  const proxy = proxyUrl(value);
  const name = proxyName(proxy, variable);
  const { EnvHttpProxyAgent } = await import('./proxy.ts');
  return new EnvHttpProxyAgent({
    ...OPTIONS,
    connect: direct,
    factory: (to, options) => {
      const { connect } = options as { readonly connect: buildConnector.connector };
      return clientOf(to, options, named(connect, direct, name));
    },
    httpProxy: '',
    httpsProxy: proxy,
    noProxy: setting(env, 'no_proxy'),
    requestTls: tls,
    proxyTls: tls,
  });
};
