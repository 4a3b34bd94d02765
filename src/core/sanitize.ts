/**
 * Text from outside must not steer a terminal or hide what it says: C0, DEL and C1 controls (`Cc`), bidi controls, line
 * and paragraph separators, and halves of surrogate pairs (`Cs`) are shown as escapes instead.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_NEWLINE = /(?!\n)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * What takes no room: zero-width blanks and joiners, soft hyphens, variation selectors, tags. Scripts and emoji need it beside
 * their own characters. Beside ASCII alone nobody does, and a number or an identifier that is copied would carry it along.
 */
const UNSEEN = /[\p{DI}\p{Cf}]/gu;
const UNSEEN_IN_ASCII = /(?<!\P{ASCII})[\p{DI}\p{Cf}]+(?!\P{ASCII})/gu;

/** Most text is printable ASCII, and finding that out is much cheaper than looking for what is hidden. */
const NOT_PLAIN = /[^ -~]/;

/** Whether a text is a line that holds nothing hidden. */
export const isPlain = (text: string): boolean => !NOT_PLAIN.test(text);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/** Makes the escape of each character once: there are a few thousand of them, and a text may hold millions. */
const once = (escapeOf: (char: string) => string): ((char: string) => string) => {
  const known = new Map<string, string>();
  return (char) => {
    const made = known.get(char) ?? escapeOf(char);
    known.set(char, made);
    return made;
  };
};

/** For JSON, which writes a character beyond U+FFFF as two. */
const unicodeEscape = once((char) =>
  char
    .split('')
    .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
    .join(''),
);

const visibleEscape = once((char) => {
  const code = char.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${hex(code)}}`;
  return SHORT[char] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${hex(code)}`);
});

/** What is unseen among ASCII as escapes. What was hidden before mostly leaves nothing but ASCII, in which there is none. */
const unseenEscaped = (text: string, escapeOf: (char: string) => string): string =>
  isPlain(text) ? text : text.replace(UNSEEN_IN_ASCII, (found) => Array.from(found, escapeOf).join(''));

/**
 * One line for people: nothing hidden survives, so that a cell stays in its cell, nor anything unseen among ASCII. `\n`,
 * `\x1b`, `\u202e`, `\u200b` stand for what was there.
 */
export const visible = (text: string): string =>
  isPlain(text) ? text : unseenEscaped(text.replace(HIDDEN, visibleEscape), visibleEscape);

/** As `visible`, but lines stay lines. */
export const visibleLines = (text: string): string =>
  isPlain(text) ? text : unseenEscaped(text.replace(HIDDEN_BUT_NEWLINE, visibleEscape), visibleEscape);

/** What is to be copied character by character, an account number say: as `visible`, and nothing unseen at all. */
export const visibleExactly = (text: string): string => visible(text).replace(UNSEEN, visibleEscape);

/** For programs: nothing hidden survives but newlines and tabs; what is unseen stays, since no terminal heeds it. */
export const visibleText = (text: string): string =>
  isPlain(text) ? text : text.replace(HIDDEN_BUT_LAYOUT, visibleEscape);

/** The same for a cell of CSV, whose lines may end as Windows ends them. */
export const visibleCell = (text: string): string => text.split('\r\n').map(visibleText).join('\r\n');

/**
 * The same JSON with everything hidden, and everything unseen among ASCII, as \uXXXX. Expects minified JSON: there such
 * characters can only be inside strings, where the escape means the very same character.
 */
export const visibleJson = (minified: string): string =>
  isPlain(minified) ? minified : unseenEscaped(minified.replace(HIDDEN, unicodeEscape), unicodeEscape);

/**
 * What this program draws with: line ends, tabs, colour, a line that is written over, and how readline moves in the line that
 * is typed; or anything else that is hidden.
 */
const DRAWN_OR_HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
  /(\n|\t|\r\n|\r?\u001b\[(?:[\d;]*m|2K|0J|\d+[A-DG]))|[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text, line ends, tabs and colour; or anything else that is hidden. */
const COLOURED_OR_HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
  /(\r?\n|\t|\u001b\[[\d;]*m)|[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** What another program printed, for a terminal: it moves no cursor and writes over nothing. */
export const colouredText = (text: string): string =>
  text.replace(COLOURED_OR_HIDDEN, (found, kept?: string) => kept ?? visibleEscape(found));

/** The last look at what goes to a terminal: whatever was forgotten to be made visible is now. */
export const forTerminal = (text: string): string =>
  text.replace(DRAWN_OR_HIDDEN, (found, drawn?: string) => drawn ?? visibleEscape(found));
