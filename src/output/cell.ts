import { BOUNDS, cutText, leftOut } from '../core/bounds.ts';
import { NumberText, printExact } from '../core/json.ts';
import { machineValue } from '../core/medium.ts';
import { memo } from '../core/memo.ts';
import { formatMoney } from '../core/money.ts';
import { valueAt } from '../core/path.ts';
import type { Column } from '../core/result.ts';
import { visible } from '../core/sanitize.ts';
import { formatLocalFull, readInstant } from '../core/time.ts';
import type { Paint, Styles } from './style.ts';
import { unpainted } from './style.ts';
import { isBlank, isEnum, isObject } from './value.ts';

/** What a person sees of one value: safe text in one line, and its colour. */
export interface Cell {
  readonly text: string;
  readonly paint: Paint;
}

type Say = (token: string) => void;

const sayJson = (value: unknown, say: Say): void => {
  if (!Array.isArray(value) && !isObject(value)) {
    say(printExact(value));
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  say(open as string);
  for (const [index, [name, member]] of Object.entries(value).entries()) {
    if (index > 0) say(', ');
    if (open === '{') say(`${JSON.stringify(name)}: `);
    sayJson(member, say);
  }
  say(close as string);
};

/** JSON with a blank after each comma and colon, where a line can be broken; as much as a cell may hold. */
const spacedJson = (value: unknown): string => {
  let [text, length] = ['', 0];
  sayJson(value, (token) => {
    length += token.length;
    if (text.length < BOUNDS.cell) text += token.slice(0, BOUNDS.cell - text.length);
  });
  return length > text.length ? text + leftOut(length - text.length) : text;
};

/** A value that no column kind knows better, as much of it as a cell may hold; empty where there is nothing to say. Not yet safe to show. */
export const plainText = (value: unknown): string => {
  if (isBlank(value)) return '';
  return typeof value === 'string' ? cutText(value, BOUNDS.cell) : spacedJson(value);
};

/** Words for people, as opposed to a key for translators: `enum.ugwo_status.successful`. */
const isForPeople = (label: unknown): label is string =>
  typeof label === 'string' && label.trim() !== '' && (/\s/.test(label.trim()) || !/[._]/.test(label));

/** The label of a `[machine value, label]` pair where it is for people, else the machine value. */
const enumText = (value: unknown): string => {
  if (!isEnum(value)) return plainText(value);
  const label: unknown = Array.isArray(value) ? value[1] : undefined;
  return cutText(isForPeople(label) ? label : machineValue(value), BOUNDS.cell);
};

const timeText = (value: unknown): string => {
  const instant = readInstant(value);
  return instant === undefined ? plainText(value) : formatLocalFull(instant);
};

const moneyText = (value: unknown, currency: unknown): string => {
  const minor = value instanceof NumberText ? value.text : value;
  if (isBlank(minor) || (typeof minor !== 'number' && typeof minor !== 'string')) return plainText(value);
  if (String(minor).length > BOUNDS.word) return plainText(minor);
  return isEnum(currency) ? formatMoney(minor, cutText(machineValue(currency), BOUNDS.word)) : `${minor} (minor unit)`;
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

/** The mediums of a checkout, by their names; what is none of these lists stays as it is. */
const mediumsText = (value: unknown): string => {
  const names = Array.isArray(value) ? value.map((one) => machineValue(valueAt(one, 'medium'))) : [''];
  return names.includes('') ? plainText(value) : cutText(names.join(', '), BOUNDS.cell);
};

const textOf = (record: unknown, column: Column): string => {
  const value = valueAt(record, column.path);
  if (column.kind === 'time') return timeText(value);
  if (column.kind === 'money') return moneyText(value, valueAt(record, column.currency ?? 'currency'));
  if (column.kind === 'enum' || column.kind === 'state') return enumText(value);
  if (column.kind === 'count') return countText(value, column.always === true);
  if (column.kind === 'customer') return customerText(value);
  if (column.kind === 'mediums') return mediumsText(value);
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
