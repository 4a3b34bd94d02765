/** What a spreadsheet takes for a formula (or drops, and then takes for one). */
const FORMULA = /^[=+\-@\t\r]/;

/** A text for a cell: what a spreadsheet would run gets an apostrophe in front. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
