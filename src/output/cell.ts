import { BOUNDS, cutText, grouped } from '../core/bounds.ts';
import { failureReason, machineValue, textAt } from '../core/charge.ts';
import { isJsonObject, mayBeInexact, NumberText, parseExact, printExact, valueAt } from '../core/json.ts';
import { decimalText, formatMoney, inMinorUnit } from '../core/money.ts';
import type { ApiRecord } from '../core/record.ts';
import type { CellKind, Column } from '../core/result.ts';
import { STATUSES, statusWord } from '../core/status.ts';
import { visible } from '../core/text.ts';
import { formatLocalFull, readInstant } from '../core/time.ts';
import { type Paint, type Styles, unpainted } from './style.ts';
import { pad, widthOf, wrap } from './text.ts';

/**
 * The record's value with exact numbers. Parses again only where numbers may have been rounded, since this runs for
 * every record of a walk. A cut record has only its value.
 */
export const exactValue = (record: ApiRecord): unknown =>
  mayBeInexact(record.text) ? parseExact(record.text) : record.value;

export const isScalar = (value: unknown): boolean => !isJsonObject(value) && !Array.isArray(value);

/** True for null, absent and empty values: nothing that a person would miss. */
export const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && machineValue(value) !== '';

/** True for an enum of the service: a text, a number, or a pair `[machine value, label]` (see `machineValue`). */
export const isEnum = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || isPair(value);

/** Members of any name, such as those of a merchant's metadata: a name tells nothing there. */
const FREE_MEMBERS = /(?:^|\.)(?:meta|metadata|headers)\./;
const MONEY_NAMES: readonly string[] = [
  ...['amount', 'charged_amount', 'total_amount_paid', 'received', 'refunded', 'missing', 'excess'],
  ...['max_amount', 'amount_today', 'approve_above', 'max_refund_amount', 'refund_amount_today'],
];
const ENUMS: readonly string[] = ['status', 'currency', 'medium', 'type', 'activity_type', 'psp'];

/** The kind of a field by its name, at any depth. A view may know better. */
export const kindOfName = (path: string): 'money' | 'enum' | undefined => {
  if (FREE_MEMBERS.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (MONEY_NAMES.includes(name)) return 'money';
  return ENUMS.includes(name) ? 'enum' : undefined;
};

/** The currency of the amount at a path: the nearest one around it, or its checkout's. */
const currencyAt = (record: unknown, path: string): string | undefined => {
  const names = path.split('.').slice(0, -1);
  for (let depth = names.length; depth >= 0; depth -= 1) {
    for (const name of ['currency', 'checkout.currency']) {
      const found = valueAt(record, [...names.slice(0, depth), name].join('.'));
      if (isEnum(found)) return cutText(machineValue(found), BOUNDS.word);
    }
  }
  return undefined;
};

/** The digits of an amount in the minor unit; undefined for a value that can't be one. */
export const amountDigits = (value: unknown): string | undefined => {
  const minor = value instanceof NumberText ? value.text : value;
  if (isBlank(minor) || (typeof minor !== 'number' && typeof minor !== 'string')) return undefined;
  return String(minor).length > BOUNDS.word ? undefined : String(minor);
};

/** The amount at a path of a record in decimals, for programs; undefined for a value that can't be one. */
export const machineDecimals = (record: unknown, value: unknown, path: string): string | undefined => {
  const [minor, currency] = [amountDigits(value), currencyAt(record, path)];
  if (minor === undefined) return undefined;
  return currency === undefined ? inMinorUnit(minor) : decimalText(minor, currency);
};

/** The text of a value for programs: as sent; objects and lists as compact JSON; null and absent are empty. */
export const machineText = (value: unknown, kind: CellKind | undefined): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if ((kind === 'enum' || kind === 'state') && isEnum(value)) return machineValue(value);
  return printExact(value);
};

/** A value for people: safe text in one line, and its colour. */
export interface Cell {
  readonly text: string;
  readonly paint: Paint;
}

/**
 * The text of a value without a column kind, cut to the limit of a cell; empty for a blank value. Not yet safe to
 * print.
 */
export const plainText = (value: unknown): string => {
  if (isBlank(value)) return '';
  return cutText(typeof value === 'string' ? value : printExact(value, ', ', ': '), BOUNDS.cell);
};

/** True for words for people, as opposed to a translation key such as `enum.ugwo_status.successful`. */
const isForPeople = (label: unknown): label is string =>
  typeof label === 'string' && label.trim() !== '' && (/\s/.test(label.trim()) || !/[._]/.test(label));

/** The label of a `[machine value, label]` pair where it is for people, else the machine value. */
const enumText = (value: unknown): string => {
  if (!isEnum(value)) return plainText(value);
  const label: unknown = Array.isArray(value) ? value[1] : undefined;
  return cutText(isForPeople(label) ? label : machineValue(value), BOUNDS.cell);
};

/** The word for a status; an unknown one as received, or by its label. */
const stateText = (value: unknown, { words }: Column): string => {
  if (!isEnum(value)) return plainText(value);
  const status = machineValue(value);
  const word = statusWord(status, words);
  return word === status && !STATUSES.has(status) ? enumText(value) : word;
};

const timeText = (value: unknown): string => {
  const instant = readInstant(value);
  return instant === undefined ? plainText(value) : formatLocalFull(instant);
};

const moneyText = (value: unknown, currency: string | undefined): string => {
  const minor = amountDigits(value);
  if (minor === undefined) return plainText(value instanceof NumberText ? value.text : value);
  return currency === undefined ? inMinorUnit(minor) : formatMoney(minor, currency);
};

const groupedText = (value: unknown, always: boolean): string => {
  if (typeof value !== 'number') return plainText(value);
  return value === 0 && !always ? '' : grouped(value);
};

const customerText = (customer: unknown): string => {
  if (!isJsonObject(customer)) return plainText(customer);
  const { email, first_name, last_name, uid } = customer;
  const name = [first_name, last_name].filter((part) => !isBlank(part)).map(plainText);
  return plainText(email) || name.join(' ') || plainText(uid);
};

/** The mediums of a checkout, by name; any other value stays as it is. */
const mediumsText = (value: unknown): string => {
  const names = Array.isArray(value) ? value.map((one) => textAt(one, 'medium')) : [''];
  return names.includes('') ? plainText(value) : cutText(names.join(', '), BOUNDS.cell);
};

/** The value of a record at a column. */
export const valueIn = (record: unknown, { path, or, shown }: Column): unknown => {
  if (shown !== undefined) return shown(record);
  const value = valueAt(record, path);
  return isBlank(value) && or !== undefined ? valueAt(record, or) : value;
};

const peopleText = (record: unknown, column: Column): string => {
  const value = valueIn(record, column);
  if (column.kind === 'time') return timeText(value);
  if (column.kind === 'money') return moneyText(value, currencyAt(record, column.path));
  if (column.kind === 'state') return stateText(value, column);
  if (column.kind === 'enum') return enumText(value);
  if (column.kind === 'count') return groupedText(value, column.always === true);
  if (column.kind === 'customer') return customerText(value);
  if (column.kind === 'mediums') return mediumsText(value);
  if (column.kind === 'reason') return plainText(failureReason(value) ?? value);
  return plainText(value);
};

/** The cell of `column` in the value of a record (see `exactValue`); empty where the value is absent. */
export const cellOf = (record: unknown, column: Column, styles: Styles): Cell => {
  const value = valueIn(record, column);
  const paint = column.kind === 'state' && isEnum(value) ? styles.state(machineValue(value)) : unpainted;
  return { text: visible(peopleText(record, column)), paint };
};

export const labelOf = (column: Column): string => visible(column.label ?? column.path);

/** The heading of a column in a table: its `--columns` name, where it has one. */
export const headingOf = (column: Column): string =>
  column.peopleOnly === true ? labelOf(column) : visible(column.path);

export interface CardField {
  readonly label: string;
  readonly cell: Cell;
}

/** With fewer columns than this beside the labels, values go on lines below them. */
const LEAST_ROOM = 12;

const isCommandLine = (text: string): boolean => text.startsWith('paycli ');

const narrowLines = ({ label, cell }: CardField, width: number, styles: Styles): string[] => [
  ...wrap(label, width).map(styles.dim),
  ...(isCommandLine(cell.text) ? [cell.text] : wrap(cell.text, Math.max(1, width - 2))).map(
    (line) => `  ${cell.paint(line)}`,
  ),
];

export const labelWidth = (labels: readonly string[]): number =>
  labels.reduce((widest, label) => Math.max(widest, widthOf(label)), 0);

/**
 * True for a command that is too long for the room beside the label, or a word that fits on a line of its own: it is
 * printed whole, so that it can be copied.
 */
const standsAlone = ({ text }: Cell, room: number, width: number): boolean =>
  widthOf(text) > room && (isCommandLine(text) || (!text.includes(' ') && widthOf(text) <= width - 2));

/**
 * Renders `label  value` lines with the values aligned after `labels` columns (by default the widest label); long
 * values continue below. Lines are at most `width` wide.
 */
export const fieldLines = (
  fields: readonly CardField[],
  width: number,
  styles: Styles,
  labels = labelWidth(fields.map(({ label }) => label)),
): string[] => {
  const room = width - labels - 2;
  return fields.flatMap((field) => {
    const { label, cell } = field;
    if (room < LEAST_ROOM || standsAlone(cell, room, width)) return narrowLines(field, width, styles);
    return wrap(cell.text, room).map((line, index) => {
      const lead = index === 0 ? styles.dim(pad(label, labels)) : ' '.repeat(labels);
      return `${lead}  ${cell.paint(line)}`;
    });
  });
};
