import type { Cells } from '../bulk/cells.ts';
import { usageError } from '../core/error.ts';
import { asFlag, type FlagOf } from '../core/input.ts';
import { NumberText } from '../core/json.ts';
import { type GivenAmount, readGiven } from '../core/money.ts';

/** Values that options set for every row, by the matching column. */
export type Filled = Readonly<Record<string, string | undefined>>;

/** Throws if an option and a column set the same value: it is unclear which one counts. */
export const refuseTwice = <C extends string>(
  options: { readonly [K in C]?: unknown },
  columns: readonly C[],
): void => {
  const column = columns.find((name) => options[name] !== undefined);
  if (column === undefined) return;
  throw usageError(`${asFlag(column)} and the column ${column} set the same value; leave one out`);
};

/** The row's value, or the option's. Reports a fault if both are given, since NDJSON rows may have different names. */
export const eitherOf = <T>(cells: Cells, column: string, own: T | undefined, option: T | undefined): T | undefined => {
  if (own !== undefined && option !== undefined) cells.fault(column, `is also set by ${asFlag(column)}`);
  return own ?? option;
};

/** The row's text, or the option's. */
export const wordOf = (cells: Cells, column: string, options: Filled): string | undefined =>
  eitherOf(cells, column, cells.text(column), options[column]);

/** Finds the column that sets a property of the body. The flag has the same name. */
type ColumnOf = (propertyPath: string) => string | undefined;

/** The flag that sets a property. */
export const flagBy =
  (columnOf: ColumnOf, amount: GivenAmount | undefined): FlagOf =>
  (path) => {
    const column = columnOf(path);
    if (column === 'amount' && amount !== undefined) return amount.flag;
    return column && asFlag(column);
  };

/** The source of a property in a file: a column, or the flag. */
export const columnBy =
  (columnOf: ColumnOf, columns: readonly string[]) =>
  (path: string): string => {
    const column = columnOf(path);
    if (column === undefined) return path;
    if (column === 'amount' && columns.includes('amount_minor')) return 'amount_minor';
    return columns.some((name) => name === column || name.startsWith(`${column}.`)) ? column : asFlag(column);
  };

/** Columns of an amount: in the currency's decimals, or in the minor unit. */
export const AMOUNT_COLUMNS = ['amount', 'amount_minor', 'currency'] as const;

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
export const moneyIn = (
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
