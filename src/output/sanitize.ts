/**
 * Text from outside must not steer a terminal or hide what it says: C0, DEL and C1 controls (`Cc`), bidi controls, line
 * and paragraph separators, and halves of surrogate pairs (`Cs`) are shown as escapes instead.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_NEWLINE = /(?!\n)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Most text is printable ASCII, and finding that out is much cheaper than looking for what is hidden. */
const NOT_PLAIN = /[^ -~]/;

/** Whether a text is a line that holds nothing hidden. */
export const isPlain = (text: string): boolean => !NOT_PLAIN.test(text);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const unicodeEscape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const visibleEscape = (char: string): string => {
  const code = char.charCodeAt(0);
  return SHORT[char] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(char));
};

/** One line: nothing hidden survives, so that a cell stays in its cell. `\n`, `\x1b`, `\u202e` stand for what was there. */
export const visible = (text: string): string => text.replace(HIDDEN, visibleEscape);

/** As `visible`, but lines stay lines. */
export const visibleLines = (text: string): string => text.replace(HIDDEN_BUT_NEWLINE, visibleEscape);

/** As `visible`, but newlines and tabs stay: for whole texts of our own. */
export const visibleText = (text: string): string => text.replace(HIDDEN_BUT_LAYOUT, visibleEscape);

/**
 * The same JSON with everything hidden as \uXXXX. Expects minified JSON: there such characters can only be inside
 * strings, where the escape means the very same character.
 */
export const visibleJson = (minified: string): string => minified.replace(HIDDEN, unicodeEscape);
