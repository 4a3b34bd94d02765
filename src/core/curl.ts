import { printExact } from './json.ts';
import { shellQuote } from './shell.ts';

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * The key goes to curl through a pipe: other users of a machine can read the arguments of its programs, and `printf` is the
 * shell's own, so it is none. Unquoted, since a key has no blank, and within quotes curl would take a backslash away.
 */
const keyFrom = (variable: string): string => `printf 'oauth2-bearer = %s\\n' "$${variable}"`;

/** The request as a curl command for a POSIX shell. The key stays a variable that the shell fills in. */
export const asCurl = ({ method, url, body }: CurlRequest, variable = 'PAYCLI_SECRET_KEY'): string => {
  const curl = [`curl --config - --fail-with-body --request ${method} ${shellQuote(url)}`];
  if (body !== undefined) {
    curl.push(`--header 'Content-Type: application/json'`, `--data-raw ${shellQuote(printExact(body))}`);
  }
  return `${keyFrom(variable)} |\n  ${curl.join(' \\\n  ')}`;
};
