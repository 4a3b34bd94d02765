import type { Cells } from '../../bulk/cells.ts';
import type { ColumnFault } from '../../bulk/row-end.ts';
import { cutName } from '../../core/bounds.ts';
import { machineValue } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import { printExact } from '../../core/json.ts';
import { formatMoney, readMajor, splitMoney } from '../../core/money.ts';
import { isSameRef } from '../../core/text.ts';
import type { RequestTerms } from '../../ledger/entry.ts';
import { refuseRenamed } from '../record.ts';

/** The value of a cell, and that of the payment request, as people read them. Equal texts are equal values. */
type Compare = (cell: string, asked: RequestTerms) => readonly [given: string, shown: string | undefined];

/** Formats money; without a currency, the amount alone. */
const minorMoney = (minor: string | number, currency = ''): string => formatMoney(minor, currency).trim();

const termsMoney = ({ amount, currency }: RequestTerms): string | undefined =>
  amount === undefined ? undefined : minorMoney(amount, currency);

/** Columns of a file of charges that set nothing: each is compared with the payment request. */
const COMPARED: Readonly<Record<string, Compare>> = {
  amount: (cell, asked) => {
    const { currency = asked.currency ?? '', amount } = splitMoney(cell);
    const minor = readMajor(amount, currency);
    return [minor === undefined ? JSON.stringify(cell) : minorMoney(minor, currency), termsMoney(asked)];
  },
  amount_minor: (cell, asked) => [
    /^\d+$/.test(cell) ? minorMoney(cell, asked.currency) : JSON.stringify(cell),
    termsMoney(asked),
  ],
  currency: (cell, { currency }) => [cell.toUpperCase(), currency],
  ref: (cell, { ref = '' }) => [
    JSON.stringify(cell),
    JSON.stringify(isSameRef(cell, ref || undefined) ? cell : ref.trim()),
  ],
  customer: (cell, { customer, email }) =>
    isId('ony', cell) ? [cell, customer] : [cell.toLowerCase(), email?.toLowerCase()],
};
export const COMPARED_COLUMNS = Object.keys(COMPARED);

export type ComparedCell = readonly [column: string, text: string];

/** A column `customer` often holds a name, which the payment request doesn't have. */
const isCompared = ([column, text]: ComparedCell): boolean =>
  text !== '' && (column !== 'customer' || isId('ony', text) || /^[^\s@"]+@[^\s@"]+$/.test(text));

const comparedText = (value: unknown): string =>
  (typeof value === 'string' ? value : machineValue(value) || printExact(value)).trim();

/** The cells of a row to compare with its payment request. */
export const comparedIn = ({ given }: Pick<Cells, 'given'>): readonly ComparedCell[] =>
  COMPARED_COLUMNS.filter((column) => given.has(column))
    .map((column): ComparedCell => [column, comparedText(given.get(column))])
    .filter(isCompared);

/** The cells that differ from the payment request, with both values. */
export const differencesOf = (cells: readonly ComparedCell[], asked: RequestTerms): readonly ColumnFault[] =>
  cells.flatMap(([column, text]) => {
    const [given, shown] = COMPARED[column]?.(text, asked) ?? [];
    if (given === undefined || given === shown) return [];
    return [{ column, what: `${cutName(given)}, but the payment request shows ${cutName(shown ?? 'none')}` }];
  });

/** The payment request of a row, as the file describes it. */
interface ComparedRow {
  readonly ugwo: string;
  /** The ref by which it was found; undefined if the row has its id. */
  readonly name: string | undefined;
  readonly compared: readonly ComparedCell[];
}

/** Throws if a payment request differs from its row just before its charge. */
export const refuseDifferent = ({ ugwo, name, compared }: ComparedRow, asked: RequestTerms = {}): void => {
  refuseRenamed('ugw', { uid: ugwo, name }, asked.ref);
  const differences = differencesOf(compared, asked).map(({ column, what }) => `${column}: ${what}`);
  if (differences.length === 0) return;
  throw new PayError('refused', `${ugwo} was not charged: ${differences.join('; ')}`, {
    reason: 'differs from its payment request',
  });
};
