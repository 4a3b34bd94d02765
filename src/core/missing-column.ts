import { cutName } from './bounds.ts';
import type { PayError } from './error.ts';
import { usageError } from './error.ts';
import { didYouMean } from './suggest.ts';

/** A column that a file can't do without. */
export interface NeededColumn {
  readonly name: string;
  /** What its values begin with. */
  readonly prefix: string;
  /** Other names that the same thing has in the output of this program. */
  readonly aliases: readonly string[];
  /** All columns that are read, in words. */
  readonly all: string;
}

const MOST_SHOWN = 10;
const DELIMITERS = /[,;\t|]/;

const stepOf = (columns: readonly string[], { name, prefix, aliases, all }: NeededColumn): string => {
  const [first = ''] = columns;
  if (columns.some((column) => column.startsWith(prefix))) {
    return `the first line is a row: add a header above it with the column names, such as ${name}`;
  }
  if (columns.length === 1 && DELIMITERS.test(first)) return 'set the column separator with --delimiter';
  const meant =
    columns.find((column) => aliases.includes(column.trim().toLowerCase())) ??
    columns.find((column) => didYouMean(column, [name]) !== undefined);
  return meant === undefined ? `the first line must name the columns: ${all}` : `rename column ${meant} to ${name}`;
};

/** A file without the column that says what each of its rows is about. */
export const missingColumn = (columns: readonly string[], needed: NeededColumn): PayError => {
  const more = columns.length > MOST_SHOWN ? ` and ${columns.length - MOST_SHOWN} more` : '';
  const names = columns.slice(0, MOST_SHOWN).map(cutName);
  const found = names.length === 0 ? '' : ` (found: ${names.join(', ')}${more})`;
  return usageError(`no column ${needed.name}${found}`, {
    hint: stepOf(columns, needed),
  });
};
