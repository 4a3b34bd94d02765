import { reasonOf } from '../core/error.ts';
import { checksumOf } from './checksum.ts';
import { AT, type Row } from './columns.ts';
import type { Entry } from './entry.ts';
import { entryOf } from './rows.ts';

/** The entries of some rows, where each is what was written; of the others, what is wrong is told. */
export const readable = (rows: readonly Row[], tell: (fault: string) => void): Entry[] =>
  rows.flatMap((row) => {
    const name = `${String(row[AT.id])} (row ${row[AT.seq]})`;
    if (row[AT.checksum] !== checksumOf(row)) {
      tell(`${name} is not what paycli wrote`);
      return [];
    }
    try {
      return [entryOf(row)];
    } catch (thrown) {
      tell(`${name} can't be read: ${reasonOf(thrown)}`);
      return [];
    }
  });
