import { closeSync, openSync, writeSync } from 'node:fs';

export const KEY = `sk.Bnch.${'b'.repeat(80)}`;

const AT_ONCE = 10_000;

/** The payment request that a row is about: another one for each. */
export const ugwoId = (row: number): string => `ugw.Bnch.${String(row).padStart(24, '0')}`;

/** Writes the file of a bulk charge: a header, and one payment request a row. */
export const writeRows = (path: string, count: number): void => {
  const file = openSync(path, 'w');
  writeSync(file, 'ugwo\n');
  for (let row = 1; row <= count; row += AT_ONCE) {
    const last = Math.min(count, row + AT_ONCE - 1);
    writeSync(file, Array.from({ length: last - row + 1 }, (_, index) => `${ugwoId(row + index)}\n`).join(''));
  }
  closeSync(file);
};
