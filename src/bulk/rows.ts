import type { BulkInput } from '../cli/bulk-options.ts';
import type { Client } from '../client/client.ts';
import { cutName, firstFew } from '../core/bounds.ts';
import { type PayError, usageError } from '../core/error.ts';
import { canBeName, idIn, idProblem } from '../core/ids.ts';
import { type FlagOf, namingFlags } from '../core/input.ts';
import { currencyCode } from '../core/money.ts';
import { shellLine } from '../core/shell.ts';
import { isLeftover } from '../core/spoilt.ts';
import { didYouMean, isNear } from '../core/text.ts';
import { bareName, type Cells, cellsOf, type FileFormat, fieldsFrom, type InputRow } from './cells.ts';
import type { KeyColumn, Meant, RowItem, RowJob, RowKind } from './kind.ts';
import type { Ids } from './names.ts';
import type { RowsFile } from './read-file.ts';
import { type ColumnFault, faultsOf } from './row-end.ts';

/** Names of columns that are read; one that ends in a dot stands for all that begin with it. */
type Known = readonly string[];

const knownIn = (known: Known, column: string): string | undefined =>
  known.find((name) => (name.endsWith('.') ? column.startsWith(name) : column === name));

type ReadColumns = Pick<RowKind<never>, 'key' | 'columns' | 'compares'>;

const knownTo = ({ key, columns }: ReadColumns): Known => [
  key.name,
  ...columns.flatMap((name) => (name.endsWith('.k') ? [name.slice(0, -2), name.slice(0, -1)] : name.split(' or '))),
];

/** The part of a name before its first dot, and the rest: a key, which is case-sensitive. */
const splitName = (column: string): readonly [beginning: string, key: string | undefined] => {
  const text = column.trim();
  const dot = text.indexOf('.');
  return dot === -1 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
};

/**
 * The parts of a heading such as `Amount (NGN)` and `Amount NGN`; undefined for another word there. Signs such as `$` and
 * `#` have several meanings.
 */
const amountHeading = (column: string): { readonly name: string; readonly currency: string } | undefined => {
  const [, name = '', text, inBrackets = ''] = /^(.*?)(?:\s([A-Z]{3})|\(([A-Z]{3}|₦|GH₵|€)\))\s*$/.exec(column) ?? [];
  const currency = currencyCode(text ?? inBrackets);
  const isAmount = ['amount', 'amountminor'].includes(bareName(name));
  return isAmount && Intl.supportedValuesOf('currency').includes(currency) ? { name, currency } : undefined;
};

/** The names by which columns are read: known ones in any spelling (see `bareName`), all others unchanged. */
const knownNames = (columns: readonly string[], known: Known): readonly string[] => {
  const byBare = new Map(known.map((name) => [bareName(name), name]));
  return columns.map((column) => {
    const [beginning, key] = splitName(column);
    const whole = byBare.get(bareName(amountHeading(column)?.name ?? column));
    if (whole !== undefined) return whole;
    const found = key === undefined ? undefined : byBare.get(`${bareName(beginning)}.`);
    return found === undefined ? column : found + (key ?? '');
  });
};

/** The names of a header, in file order. Throws a usage error if two columns have the same name. */
const columnNames = (columns: readonly string[], known: Known): readonly string[] => {
  const names = knownNames(columns, known);
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

const MOST_COLUMNS_NAMED = 10;

type Needed = Pick<KeyColumn, 'name' | 'prefix' | 'aliases'>;

const cellStep = (columns: readonly string[], { name, prefix, aliases }: Needed, all: string): string => {
  const [first = ''] = columns;
  if (prefix !== undefined && columns.some((column) => column.startsWith(`${prefix}.`))) {
    return `the first line is a row: add a header above it with the column names, such as ${name}`;
  }
  if (columns.length === 1 && /[,;\t|]/.test(first)) return 'set the column separator with --delimiter';
  const meant =
    columns.find((column) => aliases.includes(column.trim().toLowerCase())) ??
    columns.find((column) => didYouMean(column, [name]) !== undefined);
  return meant === undefined ? `the first line must name the columns: ${all}` : `rename column ${meant} to ${name}`;
};

/** The error for a file without its key column; `all` lists the columns that are read, as text. */
export const missingColumn = (columns: readonly string[], needed: Needed, all: string): PayError => {
  const found = columns.length === 0 ? '' : ` (found: ${firstFew(columns.map(cutName))})`;
  return usageError(`no column ${needed.name}${found}`, { hint: cellStep(columns, needed, all) });
};

/** In files with more unused columns than this, only words are compared. */
const MOST_GUESSED = 1000;

/** The words of a name, with a blank around each: those of `refundAmount`, `Refund-Amount` and `refund_amount` are equal. */
const columnWords = (name: string): string =>
  ` ${name
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')} `;

/** A name without the number that a report gave it. */
const unnumbered = (name: string): string => name.replace(/_\d+$/, '');

/** Tests for columns that our own reports don't add. A report numbers its own where the input has one of that name. */
const isForeign = ({ report }: Pick<RowKind<never>, 'report'>): ((column: string) => boolean) => {
  // Every report adds these four to the columns of its file.
  const own = new Set(['row', 'state', 'error', 'job', ...report]);
  return (column) => !own.has(unnumbered(column));
};

/** A column that is not read, and the one that was probably meant. */
type Lookalike = readonly [column: string, meant: string];

/** True if one text begins with the other and is no longer than twice: `metadata` and `meta`, `accountnumber` and `account`. */
const isPart = (left: string, right: string): boolean => {
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 4 && long.length <= 2 * short.length && long.startsWith(short);
};

/**
 * The unread columns that resemble one that is read and that the file lacks: two letters apart (one, in a short name),
 * with its words among their own, or with one name at the beginning of the other. Such a column would be left out in
 * silence, and a refund or an update would differ from what the file says. The columns of our own reports are no such
 * columns.
 */
const lookalikes = (
  columns: readonly string[],
  known: Known,
  { key, report }: { readonly key: Pick<KeyColumn, 'name' | 'aliases'>; readonly report: readonly string[] },
): readonly Lookalike[] => {
  const present = new Set(columns);
  const unread = columns.filter((name) => knownIn(known, name) === undefined).filter(isForeign({ report }));
  const objects = new Set(known.filter((name) => name.endsWith('.')).map((name) => name.slice(0, -1)));
  const wanted = [
    ...known.filter((name) => !name.endsWith('.')).map((name): Lookalike => [name, name]),
    ...key.aliases.map((alias): Lookalike => [alias, key.name]),
  ].map(([one, name]) => ({ words: columnWords(one), bare: bareName(one), name }));
  const isGuessed = unread.length <= MOST_GUESSED;
  return unread.flatMap((column): readonly Lookalike[] => {
    const [beginning, rest] = splitName(column);
    const [words, bare] = [columnWords(beginning), bareName(beginning)];
    const meant = wanted
      .filter((one) => words.includes(one.words) || isPart(bare, one.bare) || (isGuessed && isNear(bare, one.bare)))
      .map(({ name }) => (rest !== undefined && objects.has(name) ? `${name}.${rest}` : name))
      .find((name) => !present.has(name));
    return meant === undefined ? [] : [[column, meant]];
  });
};

const IGNORE = '--ignore-columns';

/** Throws a usage error if the file has columns that resemble others. */
const refuseLookalikes = (found: readonly Lookalike[]): void => {
  const shown = found.map((names) => names.map(cutName));
  const [[first, meant] = []] = shown;
  if (first === undefined) return;
  const all = firstFew(shown.map(([column, name]) => `${JSON.stringify(column)} (${name}?)`));
  const columns = shown.slice(0, MOST_COLUMNS_NAMED).map(([column]) => column);
  const ignore = shellLine([IGNORE, columns.join(',')]);
  const [what, rename, them] =
    found.length === 1
      ? [`the column ${JSON.stringify(first)} isn't read: did you mean ${meant}?`, `rename it to ${meant}`, 'it']
      : [`${found.length} columns aren't read and resemble others: ${all}`, 'rename them', 'them'];
  throw usageError(what, { hint: `${rename}, or leave ${them} out with \`${ignore}\`; nothing was sent` });
};

/** Tests for the columns of --ignore-columns. A name with a comma arrives in parts. JSON keys are used as they are. */
const ignoring = (names: readonly string[] = [], format: FileFormat): ((column: string) => boolean) => {
  const compared = (name: string): string => (format === 'csv' ? bareName(name) : name.trim());
  const ignored = new Set(names.map(compared));
  return (column) => ignored.size > 0 && column.split(',').every((part) => ignored.has(compared(part)));
};

export type ReadRow<T> = RowItem<T> | { readonly faults: readonly ColumnFault[] };

const keyIn = (text: string, prefix: KeyColumn['prefix']): string => (prefix === undefined ? text : idIn(prefix, text));

const readKey = (cells: Cells, { name, prefix, missing, wrong }: KeyColumn, validate: boolean): string => {
  const text = keyIn(cells.text(name) ?? '', prefix);
  if (text === '' && missing !== undefined && cells.faults.length === 0) cells.fault(name, missing);
  const problem = validate && text !== '' && prefix !== undefined ? idProblem(prefix, text) : undefined;
  if (problem !== undefined) cells.fault(name, wrong?.(text, problem) ?? problem);
  return text;
};

/** Columns whose value an option sets, too: it is unclear which one counts. */
const faultIfTwice = (columns: readonly string[], known: Known, flagOf: FlagOf) =>
  columns.flatMap((column) => {
    const flag = knownIn(known, column) === undefined ? undefined : flagOf(column);
    return flag === undefined ? [] : [{ column, what: flag }];
  });

/** Counts the cells that look left by another program, and shows the first; they are sent as they are. */
export const openLeftovers = () => {
  const shown: string[] = [];
  let count = 0;
  return {
    add: (found: readonly string[]): void => {
      count += found.length;
      shown.push(...found.slice(0, MOST_COLUMNS_NAMED - shown.length));
    },
    notice: (): string | undefined => {
      if (count === 0) return undefined;
      const what =
        count === 1
          ? '1 cell looks like a leftover of another program and is sent as it is'
          : `${count} cells look like leftovers of another program and are sent as they are`;
      return `${what}: ${shown.join('; ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`;
    },
  };
};

/** The columns that a report added: from `row` and `state` to `job`. */
const addedTo = (names: readonly string[]): readonly string[] => {
  const own = names.map(unnumbered);
  const first = own.findLastIndex((name, index) => name === 'row' && own[index + 1] === 'state');
  return first === -1 ? [] : names.slice(first, own.indexOf('job', first) + 1);
};

/** A file of rows, which may be the report of an earlier command. */
export interface NextInput extends RowsFile {
  readonly isReport: boolean;
}

/**
 * The rows of a file. Of a report's own columns, the one with the id of what the command made stays, as the key. Others
 * stay where they are compared with a record, and nowhere else: a charge's account is none to pay back to.
 */
export const nextInput = (file: RowsFile, kind: ReadColumns): NextInput => {
  const own = addedTo(file.columns).map(unnumbered);
  // Only the rows of NDJSON that have an error name it.
  const isReport = own.length > 0 && (file.format === 'ndjson' || own.includes('error'));
  if (!isReport) return { ...file, isReport };
  const { key, compares } = kind;
  const known = compares === undefined ? [key.name] : knownTo(kind);
  const staying = (names: readonly string[]) => {
    const added = addedTo(names);
    const hasKey = names.some((name) => bareName(name) === key.name);
    return names.flatMap((name): readonly (readonly [from: string, to: string])[] => {
      if (!hasKey && added.includes(name) && key.aliases.includes(unnumbered(name))) return [[name, key.name]];
      return !added.includes(name) || knownIn(known, name) !== undefined ? [[name, name]] : [];
    });
  };
  const ofHeader = staying(file.columns);
  const columns = ofHeader.map(([, to]) => to);
  async function* rows(): AsyncGenerator<InputRow> {
    for await (const row of file.rows()) {
      const names = file.format === 'csv' ? ofHeader : staying(Object.keys(row.fields));
      yield { ...row, fields: fieldsFrom(names.map(([from, to]) => [to, row.fields[from]])) };
    }
  }
  // The first row of NDJSON may be one without the key.
  if (file.format === 'ndjson' && !columns.includes(key.name)) columns.push(key.name);
  return { ...file, columns, isReport, rows };
};

/** The file whose rows are read. */
type ReadFile = Pick<NextInput, 'columns' | 'format'> & Partial<Pick<NextInput, 'isReport'>>;

const isEmptyCell = (cell: unknown): boolean => String(cell ?? '').trim() === '';

/** The columns of a file that are read, by the names of their kind. */
class FileColumns {
  readonly known: Known;
  /** The names by which the columns are read, without the ignored ones. */
  readonly names: readonly string[];
  /** The heading of the amount. */
  readonly #amount: string | undefined;
  /** The currency that it names. */
  readonly currency: string | undefined;
  /** The columns that would be read without --ignore-columns. */
  readonly ignored: readonly string[];
  readonly format: FileFormat;
  readonly #isIgnored: (column: string) => boolean;
  /** True if names may be spelled otherwise. */
  readonly #isSpelled: boolean;
  /** The names in the file; undefined if they are read as they are. */
  readonly #written: readonly string[] | undefined;

  /** Throws a usage error if two columns have the same name. */
  constructor(
    kind: ReadColumns,
    { columns: all, format, isReport }: ReadFile,
    ignoreColumns: readonly string[] | undefined,
  ) {
    this.known = knownTo(kind);
    this.format = format;
    this.#isIgnored = ignoring(ignoreColumns, format);
    const written = all.filter((name) => !this.#isIgnored(name));
    // JSON keys are used as they are. Those of a report may be the columns of a CSV file.
    this.#isSpelled = format === 'csv' || isReport === true;
    const names = this.#isSpelled ? columnNames(written, this.known) : written;
    this.#amount = written[names.findIndex((name) => name === 'amount' || name === 'amount_minor')];
    this.currency = this.#amount && amountHeading(this.#amount)?.currency;
    this.names = this.currency === undefined || names.includes('currency') ? names : [...names, 'currency'];
    this.#written = all.every((name, index) => name === this.names[index]) ? undefined : written;
    this.ignored = knownNames(all.filter(this.#isIgnored), this.known).filter((name) => this.isRead(name));
  }

  /** The heading that says a column's value. */
  headingOf(column: string): string | undefined {
    return (this.#written ?? this.names)[this.names.indexOf(column)] ?? this.#amount;
  }

  isRead(column: string): boolean {
    return knownIn(this.known, column) !== undefined;
  }

  /** The fields of a row under the names by which they are read, with the currency of a heading. */
  fieldsIn(row: InputRow): InputRow['fields'] {
    const fields = this.#namedFields(row);
    const currency = this.currencyIn(row);
    const hasAmount = !isEmptyCell(fields['amount']) || !isEmptyCell(fields['amount_minor']);
    if (currency === undefined || !hasAmount || !isEmptyCell(fields['currency'])) return fields;
    return fieldsFrom([...Object.entries(fields), ['currency', currency]]);
  }

  /** The currency that the name of a row's amount says: in NDJSON, of the row alone. */
  currencyIn({ fields }: Pick<InputRow, 'fields'>): string | undefined {
    if (this.format === 'csv') return this.currency;
    if (!this.#isSpelled) return undefined;
    return Object.keys(fields)
      .map((name) => amountHeading(name)?.currency)
      .find((currency) => currency !== undefined);
  }

  #namedFields({ fields }: InputRow): InputRow['fields'] {
    if (this.format === 'csv') {
      const written = this.#written;
      if (written === undefined) return fields;
      return fieldsFrom(this.names.map((name, index) => [name, fields[written[index] ?? ''] ?? '']));
    }
    const entries = Object.entries(fields);
    const read = entries.filter(([name]) => !this.#isIgnored(name));
    if (!this.#isSpelled) return read.length === entries.length ? fields : fieldsFrom(read);
    const names = knownNames(
      read.map(([name]) => name),
      this.known,
    );
    return fieldsFrom(read.map(([, value], index) => [names[index] ?? '', value]));
  }

  cells(fields: InputRow['fields']): Cells {
    return cellsOf(fields, this.format, this.names);
  }
}

/** Throws a usage error if the columns don't fit the kind. */
const checkColumns = <T>(kind: RowKind<T>, file: FileColumns): void => {
  const { known, names, format } = file;
  const { key } = kind;
  if (key.missing !== undefined && !names.includes(key.name)) {
    throw missingColumn(names, key, [key.name, ...kind.columns].join(', '));
  }
  for (const { column, what } of faultIfTwice(names, known, kind.flagOf)) {
    throw usageError(`${what} and the column ${file.headingOf(column)} set the same value; leave one out`);
  }
  refuseLookalikes(lookalikes(names, known, kind));
  kind.checkColumns?.(names, format);
};

/** The options and the client with which a file is read. */
interface Reading extends Pick<BulkInput, 'ignoreColumns'> {
  readonly client: Pick<Client, 'check'>;
  readonly validate: boolean;
}

/** Reads the rows of a file for a noun. The same row always reads the same. */
export class RowReader<T> implements Pick<RowJob<T>, 'named'> {
  readonly #kind: RowKind<T>;
  readonly #file: ReadFile;
  readonly #reading: Reading;
  readonly #columns: FileColumns;
  /** The ids of the names that rows have in their place. */
  readonly #ids: Ids;

  /** Throws a usage error if the columns don't fit. */
  constructor(kind: RowKind<T>, file: ReadFile, reading: Reading, ids: Ids = new Map<string, Meant>()) {
    this.#kind = kind;
    this.#file = file;
    this.#reading = reading;
    this.#columns = new FileColumns(kind, file, reading.ignoreColumns);
    checkColumns(kind, this.#columns);
    this.#ids = ids;
  }

  /** A reader that also knows these ids. */
  withIds(ids: Ids): RowReader<T> {
    return new RowReader(this.#kind, this.#file, this.#reading, new Map([...this.#ids, ...ids]));
  }

  /** The columns that would be read without --ignore-columns. */
  get ignored(): readonly string[] {
    return this.#columns.ignored;
  }

  get notices(): readonly string[] {
    const unused = this.#columns.names.filter(isForeign(this.#kind)).filter((name) => !this.#columns.isRead(name));
    return unused.length === 0 ? [] : [`Ignored columns (copied to the report): ${firstFew(unused)}`];
  }

  /** Rewrites the violations of an error to name the column or the flag behind each property. */
  readonly named = (thrown: unknown, item: T): unknown => {
    const kind = this.#kind;
    const flagOf = kind.columnOf(item, this.#columns.names);
    return namingFlags(thrown, flagOf, kind.guessOf?.(item), kind.money?.(item)?.currency);
  };

  /** The name that a row has in place of an id; undefined if its id is known. */
  newNameIn(row: InputRow): string | undefined {
    const [column] = this.#kind.named ?? [];
    if (column === undefined) return undefined;
    const cell = this.#columns.fieldsIn(row)[column] ?? null;
    const name = this.#nameIn(this.#columns.cells(fieldsFrom([[column, cell]])));
    return name === undefined || this.#ids.has(name) ? undefined : name;
  }

  /** True for a row of a report that has no key: the earlier command made nothing for it. */
  isLeftOut(row: InputRow): boolean {
    const { name, missing } = this.#kind.key;
    if (this.#file.isReport !== true || missing === undefined) return false;
    return !this.#columns.cells(this.#columns.fieldsIn(row)).given.has(name);
  }

  readonly read = (row: InputRow): ReadRow<T> => {
    const { key, keyOf, read } = this.#kind;
    if (this.isLeftOut(row)) return { faults: [{ column: key.name, what: key.missing ?? 'is missing' }] };
    const fields = this.#columns.fieldsIn(row);
    const given = this.#columns.cells(fields);
    const name = this.#nameIn(given);
    const meant = name === undefined ? undefined : this.#ids.get(name);
    const cells = meant === undefined ? given : this.#withId(fields, meant);
    this.#refuseExample(cells);
    this.#refuseCurrency(cells, this.#columns.currencyIn(row));
    if (cells.faults.length > 0) return { faults: cells.faults };
    const about = readKey(cells, key, this.#reading.validate);
    if (this.#columns.format === 'ndjson') this.#checkNames(cells);
    const item = read(cells, about, meant && name);
    if (cells.faults.length > 0 || item === undefined) return { faults: cells.faults };
    return { key: keyOf?.(item) ?? about, item };
  };

  /** Reads a row and checks it against the contract; sending checks that again. */
  judge(row: InputRow): ReadRow<T> {
    const asked = this.read(row);
    if ('faults' in asked) return asked;
    try {
      const { operation, input } = this.#kind.request(asked.item);
      this.#reading.client.check(operation, input);
      return asked;
    } catch (thrown) {
      return { faults: faultsOf(this.named(thrown, asked.item)) };
    }
  }

  #refuseExample(cells: Cells): void {
    for (const [column, text] of Object.entries(this.#kind.example)) {
      if (!text.includes('EXAMPLE') || cells.given.get(column) !== text) continue;
      cells.fault(column, `"${text}" is the example of the template: replace it, or delete the row`);
    }
  }

  /** A row whose currency differs from the one in the heading of its amount. */
  #refuseCurrency({ given, fault }: Cells, currency: string | undefined): void {
    const own = given.get('currency');
    const hasAmount = given.has('amount') || given.has('amount_minor');
    if (currency === undefined || !hasAmount || String(own).toUpperCase() === currency) return;
    fault('currency', `${String(own)} is not ${currency}, as the heading of the amount says`);
  }

  /** NDJSON rows may have different names, so the first row is not enough. */
  #checkNames(cells: Cells): void {
    const { known, names: first } = this.#columns;
    for (const { column, what } of faultIfTwice(cells.names, known, this.#kind.flagOf)) {
      cells.fault(column, `is also set by ${what}`);
    }
    if (cells.names.every((name, index) => name === first[index])) return;
    for (const [column, meant] of lookalikes(cells.names, known, this.#kind)) {
      cells.fault(column, `is not read: did you mean ${cutName(meant)}? (leave it out with ${IGNORE})`);
    }
  }

  /** The cells of a row that another program has probably left, in words. */
  leftoversIn(row: InputRow): readonly string[] {
    return Object.entries(this.#columns.fieldsIn(row))
      .filter(
        ([name, value]) => typeof value === 'string' && isLeftover(value.trim(), name) && this.#columns.isRead(name),
      )
      .map(([name, value]) => `row ${row.number}, column ${name}: ${JSON.stringify(cutName(String(value)))}`);
  }

  #nameIn({ given }: Pick<Cells, 'given'>): string | undefined {
    const [column = '', prefix] = (this.#reading.validate && this.#kind.named) || [];
    const text = given.get(column);
    return prefix && typeof text === 'string' && canBeName(prefix, keyIn(text, prefix)) ? text : undefined;
  }

  /** The cells of a row, with the id in place of its name. */
  #withId(fields: InputRow['fields'], { ids, problem }: Meant): Cells {
    const [column = ''] = this.#kind.named ?? [];
    const id = problem === undefined ? ids[0] : null;
    const cells = this.#columns.cells(fieldsFrom([...Object.entries(fields), [column, id]]));
    if (problem !== undefined) cells.fault(column, [problem, ids.join(', ')].filter(Boolean).join(': '));
    return cells;
  }
}
