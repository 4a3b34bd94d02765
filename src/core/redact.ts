import { mapStrings } from './json.ts';

/**
 * Secrets are removed from values before these are wrapped, quoted or encoded: a search in the resulting text would
 * miss a secret that layout has split or an escape has changed.
 */

/** Removes secrets from a text (see Redactor). */
export type Clean = (text: string) => string;

/** A JSON escape of printable ASCII, the alphabet of keys. */
const JSON_ESCAPE = /\\(?:u00([2-7][\da-f])|(["\\/]))/gi;
const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
/**
 * Decodes the escapes. Without \u00 escapes only slashes need it, which some services escape everywhere: quotes and
 * backslashes have one form.
 */
const unescaped = (text: string): string =>
  text.includes('\\u00')
    ? text.replace(JSON_ESCAPE, (_, hex: string | undefined, char: string) => (hex === undefined ? char : fromHex(hex)))
    : text.replaceAll('\\/', '/');

/** True when JSON, or several JSON texts, may hold a secret in any spelling. Cheap: called for all output. */
export const holdsSecret = (text: string, clean: Clean): boolean => {
  const holds = (read: string): boolean => clean(read) !== read;
  return holds(text) || (text.includes('\\') && holds(unescaped(text)));
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

const PERCENT = /%([2-7][\da-f])/gi;

/** A URL, a path, or a line that contains one; shown decoded when it contains a secret. */
export const cleanedUrl = (url: string, clean: Clean): string => {
  const read = url.replace(PERCENT, (_, hex: string) => fromHex(hex));
  return clean(read) === read ? url : clean(read);
};
