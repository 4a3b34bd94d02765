import { usageError } from './error.ts';
import { printExact } from './json.ts';

/** Quotes a word for a POSIX shell: unchanged when harmless, else in single quotes. */
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export const shellLine = (words: readonly string[]): string => words.map(shellQuote).join(' ');

/** A command about any text, also one that looks like an option. */
export const textLine = (words: readonly string[], text: string, options: readonly string[]): string =>
  shellLine(text.startsWith('-') ? [...words, ...options, '--', text] : [...words, text, ...options]);

const SHELL_WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g;

/**
 * Splits `op read "op://vault/key"` into a list of arguments. Quotes preserve blanks. No other character is special,
 * so a shell, a variable or another file is out of reach.
 */
export const splitCommand = (text: string, from = '--key-command'): readonly string[] => {
  if (/\bsk\.[A-Za-z0-9]{4}\.[A-Za-z0-9]{16,}/.test(text)) {
    throw usageError(`${from} contains a secret key, but needs a command that prints it`, {
      hint: 'other users can see arguments while a program runs: get a new key, then store it with --key-stdin',
    });
  }
  const words = text.match(SHELL_WORD) ?? [];
  if (text.replaceAll(SHELL_WORD, '').trim() !== '') throw usageError(`${from} has an unclosed quote`);
  if (words.length === 0) throw usageError(`${from} is empty`);
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_all, single?: string, double?: string) => single ?? double ?? ''),
  );
};

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * The request as a curl command for a POSIX shell. The key stays a variable that the shell fills in, and reaches curl
 * through a pipe: other users of a machine can read the arguments of its programs, and the shell's builtin `printf` is
 * not a program. It is unquoted, since a key has no blank, and curl would drop a backslash within quotes.
 */
export const asCurl = ({ method, url, headers = {}, body }: CurlRequest): string => {
  const curl = [`curl --config - --fail-with-body --request ${method} ${shellQuote(url)}`];
  for (const [name, value] of Object.entries(headers)) curl.push(`--header ${shellQuote(`${name}: ${value}`)}`);
  if (body !== undefined) {
    curl.push(`--header 'Content-Type: application/json'`, `--data-raw ${shellQuote(printExact(body))}`);
  }
  return `printf 'oauth2-bearer = %s\\n' "$PAYCLI_SECRET_KEY" |\n  ${curl.join(' \\\n  ')}`;
};
