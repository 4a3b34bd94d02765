import { withoutKeys } from './secret.ts';

/**
 * What an answer may hold, and how much of one is kept and shown. Bytes alone bound neither memory nor time: eight million of
 * them can be four million empty lists, or one name in front of a million numbers. A read beyond these fails; a write that is
 * proven stays done, and only what is kept and shown of its answer is bounded.
 */
export const BOUNDS = {
  /** The largest page there can be, of 100 records with all that is documented, takes a fiftieth. */
  bytes: 8 * 1024 * 1024,
  /** What is documented is 6 levels deep; every level costs stack. */
  depth: 64,
  /** A hundred for each record of ten of the largest pages. More need over 100 bytes of memory each. */
  values: 100_000,
  /** In bytes. Whole paths are made of names, and printed. */
  name: 1000,
  /** Characters. What stands under a longer path is one line of tsv, since each line would repeat the path. */
  path: 256,
  /** Characters. Those of the service have 29; one is in every path, line and row of the ledger. */
  id: 256,
  /** Characters. A cursor is part of the next URL, and longer ones pass few servers. */
  cursor: 4096,
  /** A service may ignore `limit`, but not by more than ten of the largest pages. */
  records: 1000,
  /** Faults of one request: nobody reads more of them. */
  violations: 100,
  /** Characters of one sentence of the service in a message of ours. */
  sentence: 1000,
  /** Characters of a status or another machine value, which columns of the ledger and of tables are made of. */
  word: 100,
  /** Characters of one value on a card or in a table: some screens full. */
  cell: 4000,
  /** Characters of an answer in an error for people: ten times the largest that is documented. JSON has all of it. */
  answer: 64 * 1024,
  /** Lines of a card for what is not documented, and rows of a list inside a record. */
  lines: 200,
  /** Characters of what the customer must do, as the ledger keeps it: a thousand times what is usual would fit. */
  kept: 64 * 1024,
  /** Characters of a column's name in a message: where a file is no such file, one may be as long as a row. */
  column: 60,
} as const;

/** A count for people. */
export const grouped = (count: number): string => new Intl.NumberFormat('en-US').format(count);

/** What a JSON text is made of, as far as memory and time depend on it. */
export interface Measure {
  /** How deep arrays and objects are nested. */
  readonly depth: number;
  /** How many values there are, the members of objects and the elements of arrays each for themselves. */
  readonly values: number;
  /** The longest name of a member, in bytes. */
  readonly name: number;
}

/** What of a measured text is beyond the bounds, as a sentence; undefined where nothing is. */
export const excessOf = ({ depth, values, name }: Measure): string | undefined => {
  if (depth > BOUNDS.depth) return `the answer is nested deeper than ${BOUNDS.depth} levels`;
  if (values > BOUNDS.values) return `the answer has more than ${grouped(BOUNDS.values)} values`;
  return name > BOUNDS.name ? `the answer has a name of more than ${grouped(BOUNDS.name)} bytes` : undefined;
};

/** What stands in the place of so many characters. */
export const leftOut = (characters: number): string => `… (${grouped(characters)} more characters)`;

/** The first characters of a text, and how many are left out; the whole where it is no longer. Secrets are taken out before. */
export const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const head = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return head + leftOut(text.length - head.length);
};

/** A column's name as a message has it. A file may hold a key in any cell, and what is left of one that is cut is known to nobody. */
export const cutName = (name: string): string => {
  const cleaned = withoutKeys(name);
  return cleaned.length > BOUNDS.column ? `${cleaned.slice(0, BOUNDS.column)}…` : cleaned;
};

/** The first of a list, and how many more there are. */
export const cutList = <T>(
  list: readonly T[],
  most: number,
): { readonly first: readonly T[]; readonly more: number } =>
  list.length <= most ? { first: list, more: 0 } : { first: list.slice(0, most), more: list.length - most };
