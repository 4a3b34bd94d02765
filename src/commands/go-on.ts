import type { Globals } from '../cli/globals.ts';
import { placeWords } from '../core/place-words.ts';
import { shellLine } from '../core/shell.ts';

/** The same list in the same shape, from a cursor on: what it is called by, where it reads from, and then its own options. */
export const goOnFrom = (cursor: string, path: readonly string[], own: readonly string[], globals: Globals): string => {
  const { format, columns, rawCsv, bom } = globals;
  return shellLine([
    'paycli',
    ...path,
    ...placeWords(globals),
    ...(format === undefined ? [] : ['-o', format]),
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...(rawCsv ? ['--raw-csv'] : []),
    ...(bom ? ['--bom'] : []),
    ...own,
    ...(cursor.startsWith('-') ? [`--cursor=${cursor}`] : ['--cursor', cursor]),
  ]);
};
