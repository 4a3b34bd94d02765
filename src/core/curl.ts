import { printExact } from './json.ts';
import { shellQuote } from './shell.ts';

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The request as a curl command for a POSIX shell. The key stays a variable that the shell fills in. */
export const asCurl = ({ method, url, body }: CurlRequest): string => {
  const lines = [
    `curl --fail-with-body --request ${method} ${shellQuote(url)}`,
    `--header "Authorization: Bearer $PAYCLI_SECRET_KEY"`,
  ];
  if (body !== undefined) {
    lines.push(`--header 'Content-Type: application/json'`, `--data-raw ${shellQuote(printExact(body))}`);
  }
  return lines.join(' \\\n  ');
};
