/** The longest row, in bytes with all that is between its cells: what is longer is no row that was meant. */
export const LONGEST_ROW = 1024 * 1024;

/** A byte order mark at the start of the file is dropped before this; anywhere else it is what the file holds. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Makes the error for bytes that are no text. */
type Wrong = (what: string, hint: string) => Error;

/** The text of the bytes; throws what is wrong with them. */
export const textOf = (bytes: Uint8Array, wrong: Wrong): string => {
  if (bytes.includes(0)) throw wrong('a NUL character', 'the file is damaged or not a text');
  try {
    return utf8.decode(bytes);
  } catch {
    throw wrong('not UTF-8', 'save the file as UTF-8');
  }
};

/** As `textOf`, of bytes that were kept one a character (latin1). */
export const textOfBytes = (kept: string, wrong: Wrong): string =>
  /^\p{ASCII}*$/u.test(kept) && !kept.includes('\0') ? kept : textOf(Buffer.from(kept, 'latin1'), wrong);
