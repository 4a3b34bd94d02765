import { PayError } from '../core/error.ts';
import { isLoopback } from '../core/origin.ts';
import { keyProblem, LOCAL_KEY_PREFIX } from '../core/secret.ts';

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
  const problem = keyProblem(credentials.key);
  if (problem !== undefined) throw new PayError('auth', `the secret key ${problem}`);
  if (credentials.key.startsWith(LOCAL_KEY_PREFIX) && !isLoopback(credentials.origin)) {
    throw new PayError('auth', "this is the built-in emulator's key; it is refused for any other machine");
  }
  return `Bearer ${credentials.key}`;
};
