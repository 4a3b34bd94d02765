import { mapStrings } from './json.ts';

/**
 * Secrets are taken out of values before these are wrapped, quoted or encoded: what layout has broken, or an escape has
 * changed, is found by no search in the text that comes of it.
 */

/** Takes secrets out of a text (see Redactor). */
export type Clean = (text: string) => string;

/** An escape of JSON that stands for printable ASCII, of which keys are made. */
const JSON_ESCAPE = /\\(?:u00([2-7][\da-f])|(["\\/]))/gi;
const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
/** Slashes, which some services escape everywhere, are undone alone where that is enough: quotes and backslashes have one form. */
const unescaped = (text: string): string =>
  text.includes('\\u00')
    ? text.replace(JSON_ESCAPE, (_, hex: string | undefined, char: string) => (hex === undefined ? char : fromHex(hex)))
    : text.replaceAll('\\/', '/');

/** Whether JSON, or several texts of it, may hold a secret, however it is written. Cheap: it is asked of all that is shown. */
export const holdsSecret = (text: string, clean: Clean): boolean => {
  const holds = (read: string): boolean => clean(read) !== read;
  return holds(text) || (text.includes('\\') && holds(unescaped(text)));
};

/** JSON without the secrets in its strings, however they are written there; all else stays as it is. */
export const cleanedJson = (text: string, clean: Clean): string =>
  holdsSecret(text, clean) ? mapStrings(text, clean) : text;

/** In characters: so much is searched in a few milliseconds, and a secret is far shorter than what two stretches share. */
const [STRETCH, SHARED] = [256 * 1024, 64 * 1024] as const;

/** As `holdsSecret`, a stretch a step: to undo the escapes of a large answer takes half a second. */
function* searchSteps(text: string, clean: Clean): Generator<void, boolean> {
  if (clean(text) !== text) return true;
  if (!text.includes('\\')) return false;
  for (let at = 0; at < text.length; at += STRETCH - SHARED) {
    let from = at;
    // An escape is read from its start.
    while (text[from - 1] === '\\') from -= 1;
    const read = unescaped(text.slice(from, at + STRETCH));
    if (clean(read) !== read) return true;
    yield;
  }
  return false;
}

/** An answer without the secrets in it, whether it is JSON or not; a step ends behind each stretch that is searched. */
export function* answerSteps(text: string, clean: Clean): Generator<void, string> {
  if (!(yield* searchSteps(text, clean))) return text;
  try {
    return mapStrings(text, clean);
  } catch {
    return clean(text);
  }
}

const PERCENT = /%([2-7][\da-f])/gi;

/** A URL or a path, or a line with one in it; where a secret stands in it, it is shown decoded. */
export const cleanedUrl = (url: string, clean: Clean): string => {
  const read = url.replace(PERCENT, (_, hex: string) => fromHex(hex));
  return clean(read) === read ? url : clean(read);
};
