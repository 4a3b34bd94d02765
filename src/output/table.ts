import type { Received } from '../core/received.ts';
import type { Cell } from './cell.ts';
import { cellOf, labelOf } from './cell.ts';
import { checkColumns, tableColumns } from './columns.ts';
import { fieldLines, labelWidth } from './fields.ts';
import { fitWidths, widen } from './fit.ts';
import { visible } from './sanitize.ts';
import type { Sink } from './sink.ts';
import type { Styles } from './style.ts';
import type { Surface } from './surface.ts';
import { exactValue } from './value.ts';
import type { Column, View } from './view.ts';
import { pad, shorten, widthOf } from './width.ts';

type CliTable = typeof import('cli-table3');

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

const NO_RULES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
};
/** Under the header the bottom line is the rule above the first row. */
const RULE_BELOW = { bottom: '─', 'bottom-mid': '┼', 'bottom-left': '├', 'bottom-right': '┤' };

/**
 * Lines of one table row. The cells come padded to their widths, and cli-table3 takes its widths from them: so characters
 * that it measures wrongly don't move a border.
 */
const draw = (Table: CliTable, cells: readonly string[], chars: object, styles: Styles): string[] => {
  const bar = styles.dim('│');
  const table = new Table({
    chars: { left: bar, middle: bar, right: bar, ...chars },
    style: { head: [], border: [] },
  });
  table.push([...cells]);
  return table.toString().split('\n');
};

const MARK = '#';

/** What stands before, between and behind the cells of a row. Drawn once: a table for each row takes a hundred times as long. */
const seamsOf = (Table: CliTable, count: number, styles: Styles): string[] => {
  const marks = Array.from({ length: count }, () => MARK);
  return draw(Table, marks, NO_RULES, styles).join('').split(MARK);
};

const alignOf = (column: Column | undefined): 'left' | 'right' =>
  column?.kind === 'money' || column?.kind === 'count' ? 'right' : 'left';

const fitted = ({ text, paint }: Cell, column: Column | undefined, width: number, mayCut: boolean): string => {
  const short = mayCut && column?.flexible === true ? shorten(text, width) : text;
  return paint(pad(short, width, alignOf(column)));
};

const frameParts = (Table: CliTable, { columns, widths }: Layout, mayCut: boolean, styles: Styles) => {
  const names = columns.map((column, index) =>
    fitted({ text: visible(column.path), paint: styles.heading }, column, widths[index] ?? 0, mayCut),
  );
  const [top = '', header = '', rule = ''] = draw(Table, names, RULE_BELOW, styles);
  const blanks = widths.map((width) => ' '.repeat(width));
  const bottom = draw(Table, blanks, {}, styles).at(-1) ?? '';
  return { head: [styles.dim(top), header, styles.dim(rule)], bottom: styles.dim(bottom) };
};

const naturalWidths = (rows: readonly (readonly Cell[])[], columns: readonly Column[]): number[] =>
  columns.map(({ path }, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index]?.text ?? '')), widthOf(visible(path))),
  );

/** The layout that the first page asks for; undefined where no table fits and records are stacked. */
const layoutOf = (
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
  width: number,
  more: boolean,
): Layout | undefined => {
  const widths = fitWidths(naturalWidths(rows, columns), columns, width);
  if (widths === undefined) return undefined;
  return { columns, widths: more && Number.isFinite(width) ? widen(widths, columns, width) : widths };
};

/** A table of fewer columns than these says too little: records are stacked instead. */
const FEWEST_COLUMNS = 3;

/** The widest choice of columns whose table fits, the last ones given up first; a choice of the user's stays whole. */
const choices = (columns: readonly Column[], chosen: boolean): (readonly Column[])[] => {
  const fewer = Math.max(0, columns.length - FEWEST_COLUMNS);
  return chosen ? [columns] : Array.from({ length: fewer + 1 }, (_, less) => columns.slice(0, columns.length - less));
};

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * Pages under one header, with the widths that the first page asked for. A cell that is wider than its column pushes its own
 * row out and is not cut.
 */
const tableSink = (Table: CliTable, layout: Layout, { width, styles }: Surface): Sink => {
  const mayCut = Number.isFinite(width);
  const frame = frameParts(Table, layout, mayCut, styles);
  let started = false;
  const seams = seamsOf(Table, layout.columns.length, styles);
  const row = (record: Received): string => {
    const value = exactValue(record);
    const cells = layout.columns.map((column, index) =>
      fitted(cellOf(value, column, styles), column, layout.widths[index] ?? 0, mayCut),
    );
    return seams.map((seam, index) => seam + (cells[index] ?? '')).join('');
  };
  return {
    page: (records) => {
      const head = started ? [] : frame.head;
      started = true;
      return joined([...head, ...records.map(row)]);
    },
    end: () => joined([frame.bottom]),
  };
};

/** Each record as a block of `label value` lines, a blank line between two. */
const stackedSink = (columns: readonly Column[], { width, styles }: Surface): Sink => {
  const labels = labelWidth(columns.map(labelOf));
  let started = false;
  const block = (record: Received): string => {
    const value = exactValue(record);
    const fields = columns
      .map((column) => ({ label: labelOf(column), cell: cellOf(value, column, styles) }))
      .filter(({ cell }) => cell.text !== '');
    const gap = started ? '\n' : '';
    started = true;
    return gap + joined(fieldLines(fields, width, styles, labels));
  };
  return { page: (records) => records.map(block).join(''), end: () => '' };
};

/**
 * A list for people: a table fitted to the surface, or, where none fits, records one under the other. What it looks like
 * is settled by the first page with a record in it; an empty list gives nothing.
 */
export const listSink = async (names: readonly string[] | undefined, view: View, surface: Surface): Promise<Sink> => {
  const { default: Table } = await import('cli-table3');
  let sink: Sink | undefined;
  let hidden: readonly Column[] = [];
  const choose = (records: readonly Received[], more: boolean): Sink => {
    const columns = names === undefined ? tableColumns(view, records) : checkColumns(names, view, records);
    const values = records.map(exactValue);
    for (const some of choices(columns, names !== undefined)) {
      const rows = values.map((value) => some.map((column) => cellOf(value, column, surface.styles)));
      const layout = layoutOf(rows, some, surface.width, more);
      if (layout === undefined) continue;
      hidden = columns.slice(some.length);
      return tableSink(Table, layout, surface);
    }
    return stackedSink(columns, surface);
  };
  return {
    page: (records, more) => {
      if (records.length === 0) return '';
      sink ??= choose(records, more);
      return sink.page(records, more);
    },
    end: (next) => sink?.end(next) ?? '',
    notice: () => {
      if (hidden.length === 0) return undefined;
      return `Not shown at this width: ${hidden.map(({ path }) => path).join(', ')} (--columns picks, -o json has all)`;
    },
  };
};
