import { BOUNDS, cutList, cutText, grouped } from '../core/bounds.ts';
import { isJsonObject, printExact, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Column, InnerList, View } from '../core/result.ts';
import { visible } from '../core/text.ts';
import {
  amountDigits,
  type CardField,
  cellOf,
  exactValue,
  fieldLines,
  isBlank,
  isScalar,
  labelOf,
  plainText,
} from './cell.ts';
import { checkRecordColumns, columnAt, tableColumns } from './columns.ts';
import { nextActionLines } from './next-action.ts';
import { type Styles, type Surface, unpainted } from './style.ts';
import { listSink } from './table.ts';
import { wrap } from './text.ts';

/**
 * Renders a list inside a record: a heading and a table, or, where no table fits, its elements stacked. Says so for an
 * empty list; no lines where the record has no such list.
 */
const innerListLines = async (value: unknown, list: InnerList, surface: Surface): Promise<string[]> => {
  const elements = list.rowsOf === undefined ? valueAt(value, list.path) : list.rowsOf(value);
  if (!Array.isArray(elements)) return [];
  const { width, styles } = surface;
  if (elements.length === 0) return wrap(`no ${list.heading.toLowerCase()}`, width).map(styles.dim);
  const { first, more } = cutList(elements, BOUNDS.lines);
  const records = first.map((element) => ({ value: element, text: printExact(element) }));
  // Named columns always stay, whatever the width: this table has no note about hidden columns. Columns without a value
  // are left out.
  const names = tableColumns(list, records).map(({ path }) => path);
  const sink = await listSink(names, list, surface);
  const rest = more === 0 ? [] : wrap(`… and ${grouped(more)} more (see -o json)`, width).map(styles.dim);
  const table = [...sink.page(records, false)].join('') + sink.end(null);
  return [...wrap(list.heading, width).map(styles.heading), ...table.trimEnd().split('\n'), ...rest];
};

const cardFields = (value: unknown, columns: readonly Column[], styles: Styles): CardField[] =>
  columns.map((column) => ({ label: labelOf(column), cell: cellOf(value, column, styles) }));

/** Top-level scalars that the view does not know, under their own names. */
const otherFields = (value: unknown, view: View, styles: Styles): CardField[] => {
  if (!isJsonObject(value)) return [];
  const known = new Set(view.columns.map(({ path }) => path.split('.', 1)[0]));
  const others = Object.entries(value).filter(
    ([name, member]) => !known.has(name) && isScalar(member) && !isBlank(member),
  );
  const { first, more } = cutList(others, BOUNDS.lines);
  const rest = { label: '…', cell: { text: `${grouped(more)} more fields (see -o json)`, paint: unpainted } };
  return [
    ...first.map(([name, member]) => ({
      label: visible(name),
      // A name may contain a dot.
      cell:
        valueAt(value, name) === member
          ? cellOf(value, columnAt(name), styles)
          : { text: visible(plainText(member)), paint: unpainted },
    })),
    ...(more === 0 ? [] : [rest]),
  ];
};

/** The amount that the customer has to pay; undefined if the record has none. */
export const amountOf = (value: unknown, view: View, styles: Styles): string | undefined => {
  if (view.amount !== undefined) return view.amount;
  const column = view.columns.find(
    ({ kind, path }) => kind === 'money' && /^[1-9]\d*$/.test(amountDigits(valueAt(value, path)) ?? ''),
  );
  return column === undefined ? undefined : cellOf(value, column, styles).text;
};

/** The parts of a card: labelled lines, and blocks below them, each after a blank line. */
interface Parts {
  readonly fields: readonly CardField[];
  readonly blocks: readonly (readonly string[])[];
}

const wholeParts = async (value: unknown, view: View, surface: Surface): Promise<Parts> => {
  const { styles } = surface;
  const columns = view.columns.filter((column) => column.machineOnly !== true);
  const known = cardFields(value, columns, styles).filter(({ cell }) => cell.text !== '');
  const action = view.nextAction?.(value);
  const blocks = action === undefined ? [] : [nextActionLines(action, amountOf(value, view, styles), surface)];
  for (const list of view.lists ?? []) blocks.push(await innerListLines(value, list, surface));
  return { fields: [...known, ...otherFields(value, view, styles)], blocks };
};

const cardParts = async (
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<Parts> => {
  const value = exactValue(record);
  if (names === undefined) return wholeParts(value, view, surface);
  return { fields: cardFields(value, checkRecordColumns(names, view, record), surface.styles), blocks: [] };
};

const cardText = ({ fields, blocks }: Parts, { width, styles }: Surface): string =>
  [fieldLines(fields, width, styles), ...blocks]
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? block : ['', ...block]))
    .map((line) => `${line}\n`)
    .join('');

/**
 * Renders one record for people: the view's columns that have a value, then all other scalars, then the customer's next
 * step, then the lists inside the record. With `names`, those columns alone.
 */
export const drawCard = async (
  record: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<string> => {
  const text = cardText(await cardParts(record, names, view, surface), surface);
  if (text !== '') return text;
  const plain = wrap(visible(plainText(exactValue(record)) || cutText(record.text, BOUNDS.cell)), surface.width);
  return cardText({ fields: [], blocks: [plain] }, surface);
};

/**
 * Renders the changes of a record whose card was printed already: the changed lines, or the whole card where those
 * alone would mislead. Empty if nothing has changed.
 */
export const cardChanges = async (
  before: ApiRecord,
  after: ApiRecord,
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
): Promise<string> => {
  const [old, now] = [await cardParts(before, names, view, surface), await cardParts(after, names, view, surface)];
  const hasLost = old.fields.some(({ label }) => now.fields.every((field) => field.label !== label));
  const blockText = ({ blocks }: Parts): string => cardText({ fields: [], blocks }, surface);
  const hasNewBlocks = blockText(now) !== '' && blockText(now) !== blockText(old);
  if (hasLost || hasNewBlocks) return drawCard(after, names, view, surface);
  const said = new Set(old.fields.map(({ label, cell }) => `${label}\n${cell.text}`));
  return cardText(
    { fields: now.fields.filter(({ label, cell }) => !said.has(`${label}\n${cell.text}`)), blocks: [] },
    surface,
  );
};
