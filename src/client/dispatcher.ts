import type { Client as ClientTypes, Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Env } from '../cli/io.ts';
import { PayError } from '../core/error.ts';
import { isLoopback } from '../core/origin.ts';

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

/**
 * Connections to one origin under the environment's proxy settings. Plain http is for this machine alone and never
 * goes through a proxy, which would read the key.
 */
export const openDispatcher = async (origin: string, env: Env): Promise<Dispatcher> => {
  const tls = { rejectUnauthorized: verifies(origin, env), timeout: CONNECT_TIMEOUT_MS };
  const options: ClientTypes.Options = {
    allowH2: false,
    connect: tls,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  };
  const proxy = setting(env, 'https_proxy') || setting(env, 'all_proxy');
  if (!origin.startsWith('https:') || proxy === '') return new Client(origin, options);
  const { EnvHttpProxyAgent } = await import('./proxy.ts');
  return new EnvHttpProxyAgent({
    ...options,
    connections: 1,
    httpProxy: '',
    httpsProxy: proxyUrl(proxy),
    noProxy: setting(env, 'no_proxy'),
    requestTls: tls,
    proxyTls: tls,
  });
};
