import { usageError } from './error.ts';

/** The known name that a column is meant as; of `param.k` the beginning alone, since a key is what it is. */
const knownName = (column: string, known: readonly string[]): string => {
  const text = column.trim();
  const lower = text.toLowerCase();
  const found = known.find((name) => (name.endsWith('.') ? lower.startsWith(name) : lower === name));
  return found === undefined ? column : found + text.slice(found.length);
};

/**
 * The names of a header by which its columns are read, in their order: known ones in any case, with or without blanks around
 * them, all others as they are. A known name that ends in a dot stands for all that begin so. Throws a usage error where two
 * columns come to the same name.
 */
export const columnNames = (columns: readonly string[], known: readonly string[]): readonly string[] => {
  const names = columns.map((column) => knownName(column, known));
  const first = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const before = first.get(name);
    if (before !== undefined) {
      const [one, other] = [columns[before], columns[index]].map((column) => JSON.stringify(column));
      throw usageError(`the columns ${one} and ${other} are both ${name}`, { hint: 'leave one of them out' });
    }
    first.set(name, index);
  }
  return names;
};
