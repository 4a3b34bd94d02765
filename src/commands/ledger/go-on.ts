import type { Globals } from '../../cli/globals.ts';
import { shellLine } from '../../core/shell.ts';

/** The same list in the same shape, with its own `words`, from a cursor on. */
export const goOnWith =
  (verb: string, words: readonly string[], { format, columns, rawCsv }: Globals) =>
  (cursor: string): string =>
    shellLine([
      'paycli',
      'ledger',
      verb,
      ...(format === undefined ? [] : ['-o', format]),
      ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
      ...(rawCsv ? ['--raw-csv'] : []),
      ...words,
      '--cursor',
      cursor,
    ]);
