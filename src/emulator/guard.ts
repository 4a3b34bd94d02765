import { hash, timingSafeEqual } from 'node:crypto';
import { derivedText } from './ids.ts';
import { refusal } from './service.ts';
import type { EmulatorStore } from './store.ts';

type RequestHeaders = Readonly<Record<string, string | undefined>>;

const hostsOf = (port: number): string[] =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));

/**
 * Refuses requests that a web page could send: a name rebound to this machine shows in `Host`, and a browser names the
 * page in `Origin` or `Sec-Fetch-Site`. No answer ever has a CORS header. Only the hosted page may be opened from other
 * sites, for example in a frame.
 */
export const refusePages = (
  headers: RequestHeaders,
  { port, isNear }: { readonly port: number; readonly isNear: boolean },
  isPage = false,
): void => {
  const host = headers['host']?.toLowerCase();
  // On a container network, a machine has names that it doesn't know itself.
  const hosts = isNear || host === undefined ? hostsOf(port) : [host];
  if (host === undefined || !hosts.includes(host)) {
    throw refusal(403, `this service answers only to the names ${hosts.join(', ')}`);
  }
  const origin = headers['origin'];
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) {
    throw refusal(403, 'this service does not answer web pages');
  }
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    throw refusal(403, 'this service does not answer web pages');
  }
};

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares a key in constant time. */
export const isKey = (given: string, key: string): boolean => key !== '' && timingSafeEqual(digest(given), digest(key));

/** Every request must carry the data file's key (interface.md section 5). */
export const refuseStrangers = (headers: RequestHeaders, key: string): void => {
  const given = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '')?.[1];
  if (given !== undefined && isKey(given, key)) return;
  throw refusal(401, 'the header `Authorization: Bearer <SECRET_KEY>` is missing, malformed or holds another key', {
    headers: { 'www-authenticate': 'Bearer' },
  });
};

/** Start of the console's path; its token follows. */
export const CONSOLE = '/console/';

/**
 * Derives the token in the console's path. A cookie would go to every port of this machine. The token stays the same
 * for a data file, so that the address can be bookmarked. It opens the control endpoints only behind this path.
 */
export const consoleToken = (store: Pick<EmulatorStore, 'setting'>): string =>
  derivedText(`console ${store.setting('control_token') ?? ''}`, 32);

export const consolePath = (store: Pick<EmulatorStore, 'setting'>): string => `${CONSOLE}${consoleToken(store)}/`;
