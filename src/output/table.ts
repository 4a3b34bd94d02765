import type { Received } from '../core/received.ts';
import type { Column, View } from '../core/result.ts';
import type { Cell } from './cell.ts';
import { cellOf, headingOf, labelOf } from './cell.ts';
import { checkColumns, tableColumns } from './columns.ts';
import { fieldLines, labelWidth } from './fields.ts';
import { fitWidths, GAP, mayBeCut, widen } from './fit.ts';
import type { Sink } from './sink.ts';
import type { Styles } from './style.ts';
import type { Surface } from './surface.ts';
import { exactValue } from './value.ts';
import { pad, shorten, shortenStart, widthOf } from './width.ts';

type CliTable = typeof import('cli-table3');

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

const NO_LINE = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
const NO_FRAME = { left: '', right: '', 'bottom-left': '', 'bottom-right': '', bottom: '', 'bottom-mid': '' };

/**
 * Lines of one table row. The cells come padded to their widths, and cli-table3 takes its widths from them: so characters
 * that it measures wrongly don't move a column.
 */
const draw = (Table: CliTable, cells: readonly string[], rule = ''): string[] => {
  const below = { bottom: rule, 'bottom-mid': rule.repeat(GAP.length) };
  const table = new Table({
    chars: { ...NO_LINE, ...NO_FRAME, ...below, middle: GAP },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push([...cells]);
  return table.toString().split('\n');
};

const MARK = '#';

/** What stands before, between and behind the cells of a row. Drawn once: a table for each row takes a hundred times as long. */
const seamsOf = (Table: CliTable, count: number): string[] => {
  const marks = Array.from({ length: count }, () => MARK);
  return draw(Table, marks).join('').split(MARK);
};

const alignOf = (column: Column | undefined): 'left' | 'right' =>
  column?.kind === 'money' || column?.kind === 'count' ? 'right' : 'left';

const shortened = (text: string, column: Column, width: number, { ellipsis }: Styles): string =>
  (column.endMatters === true ? shortenStart : shorten)(text, width, ellipsis);

const naturalWidths = (rows: readonly (readonly Cell[])[], columns: readonly Column[]): number[] =>
  columns.map((column, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index]?.text ?? '')), widthOf(headingOf(column))),
  );

/** Columns of which a table may consist, and whether they may get as narrow as can be. */
interface Choice {
  readonly columns: readonly Column[];
  readonly tight: boolean;
}

/** The layout for columns of these natural widths; undefined where no table of them fits. */
const layoutOf = (
  natural: readonly number[],
  { columns, tight }: Choice,
  width: number,
  more: boolean,
): Layout | undefined => {
  const widths = fitWidths(natural.slice(0, columns.length), columns, width, tight);
  if (widths === undefined) return undefined;
  return { columns, widths: more && Number.isFinite(width) ? widen(widths, columns, width) : widths };
};

/** A table of fewer columns than these says too little: records are stacked instead. */
const FEWEST_COLUMNS = 3;

/** The first columns, from so many down to so many. */
const firstOf = (columns: readonly Column[], most: number, fewest: number): (readonly Column[])[] =>
  Array.from({ length: Math.max(0, most - fewest + 1) }, (_, less) => columns.slice(0, most - less));

/**
 * What is tried in turn. The last columns are given up first: while they can be read those that are not needed, then the
 * needed ones, which get narrow before. A choice of the user's stays whole.
 */
const choices = (columns: readonly Column[], chosen: boolean): Choice[] => {
  if (chosen) return [{ columns, tight: true }];
  const fewest = Math.min(columns.length, FEWEST_COLUMNS);
  const needed = Math.max(fewest, columns.findLastIndex((column) => column.needed === true) + 1);
  return [
    ...firstOf(columns, columns.length, needed).map((some) => ({ columns: some, tight: false })),
    ...firstOf(columns, needed, fewest).map((some) => ({ columns: some, tight: true })),
  ];
};

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * Pages under one header, with the widths that the first page asked for. A cell that is wider than its column pushes its own
 * row out and is not cut.
 */
const tableSink = (Table: CliTable, { columns, widths }: Layout, { width, styles }: Surface): Sink => {
  const mayCut = Number.isFinite(width);
  const seams = seamsOf(Table, columns.length);
  const fitted = ({ text, paint }: Cell, column: Column, index: number): string => {
    const room = widths[index] ?? 0;
    const short = mayCut && mayBeCut(column) ? shortened(text, column, room, styles) : text;
    const isLast = index === columns.length - 1;
    return paint(isLast && alignOf(column) === 'left' ? short : pad(short, room, alignOf(column)));
  };
  const line = (cellAt: (column: Column) => Cell): string => {
    const cells = columns.map((column, index) => fitted(cellAt(column), column, index));
    return seams
      .map((seam, index) => seam + (cells[index] ?? ''))
      .join('')
      .trimEnd();
  };
  const head = (): string[] => {
    const blanks = widths.map((columnWidth) => ' '.repeat(columnWidth));
    const rule = draw(Table, blanks, styles.rule).at(-1) ?? '';
    return [line((column) => ({ text: headingOf(column), paint: styles.heading })), styles.dim(rule)];
  };
  let started = false;
  return {
    *page(records) {
      if (!started) yield joined(head());
      started = true;
      for (const value of records.map(exactValue)) yield `${line((column) => cellOf(value, column, styles))}\n`;
    },
    end: () => '',
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
  return {
    *page(records) {
      for (const record of records) yield block(record);
    },
    end: () => '',
  };
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
    const rows = records.map(exactValue).map((value) => columns.map((column) => cellOf(value, column, surface.styles)));
    const natural = naturalWidths(rows, columns);
    for (const choice of choices(columns, names !== undefined)) {
      const layout = layoutOf(natural, choice, surface.width, more);
      if (layout === undefined) continue;
      hidden = columns.slice(choice.columns.length);
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
    notice: () => {
      if (hidden.length === 0) return undefined;
      return `Not shown at this width: ${hidden.map(headingOf).join(', ')} (pick columns with --columns; -o json has all)`;
    },
  };
};
