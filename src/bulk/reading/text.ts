/** The longest row, in bytes with all that is between its cells: what is longer is no row that was meant. */
export const LONGEST_ROW = 1024 * 1024;

/** A byte order mark at the start of the file is dropped before this; anywhere else it is what the file holds. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is wrong with bytes as a text, if anything is. */
export interface NotText {
  readonly what: string;
  readonly hint: string;
}

const NOT_UTF8: NotText = { what: 'not UTF-8', hint: 'save the file as UTF-8; nothing was sent' };
const HAS_NUL: NotText = { what: 'a NUL character', hint: 'the file is damaged or not a text; nothing was sent' };

const decoded = (bytes: Uint8Array): string | NotText => {
  try {
    return utf8.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
};

/** The text of the bytes, or what is wrong with them. */
export const textOf = (bytes: Uint8Array): string | NotText => {
  if (bytes.includes(0)) return HAS_NUL;
  return decoded(bytes);
};

/** As `textOf`, of bytes that were kept one a character (latin1). */
export const textOfBytes = (kept: string): string | NotText => {
  if (kept.includes('\0')) return HAS_NUL;
  return /^\p{ASCII}*$/u.test(kept) ? kept : decoded(Buffer.from(kept, 'latin1'));
};
