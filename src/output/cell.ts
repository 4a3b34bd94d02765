import { NumberText, printExact } from '../core/json.ts';
import { machineValue } from '../core/medium.ts';
import { memo } from '../core/memo.ts';
import { formatMoney } from '../core/money.ts';
import { valueAt } from '../core/path.ts';
import { visible } from '../core/sanitize.ts';
import { formatLocalFull, readInstant } from '../core/time.ts';
import type { Paint, Styles } from './style.ts';
import { unpainted } from './style.ts';
import { isBlank, isEnum, isObject } from './value.ts';
import type { Column } from './view.ts';

/** What a person sees of one value: safe text in one line, and its colour. */
export interface Cell {
  readonly text: string;
  readonly paint: Paint;
}

/** JSON with a blank after each comma and colon, where a line can be broken. */
const spacedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (!isObject(value)) return printExact(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spacedJson(member)}`);
  return `{${members.join(', ')}}`;
};

/** A value that no column kind knows better; empty where there is nothing to say. Not yet safe to show. */
export const plainText = (value: unknown): string => {
  if (isBlank(value)) return '';
  return typeof value === 'string' ? value : spacedJson(value);
};

/** Words for people, as opposed to a key for translators: `enum.ugwo_status.successful`. */
const isForPeople = (label: unknown): label is string =>
  typeof label === 'string' && label.trim() !== '' && (/\s/.test(label.trim()) || !/[._]/.test(label));

/** The label of a `[machine value, label]` pair where it is for people, else the machine value. */
const enumText = (value: unknown): string => {
  if (!isEnum(value)) return plainText(value);
  const label: unknown = Array.isArray(value) ? value[1] : undefined;
  return isForPeople(label) ? label : machineValue(value);
};

const timeText = (value: unknown): string => {
  const instant = readInstant(value);
  return instant === undefined ? plainText(value) : formatLocalFull(instant);
};

const moneyText = (value: unknown, currency: unknown): string => {
  const minor = value instanceof NumberText ? value.text : value;
  if (isBlank(minor) || (typeof minor !== 'number' && typeof minor !== 'string')) return plainText(value);
  return isEnum(currency) ? formatMoney(minor, machineValue(currency)) : `${minor} (minor unit)`;
};

const count = memo(() => new Intl.NumberFormat('en-US'));

const countText = (value: unknown, always: boolean): string => {
  if (typeof value !== 'number') return plainText(value);
  return value === 0 && !always ? '' : count().format(value);
};

const customerText = (customer: unknown): string => {
  if (!isObject(customer)) return plainText(customer);
  const { email, first_name, last_name, uid } = customer;
  const name = [first_name, last_name].filter((part) => !isBlank(part)).map(plainText);
  return plainText(email) || name.join(' ') || plainText(uid);
};

const textOf = (record: unknown, column: Column): string => {
  const value = valueAt(record, column.path);
  if (column.kind === 'time') return timeText(value);
  if (column.kind === 'money') return moneyText(value, valueAt(record, column.currency ?? 'currency'));
  if (column.kind === 'enum' || column.kind === 'state') return enumText(value);
  if (column.kind === 'count') return countText(value, column.always === true);
  if (column.kind === 'customer') return customerText(value);
  return plainText(value);
};

/** The cell of `column` in the value of a record (see `exactValue`); empty where there is nothing. */
export const cellOf = (record: unknown, column: Column, styles: Styles): Cell => {
  const value = valueAt(record, column.path);
  const paint = column.kind === 'state' && isEnum(value) ? styles.state(machineValue(value)) : unpainted;
  return { text: visible(textOf(record, column)), paint };
};

/** What a column is called on a card. */
export const labelOf = (column: Column): string => visible(column.label ?? column.path);

/** What a column is called in a table: what `--columns` calls it, where that can name it. */
export const headingOf = (column: Column): string =>
  column.peopleOnly === true ? labelOf(column) : visible(column.path);
