import { isAnyId } from '../core/ids.ts';
import { type ApiRecord, PAGE_MAX } from '../core/record.ts';
import type { Column, View } from '../core/result.ts';
import { shellLine } from '../core/shell.ts';
import { type Cell, cellOf, exactValue, fieldLines, headingOf, labelOf, labelWidth } from './cell.ts';
import { readColumns, tableColumns } from './columns.ts';
import type { Styles, Surface } from './style.ts';
import { shorten, shortenStart, widthOf } from './text.ts';
import type { Sink } from './walk.ts';

/** The least width at which a shortened text is of any use. */
const NARROWEST_CELL = 8;
/** The least width of a column while other columns can be left out instead. */
const READABLE = 10;

const COLUMN_GAP = '  ';

const widthOfTable = (widths: readonly number[]): number =>
  widths.reduce((total, width) => total + width, 0) + COLUMN_GAP.length * (widths.length - 1);

const mayBeCut = ({ flexible, least }: Column): boolean => flexible === true || least !== undefined;

/** The least width of a column with this natural width. */
const floorOf = (column: Column | undefined, natural: number, tight: boolean): number => {
  if (column === undefined || !mayBeCut(column)) return natural;
  if (tight) return Math.min(natural, column.least ?? NARROWEST_CELL);
  return column.flexible === true ? Math.min(natural, Math.max(READABLE, column.least ?? 0)) : natural;
};

/** The index of the column that is farthest above its least width; -1 where none is above it. */
const mostSpare = (widths: readonly number[], floors: readonly number[]): number => {
  const slack = widths.map((width, index) => width - (floors[index] ?? width));
  const most = Math.max(...slack);
  return most > 0 ? slack.indexOf(most) : -1;
};

/**
 * Column widths that fit a table into `total` terminal columns. The column with the most slack shrinks first, down to a
 * readable width, or with `tight` down to the least useful one. Undefined if even that is not enough.
 */
const fitWidths = (
  natural: readonly number[],
  columns: readonly Column[],
  total: number,
  tight: boolean,
): number[] | undefined => {
  const floors = natural.map((width, index) => floorOf(columns[index], width, tight));
  const widths = natural.map((width, index) => Math.max(floors[index] ?? 0, Math.min(width, total)));
  for (let excess = widthOfTable(widths) - total; excess > 0; excess -= 1) {
    const index = mostSpare(widths, floors);
    if (index === -1) return undefined;
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
};

/** Width that leaves room for longer values on later pages, where there is space. */
const wantedWidth = (column: Column | undefined): number => {
  if (column?.kind === 'money') return 'NGN 10,000,000.00'.length;
  if (column?.kind === 'state') return 'part refunded'.length;
  return column?.flexible === true ? 20 : 0;
};

/** Gives the rest of `total` to the columns whose later values are likely to be longer. */
const widen = (widths: readonly number[], columns: readonly Column[], total: number): number[] => {
  let left = total - widthOfTable(widths);
  return widths.map((width, index) => {
    const more = Math.max(0, Math.min(left, wantedWidth(columns[index]) - width));
    left -= more;
    return width + more;
  });
};

type CliTable = typeof import('cli-table3');

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

/** The characters of a table: one line below the head, and blanks between the columns. */
const charsOf = ({ rule }: Styles) => ({
  top: '',
  'top-left': '',
  'top-mid': '',
  'top-right': '',
  bottom: '',
  'bottom-left': '',
  'bottom-mid': '',
  'bottom-right': '',
  left: '',
  middle: COLUMN_GAP,
  right: '',
  'left-mid': '',
  mid: rule,
  'mid-mid': rule.repeat(COLUMN_GAP.length),
  'right-mid': '',
});

const alignOf = (column: Column | undefined): 'left' | 'right' =>
  column?.kind === 'money' || column?.kind === 'count' ? 'right' : 'left';

/**
 * Shortens a text to its column. An identifier is shown whole or not at all: a part of it is of no use. cli-table3
 * would take a second for a long text of wide letters, and would cut an emoji in half.
 */
const shortenCell = (text: string, column: Column, width: number, { ellipsis }: Styles): string => {
  if (column.kind === 'customer' && isAnyId(text) && widthOf(text) > width) return '';
  return (column.endMatters === true ? shortenStart : shorten)(text, width, ellipsis);
};

const headingCells = (columns: readonly Column[], { heading }: Styles): Cell[] =>
  columns.map((column) => ({ text: headingOf(column), paint: heading }));

/** The width of the widest cell of one column. */
const widestOf = (rows: readonly (readonly Cell[])[], index: number): number =>
  Math.max(...rows.map((row) => widthOf(row[index]?.text ?? '')));

const painted = (row: readonly Cell[]): string[] => row.map(({ text, paint }) => paint(text));

/** A candidate set of columns; `tight` allows the least useful widths. */
interface Choice {
  readonly columns: readonly Column[];
  readonly tight: boolean;
}

/** The layout for columns of these natural widths; undefined if no such table fits. */
const fitLayout = (
  natural: readonly number[],
  { columns, tight }: Choice,
  width: number,
  more: boolean,
): Layout | undefined => {
  const widths = fitWidths(natural.slice(0, columns.length), columns, width, tight);
  if (widths === undefined) return undefined;
  return { columns, widths: more && Number.isFinite(width) ? widen(widths, columns, width) : widths };
};

/** A table with fewer columns than this says too little: records are stacked instead. */
const FEWEST_COLUMNS = 3;

/** The leading columns, from `most` of them down to `fewest`. */
const leadingColumns = (columns: readonly Column[], most: number, fewest: number): (readonly Column[])[] =>
  Array.from({ length: Math.max(0, most - fewest + 1) }, (_, less) => columns.slice(0, most - less));

/**
 * The candidates in the order of preference. The last columns are dropped first, but no needed one: those get tight
 * widths instead. The user's own choice stays complete.
 */
const choices = (columns: readonly Column[], chosen: boolean): Choice[] => {
  if (chosen) return [{ columns, tight: true }];
  const needed = columns.findLastIndex((column) => column.needed === true) + 1;
  const fewest = Math.min(columns.length, Math.max(needed, FEWEST_COLUMNS));
  return [
    ...leadingColumns(columns, columns.length, fewest).map((some) => ({ columns: some, tight: false })),
    { columns: columns.slice(0, fewest), tight: true },
  ];
};

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * Renders pages under one header, with the widths of the first page. On a later page, a column is wider for a cell that
 * may not be cut.
 */
const tableSink = (Table: CliTable, { columns, widths }: Layout, { width, styles }: Surface): Sink => {
  const fitted = (cells: readonly Cell[]): Cell[] =>
    columns.map((column, index) => {
      const { text, paint } = cells[index] as Cell;
      const mayCut = Number.isFinite(width) && mayBeCut(column);
      return { text: mayCut ? shortenCell(text, column, widths[index] ?? 0, styles) : text, paint };
    });
  const draw = (head: readonly Cell[], rows: readonly (readonly Cell[])[]): string[] => {
    const table = new Table({
      head: painted(head),
      colWidths: widths.map((width, index) => Math.max(width, widestOf(rows, index))),
      colAligns: columns.map(alignOf),
      chars: charsOf(styles),
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    });
    table.push(...rows.map(painted));
    const lines = table.toString().split('\n');
    return lines.map((line, at) => (at === 1 && head.length > 0 ? styles.dim(line) : line.trimEnd()));
  };
  let head = fitted(headingCells(columns, styles));
  return {
    *page(records) {
      // The time of cli-table3 grows with the square of the rows, and a list inside a record may be long.
      for (let from = 0; from < records.length; from += PAGE_MAX) {
        const values = records.slice(from, from + PAGE_MAX).map(exactValue);
        const rows = values.map((value) => fitted(columns.map((column) => cellOf(value, column, styles))));
        yield joinLines(draw(head, rows));
        head = [];
      }
    },
    end: () => '',
  };
};

/** Renders each record as a block of `label value` lines, with a blank line between two. */
const stackedSink = (columns: readonly Column[], { width, styles }: Surface): Sink => {
  const labels = labelWidth(columns.map(labelOf));
  let started = false;
  const block = (record: ApiRecord): string => {
    const value = exactValue(record);
    const fields = columns
      .map((column) => ({ label: labelOf(column), cell: cellOf(value, column, styles) }))
      .filter(({ cell }) => cell.text !== '');
    const gap = started ? '\n' : '';
    started = true;
    return gap + joinLines(fieldLines(fields, width, styles, labels));
  };
  return {
    *page(records) {
      for (const record of records) yield block(record);
    },
    end: () => '',
  };
};

/** Names the columns that are not shown, and an example of --columns with the first of them. */
const hiddenText = (shown: readonly Column[], hidden: readonly Column[]): string => {
  const example = [shown, hidden].flatMap((some) => some.find(({ peopleOnly }) => peopleOnly !== true)?.path ?? []);
  const which = hidden.map(headingOf).join(', ');
  return `Not shown at this width: ${which}. Choose with ${shellLine(['--columns', example.join(',')])}, or see all with -o json.`;
};

/**
 * Renders a list for people: a table fitted to the surface, or, where none fits, stacked records. The first page with a
 * record determines the layout; an empty list prints nothing. With `reserve`, each column has room for longer values from
 * the start.
 */
export const listSink = async (
  names: readonly string[] | undefined,
  view: View,
  surface: Surface,
  reserve = false,
): Promise<Sink> => {
  const { default: Table } = await import('cli-table3');
  let sink: Sink | undefined;
  let shown: readonly Column[] = [];
  let hidden: readonly Column[] = [];
  const choose = (records: readonly ApiRecord[], more: boolean): Sink => {
    const columns = names === undefined ? tableColumns(view, records) : readColumns(names, view, records);
    const cells = records
      .map(exactValue)
      .map((value) => columns.map((column) => cellOf(value, column, surface.styles)));
    const rows = [headingCells(columns, surface.styles), ...cells];
    const natural = columns.map((column, index) => Math.max(widestOf(rows, index), reserve ? wantedWidth(column) : 0));
    for (const choice of choices(columns, names !== undefined)) {
      const layout = fitLayout(natural, choice, surface.width, more);
      if (layout === undefined) continue;
      [shown, hidden] = [choice.columns, columns.slice(choice.columns.length)];
      return tableSink(Table, layout, surface);
    }
    return stackedSink(columns, surface);
  };
  return {
    *page(records, more) {
      if (records.length === 0) return;
      sink ??= choose(records, more);
      yield* sink.page(records, more);
    },
    end: (next) => sink?.end(next) ?? '',
    notice: () => (hidden.length === 0 ? undefined : hiddenText(shown, hidden)),
    shown: () => shown,
  };
};
