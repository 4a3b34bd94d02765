import { attempt, memo } from './async.ts';

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

/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
const distance = (left: string, right: string): number => {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let best = Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(i - 1, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (swapped) best = Math.min(best, at(i - 2, j - 2) + 1);
      row.push(best);
    }
  }
  return at(left.length, right.length);
};

/** Shorter than this, a shared beginning says nothing. */
const SHORTEST = 3;

/**
 * The known word that was probably meant: the only one that starts with what was typed, else the nearest one within a
 * third of its length, else the longest one that what was typed starts with (`gtbank`: gtb). Undefined when nothing is
 * near, so that no wild guess is offered.
 */
export const didYouMean = (typed: string, known: readonly string[]): string | undefined => {
  const word = typed
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  if (word === '' || word.length > 64) return undefined;
  const starting = known.filter((candidate) => word.length >= SHORTEST && candidate.toLowerCase().startsWith(word));
  if (starting.length === 1) return starting[0];
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(word, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  if (ranked[0] !== undefined) return ranked[0].candidate;
  return known
    .filter((candidate) => candidate.length >= SHORTEST && word.startsWith(candidate.toLowerCase()))
    .sort((a, b) => b.length - a.length)[0];
};

const decoder = memo(() => new TextDecoder('utf-8', { fatal: true }));

/** Bytes as the text that they are, without a byte order mark before it; undefined where they are none. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => attempt(() => decoder().decode(bytes));

/** A byte order mark, without which some spreadsheets don't take a file for UTF-8. */
export const MARK = '\ufeff';

/** What a spreadsheet takes for a formula (or drops, and then takes for one); and an apostrophe, so that each that is read back is one of ours. */
const FORMULA = /^[=+\-@\t\r']/;
const GUARDED = /^'[=+\-@\t\r']/;

/** A name for a cell: what a spreadsheet would run gets an apostrophe in front. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Digits that a spreadsheet takes for a number and changes: it drops leading zeros, and keeps no more than 15 digits. */
const CHANGED = /^(?:0\d+|\d{16,})$/;
const KEPT = /^="(0\d+|\d{16,})"$/;

/**
 * A text for a cell: what a spreadsheet would run gets an apostrophe in front, and digits that it would change become
 * `="0736…"`. CSV can't say that a column is text, and an apostrophe or a blank would be shown and copied with the digits; of
 * this form a spreadsheet shows the digits alone, and saves them alone.
 */
export const forSpreadsheet = (text: string): string => (CHANGED.test(text) ? `="${text}"` : withoutFormula(text));

/** The text of a cell that `forSpreadsheet` made; any other cell as it is. */
export const fromSpreadsheet = (text: string): string =>
  KEPT.exec(text)?.[1] ?? (GUARDED.test(text) ? text.slice(1) : text);

/** No dial string is longer; a QR code made of more would not fit a screen. */
const LONGEST = 64;

/** A tel: link of a dial string; undefined where it is none that a telephone would take. */
export const telLink = (code: string): string | undefined =>
  code.length <= LONGEST && /^[\d*#+]+$/.test(code) ? `tel:${encodeURIComponent(code)}` : undefined;
