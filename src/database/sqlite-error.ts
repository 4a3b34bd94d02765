const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code of an error, or of the first of its causes that has one. */
const codeOf = (thrown: unknown): number | undefined => {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    const { errcode } = at as { errcode?: number };
    if (errcode !== undefined) return errcode & 0xff;
  }
  return undefined;
};

/** Others keep the file locked: no reason to think that the disk is at fault. */
export const isBusy = (thrown: unknown): boolean => codeOf(thrown) === SQLITE_BUSY;

/** What SQLite takes for whole, and is not what was written. */
export class Damage extends Error {}

/** Whether the file is not whole, as SQLite or a look of our own says. */
export const isDamage = (thrown: unknown): boolean => {
  if (thrown instanceof Damage) return true;
  const code = codeOf(thrown);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};
