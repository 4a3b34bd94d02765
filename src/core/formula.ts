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
