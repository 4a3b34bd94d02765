import type { Cells } from '../bulk/cells.ts';
import { asFlag, type FlagOf } from '../core/input.ts';
import { definedIn, NumberText } from '../core/json.ts';
import { type GivenAmount, readGiven } from '../core/money.ts';

/** Finds the option that sets the value of a column for every row. It has the same name. */
export const flagIn =
  (options: object): FlagOf =>
  (column) =>
    (options as Readonly<Record<string, unknown>>)[column] === undefined ? undefined : asFlag(column);

/** The texts of a row. Options apply where the row has none. */
export const textsIn = <K extends string>(
  cells: Cells,
  columns: readonly K[],
  options: { readonly [C in K]?: string },
): { readonly [C in K]?: string } => ({
  ...options,
  ...definedIn(Object.fromEntries(columns.map((name) => [name, cells.text(name)]))),
});

/** The column that sets a field, wholly or in part: `meta.a:` for `meta.a.b`. Undefined if none does. */
export const columnAmong = (columns: readonly string[], field: string): string | undefined => {
  const names = field.split('.');
  const paths = names.map((_, index) => names.slice(0, names.length - index).join('.'));
  const found = paths.flatMap((path) => [path, `${path}:`]).find((name) => columns.includes(name));
  return found ?? columns.find((name) => name.startsWith(`${field}.`));
};

/** Names what sets a property for a row: a column, or the option. `fieldOf` gives the column that could. */
export const columnBy =
  (fieldOf: FlagOf, columns: readonly string[], flagOf: FlagOf): FlagOf =>
  (path) => {
    const field = fieldOf(path);
    if (field === undefined) return path;
    if (field === 'amount' && columns.includes('amount_minor')) return 'amount_minor';
    return columnAmong(columns, field) ?? flagOf(field) ?? field;
  };

/** Finds the flag that sets a property of the body. */
export const flagBy =
  (fieldOf: FlagOf, amount: GivenAmount | undefined): FlagOf =>
  (path) => {
    const [field] = fieldOf(path)?.split('.') ?? [];
    if (field === 'amount' && amount !== undefined) return amount.flag;
    return field && asFlag(field);
  };

/**
 * An amount in the minor unit may be a number in NDJSON. An amount with decimals must be a text, which keeps its zeros.
 */
const minorText = (cells: Cells): string | undefined => {
  const given = cells.given.get('amount_minor');
  return typeof given === 'number' || given instanceof NumberText ? String(given) : cells.text('amount_minor');
};

const givenIn = (cells: Cells): GivenAmount | undefined => {
  const [amount, minor] = [cells.text('amount'), minorText(cells)];
  if (amount !== undefined && minor !== undefined) cells.fault('amount', "can't be used together with amount_minor");
  if (amount !== undefined) return { flag: '--amount', text: amount };
  return minor === undefined ? undefined : { flag: '--amount-minor', text: minor };
};

/**
 * Amount of a row in the minor unit, and its currency. Undefined if the row has none, or if it is wrong (reported as a
 * fault).
 */
export const amountIn = (
  cells: Cells,
  currency: string | undefined,
): { readonly minor: number; readonly currency: string } | undefined => {
  const given = givenIn(cells);
  if (given === undefined) return undefined;
  if (currency === undefined) {
    cells.fault('currency', 'is missing: the currency of the amount, such as NGN');
    return undefined;
  }
  const read = readGiven(given, currency);
  if ('minor' in read) return { minor: read.minor, currency };
  const column = given.flag === '--amount' ? 'amount' : 'amount_minor';
  cells.fault(column, `${read.problem}; write 5,000.00, or 500000 in a column amount_minor`);
  return undefined;
};
