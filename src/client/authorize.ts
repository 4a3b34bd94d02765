import { PayError } from '../core/error.ts';
import { keyFault } from '../core/secret.ts';

export interface Credentials {
  /** The one origin that the key is for. */
  readonly origin: string;
  readonly key: string;
}

/**
 * The only place where the key meets a request. It goes to exactly one origin, compared as a whole; a key that can't
 * stand in a header never reaches the HTTP library, whose exception would quote it.
 */
export const authorize = (credentials: Credentials, url: URL): string => {
  if (url.origin !== credentials.origin) {
    throw new PayError('auth', `the key is for ${credentials.origin} and was not sent to ${url.origin}`);
  }
  const fault = keyFault(credentials.key, credentials.origin);
  if (fault !== undefined) {
    const { problem, ...detail } = fault;
    throw new PayError('auth', `the secret key ${problem}`, detail);
  }
  return `Bearer ${credentials.key}`;
};
