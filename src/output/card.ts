import { BOUNDS, cutList, cutText, grouped } from '../core/bounds.ts';
import { valueAt } from '../core/path.ts';
import type { Received } from '../core/received.ts';
import type { Column, View } from '../core/result.ts';
import { visible } from '../core/sanitize.ts';
import { cellOf, labelOf, plainText } from './cell.ts';
import { checkRecordColumns } from './columns.ts';
import type { Field } from './fields.ts';
import { fieldLines } from './fields.ts';
import { innerListLines } from './inner-list.ts';
import { nextActionLines } from './next-action.ts';
import type { Styles } from './style.ts';
import { unpainted } from './style.ts';
import type { Surface } from './surface.ts';
import { exactValue, isBlank, isObject, isScalar } from './value.ts';
import { wrap } from './width.ts';

/** Top-level scalars that the service sent and the view doesn't know, by their own names. */
const otherFields = (value: unknown, view: View): Field[] => {
  if (!isObject(value)) return [];
  const known = new Set(view.columns.map(({ path }) => path.split('.', 1)[0]));
  const others = Object.entries(value).filter(
    ([name, member]) => !known.has(name) && isScalar(member) && !isBlank(member),
  );
  const { first, more } = cutList(others, BOUNDS.lines);
  const rest = { label: '…', cell: { text: `${grouped(more)} more fields (see -o json)`, paint: unpainted } };
  return [
    ...first.map(([name, member]) => ({
      label: visible(name),
      cell: { text: visible(plainText(member)), paint: unpainted },
    })),
    ...(more === 0 ? [] : [rest]),
  ];
};

const fieldsOf = (value: unknown, columns: readonly Column[], styles: Styles): Field[] =>
  columns.map((column) => ({ label: labelOf(column), cell: cellOf(value, column, styles) }));

/** The amount that the record names, for the next action; undefined where it names none. */
export const amountOf = (value: unknown, view: View, styles: Styles): string | undefined => {
  const column = view.columns.find(({ kind, path }) => kind === 'money' && !isBlank(valueAt(value, path)));
  return column === undefined ? undefined : cellOf(value, column, styles).text;
};

/** What a card consists of: labelled lines, and blocks below them, each with a blank line above it. */
interface Parts {
  readonly fields: readonly Field[];
  readonly blocks: readonly (readonly string[])[];
}

const wholeParts = async (value: unknown, view: View, surface: Surface): Promise<Parts> => {
  const { styles } = surface;
  const columns = view.columns.filter((column) => column.machineOnly !== true);
  const known = fieldsOf(value, columns, styles).filter(({ cell }) => cell.text !== '');
  const action = view.nextAction?.(value);
  const blocks = action === undefined ? [] : [await nextActionLines(action, amountOf(value, view, styles), surface)];
  for (const list of view.lists ?? []) blocks.push(await innerListLines(value, list, surface));
  return { fields: [...known, ...otherFields(value, view)], blocks };
};

const partsOf = async (
  record: Received,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<Parts> => {
  const value = exactValue(record);
  if (names === undefined) return wholeParts(value, view, surface);
  return { fields: fieldsOf(value, checkRecordColumns(names, view, record), surface.styles), blocks: [] };
};

const textOf = ({ fields, blocks }: Parts, { width, styles }: Surface): string =>
  [fieldLines(fields, width, styles), ...blocks]
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? block : ['', ...block]))
    .map((line) => `${line}\n`)
    .join('');

/**
 * One record for people: the view's columns that have a value, then whatever other scalars were sent, then what the
 * customer must do next, then the lists inside it. With `names`, those columns alone.
 */
export const card = async (
  record: Received,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<string> => {
  const text = textOf(await partsOf(record, names, view, surface), surface);
  if (text !== '') return text;
  const plain = wrap(visible(plainText(exactValue(record)) || cutText(record.text, BOUNDS.cell)), surface.width);
  return textOf({ fields: [], blocks: [plain] }, surface);
};

/**
 * What has become of a record whose card is shown already: the lines that say something new, or the whole card where
 * that alone would mislead. Empty where the card would be the same.
 */
export const cardChanges = async (
  before: Received,
  after: Received,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<string> => {
  const [old, now] = [await partsOf(before, names, view, surface), await partsOf(after, names, view, surface)];
  const gone = old.fields.some(({ label }) => now.fields.every((field) => field.label !== label));
  const blockText = ({ blocks }: Parts): string => textOf({ fields: [], blocks }, surface);
  const isNews = blockText(now) !== '' && blockText(now) !== blockText(old);
  if (gone || isNews) return card(after, names, view, surface);
  const said = new Set(old.fields.map(({ label, cell }) => `${label}\n${cell.text}`));
  return textOf(
    { fields: now.fields.filter(({ label, cell }) => !said.has(`${label}\n${cell.text}`)), blocks: [] },
    surface,
  );
};
