import { didYouMean } from './suggest.ts';

const MOST_GUESSED = 1000;

/** A column that nothing reads. */
interface UnusedColumn {
  readonly name: string;
  /** The known name that was probably meant. */
  readonly meant: string | undefined;
}

/** `parm.tier` where `param.` is known: `param.tier`. */
const meantByBeginning = (name: string, beginnings: readonly string[]): string | undefined => {
  const dot = name.indexOf('.');
  if (dot === -1) return undefined;
  const words = beginnings.map((beginning) => beginning.slice(0, -1));
  const word = didYouMean(name.slice(0, dot), words);
  return word === undefined ? undefined : word + name.slice(dot);
};

/**
 * The columns that nothing reads, in their order. A known name that ends in a dot stands for all that begin so. What the
 * file has a column for already was not meant by another.
 */
export const unusedColumns = (
  columns: readonly string[],
  known: (name: string) => boolean,
  knownNames: readonly string[],
): readonly UnusedColumn[] => {
  const present = new Set(columns);
  const names = knownNames.filter((name) => !name.endsWith('.') && !present.has(name));
  const beginnings = knownNames.filter((name) => name.endsWith('.'));
  const meantBy = (name: string): string | undefined => {
    const meant = didYouMean(name, names) ?? meantByBeginning(name, beginnings);
    return meant === undefined || present.has(meant) ? undefined : meant;
  };
  const unused = columns.filter((name) => !known(name));
  // Whoever writes a thousand columns has misspelt none that we would find.
  const guess = unused.length <= MOST_GUESSED ? meantBy : () => undefined;
  return unused.map((name) => ({ name, meant: guess(name) }));
};

const MOST_NAMED = 10;

/** What people should know of such columns, in lines; none where every column is read. */
export const unusedNotices = (...args: Parameters<typeof unusedColumns>): readonly string[] => {
  const unused = unusedColumns(...args);
  if (unused.length === 0) return [];
  const names = unused.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = unused.length > names.length ? ` and ${unused.length - names.length} more` : '';
  const guesses = unused.flatMap(({ name, meant }) => (meant === undefined ? [] : [`${name}: did you mean ${meant}?`]));
  return [`Ignored columns (copied to the report): ${names.join(', ')}${more}`, ...guesses];
};
