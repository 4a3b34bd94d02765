import type { Globals } from '../cli/globals.ts';
import { shellLine } from '../core/shell.ts';

/** The same list in the same shape, from a cursor on: its command with where it reads from, and then its own options. */
export const goOnFrom = (
  cursor: string,
  command: readonly string[],
  own: readonly string[],
  { format, columns, rawCsv }: Globals,
): string =>
  shellLine([
    'paycli',
    ...command,
    ...(format === undefined ? [] : ['-o', format]),
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...(rawCsv ? ['--raw-csv'] : []),
    ...own,
    ...(cursor.startsWith('-') ? [`--cursor=${cursor}`] : ['--cursor', cursor]),
  ]);
