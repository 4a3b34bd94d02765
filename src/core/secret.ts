import { mapStrings } from './json.ts';
import { isLoopback } from './origin.ts';

/** A secret that a header can hold: 8 to 512 printable ASCII characters without a blank. */
export const PRINTABLE = /^[\x21-\x7e]{8,512}$/;
/** Length of the longest secret and the end of its line. */
export const LONGEST_SECRET_LINE = 514;

/**
 * Refuses a quoted value: a tool that keeps the quotes, as `docker --env-file` does, would have them sent with the
 * secret.
 */
export const quotesProblem = (secret: string): string | undefined =>
  /^["'`]|["'`]$/.test(secret)
    ? 'has a quotation mark at its start or end, which would be sent with it: write it without quotes (docker --env-file keeps them)'
    : undefined;

/** Problem with a key, without any of its characters; undefined for a valid key. */
export const keyProblem = (key: string): string | undefined => {
  if (key.length === 0) return 'is empty';
  if (/\s/.test(key)) return 'contains a space or a line break';
  if (!PRINTABLE.test(key)) return 'is not 8 to 512 printable ASCII characters';
  const quotes = quotesProblem(key);
  if (quotes !== undefined) return quotes;
  if (key.startsWith('pk.'))
    return 'is a public key (pk.…), which the service refuses here; the secret key starts with sk.';
  return undefined;
};

/** Prefix of the built-in emulator's keys; they are refused for any other machine. */
export const LOCAL_KEY_PREFIX = 'sk.Lcal.';

/**
 * Reason why a key must not be sent to an origin: a header can't hold it, or it is the emulator's and the origin is on
 * another machine.
 */
export const keyFault = (
  key: string,
  origin: string,
): { readonly problem: string; readonly hint?: string } | undefined => {
  const problem = keyProblem(key);
  if (problem !== undefined) return { problem, hint: "copy the whole secret key, sk.…, from the service's dashboard" };
  if (!key.startsWith(LOCAL_KEY_PREFIX) || isLoopback(origin)) return undefined;
  return {
    problem: "is the built-in emulator's, which is never sent to another machine",
    hint: 'use --local for the emulator, or the key of this service',
  };
};

/**
 * A secret or public key of the service, or the secret of a webhook endpoint, anywhere in a text. The emulator's keys
 * give access to nothing and may be shown.
 */
const KEY_SHAPE = /\b(?!w?sk\.Lcal\.)(?:[sp]k\.[A-Za-z0-9]{4}\.[A-Za-z0-9_+/=-]{8,}|wsk\.[A-Za-z0-9_.+/=-]{8,})/g;

/** Words in the names of headers, and of parameters in a URL, whose value may give access. */
const SECRET_WORDS =
  'auth(?!enticate$)|cookie|credential|password|secret|session|token|jwt|bearer|signature|(?:access|api)-?key|_key';
export const SECRET_NAME = new RegExp(SECRET_WORDS, 'i');
/** The value of a parameter. Looks back from its `=`, so that a long text costs no more than its length. */
const SECRET_VALUE = new RegExp(`(?<=(?:${SECRET_WORDS}|\\b(?:sig|key)(?==))[\\w.~-]*=)[^&#\\s"'<>]+`, 'gi');

/** A text without what gives access: parameters, user and password in its URLs, and JWTs. */
export const withoutTokens = (text: string): string =>
  text
    .replaceAll(SECRET_VALUE, '[secret]')
    .replaceAll(/\/\/[^/?#\s"'<>]*@/g, '//[secret]@')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)*/gi, '[secret]');

/** The only part of a key that is ever shown. */
export const keyTail = (key: string): string => `…${key.slice(-4)}`;

/** Removes everything that looks like a key of the service, known or not. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(KEY_SHAPE, (found) => `[secret ${keyTail(found)}]`);

/**
 * Removes known secrets from any text by value. All output of the program passes through a redactor, so that a key
 * inside an exception, a service's echo or a debug line cannot leak.
 */
export class Redactor {
  #secrets: string[] = [];

  add(secret: string): void {
    if (secret.length < 8) return;
    // Forms of the secret as it is, in lower-cased names such as those of headers, in JSON, in a shell and in a URL. Most
    // keys look the same in all but the second.
    const forms = [
      secret,
      secret.toLowerCase(),
      JSON.stringify(secret).slice(1, -1),
      secret.replaceAll("'", "'\\''"),
      encodeURIComponent(secret.toWellFormed()),
    ];
    // Longest first: replacing a secret inside a longer one would leave the rest of the longer one visible.
    this.#secrets = [...new Set([...this.#secrets, ...forms])].sort((a, b) => b.length - a.length);
  }

  /** Also removes everything that only looks like a key: one typed in the wrong place is not registered. */
  cleanAll(text: string): string {
    return withoutKeys(this.clean(text));
  }

  /** True if `clean` would change these bytes, read as UTF-8. */
  holds(bytes: Uint8Array): boolean {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#secrets.some((secret) => buffer.includes(secret));
  }

  clean(text: string): string {
    let cleaned = text;
    // A function, since `$&` in a replacement text would stand for the secret itself.
    for (const secret of this.#secrets) cleaned = cleaned.replaceAll(secret, () => `[secret ${keyTail(secret)}]`);
    return cleaned;
  }

  /**
   * Cleans a text that comes in pieces: a secret may begin in one and end in the next. Returns what may be shown so
   * far; without a piece, the rest.
   */
  openPieces(): (piece?: string) => string {
    let held = '';
    return (piece) => {
      const text = this.clean(held + (piece ?? ''));
      const at = piece === undefined ? text.length : this.#beginningIn(text);
      held = text.slice(at);
      return text.slice(0, at);
    };
  }

  /** The position from which the end of a text may be the beginning of a secret. */
  #beginningIn(text: string): number {
    const [longest = ''] = this.#secrets;
    let at = Math.max(0, text.length - longest.length + 1);
    while (at < text.length && !this.#secrets.some((secret) => secret.startsWith(text.slice(at)))) at += 1;
    return at;
  }
}

// Secrets are removed from values before these are wrapped, quoted or encoded: a search in the resulting text would miss
// a secret that layout has split or an escape has changed.

/** Removes secrets from a text (see Redactor). */
export type Clean = (text: string) => string;

/** A JSON escape of printable ASCII, the alphabet of keys. */
const JSON_ESCAPE = /\\(?:u00([2-7][\da-f])|(["\\/]))/gi;
const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/**
 * Decodes the escapes. Without \u00 escapes only slashes need it, which some services escape everywhere: a quote and a
 * backslash are always escaped.
 */
const unescaped = (text: string): string =>
  text.includes('\\u00')
    ? text.replace(JSON_ESCAPE, (_, hex: string | undefined, char: string) => (hex === undefined ? char : fromHex(hex)))
    : text.replaceAll('\\/', '/');

/** True if JSON, or several JSON texts, may hold a secret in any spelling. Cheap: called for all output. */
export const holdsSecret = (text: string, clean: Clean): boolean => {
  if (clean(text) !== text) return true;
  if (!text.includes('\\')) return false;
  const read = unescaped(text);
  return clean(read) !== read;
};

/** JSON without the secrets in its strings, in any spelling; the rest stays unchanged. */
export const cleanedJson = (text: string, clean: Clean): string =>
  holdsSecret(text, clean) ? mapStrings(text, clean) : text;

/** An answer without its secrets, JSON or not. */
export const cleanedAnswer = (text: string, clean: Clean): string => {
  try {
    return cleanedJson(text, clean);
  } catch {
    return clean(text);
  }
};

/** A URL, a path, or a line that contains one; shown decoded when it contains a secret. */
export const cleanedUrl = (url: string, clean: Clean): string => {
  const read = url.replace(/%([2-7][\da-f])/gi, (_, hex: string) => fromHex(hex));
  return clean(read) === read ? url : clean(read);
};
