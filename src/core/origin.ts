import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** The public environments (docs/service.md, Keys). Their data and keys are completely separate. */
export const ENVIRONMENTS = {
  live: 'https://api.kwugwo.africa',
  sandbox: 'https://sandbox-api.kwugwo.africa',
} as const;
export type Environment = keyof typeof ENVIRONMENTS;

export const isLoopback = (origin: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(origin).hostname);

/**
 * Reads one exact origin from a base URL. Only scheme, host and port are allowed: the other parts of a URL (a user, a
 * path, a query) are either a secret or a way to address another host.
 */
export const checkBaseUrl = (text: string): { readonly origin: string } | { readonly problem: string } => {
  if (!URL.canParse(text)) return { problem: 'is not a URL such as https://api.example.com' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'must start with https://' };
  if (text.includes('\\')) return { problem: 'contains a backslash' };
  // A URL without an @ has neither a user name nor a password.
  if (text.includes('@')) return { problem: 'contains a user name or an @' };
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return { problem: 'is more than an origin: leave out the path, query and fragment' };
  }
  if (url.protocol === 'http:' && !isLoopback(url.origin)) {
    return { problem: 'is not encrypted: http:// is only for this machine (127.0.0.1, localhost)' };
  }
  return { origin: url.origin };
};

/** True if many writes to an origin need a confirmation: money may be real there. */
export const isGuarded = (origin: string): boolean => origin !== ENVIRONMENTS.sandbox && !isLoopback(origin);

/**
 * Name of the environment that an operator is about to write to: `live`, `sandbox`, `loopback` (a service on this
 * machine) or the host's name.
 */
export const environmentName = (origin: string): string => {
  const known = Object.entries(ENVIRONMENTS).find(([, url]) => url === origin);
  if (known !== undefined) return known[0];
  return isLoopback(origin) ? 'loopback' : new URL(origin).host;
};

const LOOPBACK_ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const satisfies LookupAddress[];

/**
 * Resolves `localhost` to this machine. Without an entry in the hosts file a name server would decide where it leads.
 */
export const localhost: LookupFunction = (_hostname, options, done) => {
  if (options.all === true) done(null, [...LOOPBACK_ADDRESSES]);
  else done(null, LOOPBACK_ADDRESSES[0].address, LOOPBACK_ADDRESSES[0].family);
};

/** Request option that avoids a DNS query for `localhost`. */
export const lookupFor = ({ hostname }: URL): { readonly lookup?: LookupFunction } =>
  hostname === 'localhost' ? { lookup: localhost } : {};
