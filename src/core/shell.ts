/** A word as a POSIX shell takes it back: as it is when harmless, else in single quotes. */
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

export const shellLine = (words: readonly string[]): string => words.map(shellQuote).join(' ');
