import { attempt, memo } from './async.ts';

/**
 * Text from outside must not control a terminal or hide its content: C0, DEL and C1 controls (`Cc`), bidi controls,
 * line and paragraph separators, and halves of surrogate pairs (`Cs`) are shown as escapes.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_NEWLINE = /(?!\n)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HIDDEN_BUT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Characters without width: zero-width blanks and joiners, soft hyphens, variation selectors, tags. */
const UNSEEN = /[\p{DI}\p{Cf}]/gu;

/**
 * Characters without width that hide a text or get copied along. Scripts and emoji need a single one next to their own
 * characters; next to ASCII nobody needs it. Several in a row, tags and variation selectors can hold any text that only
 * a program sees: they stay in emoji alone, which the group finds (a selector after an emoji, a keycap, the flags of
 * England, Scotland and Wales).
 */
const UNSEEN_OR_EMOJI =
  /((?!\p{ASCII})\p{Emoji}[\ufe0e\ufe0f]|[\d#*]\ufe0f\u20e3|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})|[\p{DI}\p{Cf}]{2,}|[\ufe00-\ufe0f]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|(?<!\P{ASCII})[\p{DI}\p{Cf}](?!\P{ASCII})/gu;

/** True for printable ASCII on one line, as most text is: much cheaper than a search for hidden characters. */
const isPlainText = (text: string): boolean => !/[^ -~]/.test(text);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/** Computes the escape of each character once: there are a few thousand of them, and a text may hold millions. */
const rememberEach = (escapeOf: (char: string) => string): ((char: string) => string) => {
  const known = new Map<string, string>();
  return (char) => {
    const made = known.get(char) ?? escapeOf(char);
    known.set(char, made);
    return made;
  };
};

/** Escapes for JSON, which writes a character beyond U+FFFF as two. */
const unicodeEscape = rememberEach((char) =>
  char
    .split('')
    .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
    .join(''),
);

const visibleEscape = rememberEach((char) => {
  const code = char.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${hex(code)}}`;
  return SHORT[char] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${hex(code)}`);
});

/** Escapes unseen characters. Most text has none, and searching for one is cheaper. */
const unseenEscaped = (text: string, escapeOf: (char: string) => string): string =>
  text.search(UNSEEN) === -1
    ? text
    : text.replace(UNSEEN_OR_EMOJI, (found, emoji?: string) => emoji ?? Array.from(found, escapeOf).join(''));

/**
 * One line for people, without hidden and unseen characters, so that a cell stays in its cell. Escapes such as `\n`,
 * `\x1b`, `\u202e` and `\u200b` replace them.
 */
export const visible = (text: string): string =>
  isPlainText(text) ? text : unseenEscaped(text.replace(HIDDEN, visibleEscape), visibleEscape);

/** Like `visible`, but keeps line breaks. */
export const visibleLines = (text: string): string =>
  isPlainText(text) ? text : unseenEscaped(text.replace(HIDDEN_BUT_NEWLINE, visibleEscape), visibleEscape);

/**
 * Like `visible`, but escapes all zero-width characters: for text that is copied character by character, such as an
 * account number.
 */
export const visibleExactly = (text: string): string => visible(text).replace(UNSEEN, visibleEscape);

/**
 * For programs: escapes hidden characters other than newlines and tabs; zero-width ones stay, since no terminal obeys
 * them.
 */
export const visibleText = (text: string): string =>
  isPlainText(text) ? text : text.replace(HIDDEN_BUT_LAYOUT, visibleEscape);

/** Like `visibleText` for a cell of CSV, whose lines may end with \r\n. */
export const visibleCell = (text: string): string => text.split('\r\n').map(visibleText).join('\r\n');

/**
 * The same JSON with hidden and unseen characters as \uXXXX. Expects minified JSON: there such
 * characters only occur inside strings, where the escape means the same character.
 */
export const visibleJson = (minified: string): string =>
  isPlainText(minified) ? minified : unseenEscaped(minified.replace(HIDDEN, unicodeEscape), unicodeEscape);

/**
 * This program's own layout (line ends, tabs, colour, a redrawn line, and readline's cursor moves in the input line),
 * or any other hidden character.
 */
const DRAWN_OR_HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
  /(\n|\t|\r\n|\r?\u001b\[(?:[\d;]*m|2K|0J|\d+[A-DG]))|[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text layout (line ends, tabs and colour), or any other hidden character. */
const COLOURED_OR_HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what this is about
  /(\r?\n|\t|\u001b\[[\d;]*m)|[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Another program's output for a terminal, without cursor moves and redrawing. */
export const colouredText = (text: string): string =>
  text.replace(COLOURED_OR_HIDDEN, (found, kept?: string) => kept ?? visibleEscape(found));

/** Last check before a terminal: escapes hidden characters that earlier code has missed. */
export const forTerminal = (text: string): string =>
  text.replace(DRAWN_OR_HIDDEN, (found, drawn?: string) => drawn ?? visibleEscape(found));

/** Number of edits (insert, delete, replace, swap of neighbours) that turn one word into the other. */
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

/**
 * True for names two letters apart at most; one for names of three to five letters, where two would be another word.
 */
export const isNear = (name: string, known: string): boolean => {
  const most = Math.min(2, Math.floor(known.length / 3));
  return Math.abs(name.length - known.length) <= most && distance(name, known) <= most;
};

/** Minimum length of a shared beginning; a shorter one is no evidence. */
const SHORTEST = 3;

/**
 * The known word that was probably meant: the only one that starts with the typed word, else the nearest one within a
 * third of its length, else the longest one with which the typed word starts (`gtbank`: gtb). Undefined if none is
 * near, to avoid wild guesses.
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

/** A name without what a reader can't tell apart: how a letter is composed, kinds of blanks, and case. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** True unless two references are known and differ: a reading may lack one. */
export const isSameRef = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || foldedName(one) === foldedName(other);

/** A name as it is, then in the other spellings of its letters and blanks, to look for one after the other. */
export const spellingsOf = (name: string): readonly string[] => {
  const plain = name.replaceAll(/\s+/g, ' ').trim();
  return [...new Set([name, plain.normalize('NFC'), plain.normalize('NFD')])];
};

const strictDecoder = memo(() => new TextDecoder('utf-8', { fatal: true }));

/** Decodes UTF-8 and drops a byte order mark; undefined for invalid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => attempt(() => strictDecoder().decode(bytes));

/** A byte order mark; without it some spreadsheets don't recognize UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

/**
 * Places at which a spreadsheet sees a formula: at the start of a cell, and where one would start if the file were
 * split at semicolons or tabs, or without regard to quotes. Some spreadsheets take full-width signs for the usual ones,
 * and drop a tab or a carriage return before them. An apostrophe there is guarded, too: so the guard can be told from
 * it.
 */
const FORMULA = /^(?=[=+\-@\t\r'＝＋－＠])|(?<=[;\t\n])(?='*[=+\-@＝＋－＠])/g;
const GUARD = /^'(?=[=+\-@\t\r'＝＋－＠])|(?<=[;\t\n])'(?='*[=+\-@＝＋－＠])/g;

/** Puts an apostrophe before each formula that a spreadsheet would run. */
export const withoutFormula = (text: string): string => text.replace(FORMULA, "'");

/** Reverses `withoutFormula`; a text that it can't have written stays unchanged. */
const withFormula = (text: string): string => {
  const before = text.replace(GUARD, '');
  return before !== text && withoutFormula(before) === text ? before : text;
};

/** Digits that a spreadsheet reads as a number and changes: it drops leading zeros and all but 15 digits. */
const CHANGED = /^(?:0\d+|\d{16,})$/;
const KEPT = /^="(0\d+|\d{16,})"$/;

/**
 * A text for a cell: a formula gets an apostrophe in front, and digits that a spreadsheet would change become
 * `="0736…"`. CSV can't mark a column as text, and an apostrophe or a blank would be shown and copied with the digits.
 * A spreadsheet shows and saves this form as the digits alone.
 */
export const forSpreadsheet = (text: string): string => (CHANGED.test(text) ? `="${text}"` : withoutFormula(text));

/** Reverses `forSpreadsheet`; any other cell stays unchanged. */
export const fromSpreadsheet = (text: string): string => KEPT.exec(text)?.[1] ?? withFormula(text);
