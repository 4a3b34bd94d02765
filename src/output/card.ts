import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import { cellOf, labelOf, plainText } from './cell.ts';
import { checkRecordColumns } from './columns.ts';
import type { Field } from './fields.ts';
import { fieldLines } from './fields.ts';
import { nextActionLines } from './next-action.ts';
import { visible } from './sanitize.ts';
import type { Styles } from './style.ts';
import { unpainted } from './style.ts';
import type { Surface } from './surface.ts';
import { exactValue, isBlank, isObject, isScalar } from './value.ts';
import type { Column, View } from './view.ts';
import { wrap } from './width.ts';

/** Top-level scalars that the service sent and the view doesn't know, by their own names. */
const otherFields = (value: unknown, view: View): Field[] => {
  if (!isObject(value)) return [];
  const known = new Set(view.columns.map(({ path }) => path.split('.', 1)[0]));
  return Object.entries(value)
    .filter(([name, member]) => !known.has(name) && isScalar(member) && !isBlank(member))
    .map(([name, member]) => ({
      label: visible(name),
      cell: { text: visible(plainText(member)), paint: unpainted },
    }));
};

const fieldsOf = (value: unknown, columns: readonly Column[], styles: Styles): Field[] =>
  columns.map((column) => ({ label: labelOf(column), cell: cellOf(value, column, styles) }));

/** The amount that the record names, for the next action. */
const amountOf = (value: unknown, view: View, styles: Styles): string | undefined => {
  const column = view.columns.find(({ kind, path }) => kind === 'money' && !isBlank(valueAt(value, path)));
  return column === undefined ? undefined : cellOf(value, column, styles).text;
};

const wholeCard = async (value: unknown, view: View, surface: Surface): Promise<string[]> => {
  const columns = view.columns.filter((column) => column.machineOnly !== true);
  const known = fieldsOf(value, columns, surface.styles).filter(({ cell }) => cell.text !== '');
  const card = fieldLines([...known, ...otherFields(value, view)], surface.width, surface.styles);
  const action = view.nextAction?.(value);
  if (action === undefined) return card;
  const block = await nextActionLines(action, amountOf(value, view, surface.styles), surface);
  return card.length === 0 ? block : [...card, '', ...block];
};

/**
 * One record for people: the view's columns that have a value, then whatever other scalars were sent, then what the
 * customer must do next. With `names`, those columns alone.
 */
export const card = async (
  record: Received,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<string> => {
  const value = exactValue(record);
  const lines =
    names === undefined
      ? await wholeCard(value, view, surface)
      : fieldLines(
          fieldsOf(value, checkRecordColumns(names, view, record), surface.styles),
          surface.width,
          surface.styles,
        );
  const shown = lines.length > 0 ? lines : wrap(visible(plainText(value) || record.text), surface.width);
  return shown.map((line) => `${line}\n`).join('');
};
