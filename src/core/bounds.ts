import { withoutKeys } from './secret.ts';

/**
 * Limits on an answer. Bytes alone bound neither memory nor time: two million of them can be a million empty lists. A
 * read beyond these limits fails. A proven write stays done, and only the main fields of its answer are read.
 */
export const BOUNDS = {
  /** The largest legal page, 100 records with all documented fields, has about 160 kB. */
  bytes: 2 * 1024 * 1024,
  /** Documented answers are 6 levels deep; every level costs stack. */
  depth: 64,
  /** A hundred for each record of ten of the largest pages. Each value takes over 100 bytes of memory. */
  values: 100_000,
  /** In bytes. Paths consist of names, and are printed. */
  name: 1000,
  /** Characters. Values under a longer path are printed as one line of tsv, since each line would repeat the path. */
  path: 256,
  /** Longest identifier, in characters (the service's have 29). Ledger rows store it. */
  id: 256,
  /** Characters. A cursor is part of the next URL, and few servers accept longer ones. */
  cursor: 4096,
  /** A service may ignore `limit`, but not by more than ten of the largest pages. */
  records: 1000,
  /** Violations of one request: nobody reads more of them. */
  violations: 100,
  /** Characters of one sentence of the service in a message of ours. */
  sentence: 1000,
  /** Characters of a status or another machine value, as columns of the ledger and of tables hold them. */
  word: 100,
  /** Characters of one value on a card or in a table: a few screens. */
  cell: 4000,
  /** Characters of an answer in an error for people: ten times the largest documented answer. JSON has all of it. */
  answer: 64 * 1024,
  /** Lines of a card for undocumented members, and rows of a list inside a record. */
  lines: 200,
  /** Characters of the customer's next step as the ledger stores it: a thousand times the usual size. */
  kept: 64 * 1024,
  /** Characters of a column's name in a message: in a file of another format one may be as long as a row. */
  column: 60,
} as const;

export const grouped = (count: number): string => count.toLocaleString('en-US');

/** A count with its noun: `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Size of a JSON text, as far as memory and time depend on it. */
export interface Measure {
  /** Nesting depth of arrays and objects. */
  readonly depth: number;
  /** Number of values; each member of an object and each element of an array counts. */
  readonly values: number;
  /** The longest name of a member, in bytes. */
  readonly name: number;
}

/** Sentence that names the exceeded limit; undefined if the text is within all of them. */
export const excessOf = ({ depth, values, name }: Measure): string | undefined => {
  if (depth > BOUNDS.depth) return `the answer is nested deeper than ${BOUNDS.depth} levels`;
  if (values > BOUNDS.values) return `the answer has more than ${grouped(BOUNDS.values)} values`;
  return name > BOUNDS.name ? `the answer has a name of more than ${grouped(BOUNDS.name)} bytes` : undefined;
};

/**
 * The first characters of a text and the number of cut ones; the whole text when it is short enough. Secrets must be
 * removed before.
 */
export const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const head = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${head}… (${grouped(text.length - head.length)} more characters)`;
};

/**
 * A column's name for a message. A file may hold a key in any cell, and the redactor would not recognize a key that
 * was cut.
 */
export const cutName = (name: string): string => {
  const cleaned = withoutKeys(name);
  return cleaned.length > BOUNDS.column ? `${cleaned.slice(0, BOUNDS.column)}…` : cleaned;
};

/** The first elements of a list, and the number of the others. */
export const cutList = <T>(
  list: readonly T[],
  most: number,
): { readonly first: readonly T[]; readonly more: number } =>
  list.length <= most ? { first: list, more: 0 } : { first: list.slice(0, most), more: list.length - most };

/** The first of `count` words or numbers, for a sentence: `a, b and 3 more`. */
export const firstFew = (all: readonly unknown[], most = 10, count = all.length): string => {
  const first = all.slice(0, most);
  return `${first.join(', ')}${count > first.length ? ` and ${count - first.length} more` : ''}`;
};
