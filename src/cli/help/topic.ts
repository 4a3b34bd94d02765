import topics from '#topics' with { type: 'json' };
import { TOPICS } from '../program.ts';
import { commandsOf, type Tree } from '../tree.ts';
import { commandPage, type HelpLayout, helpEntryLines, prose, wrapped } from './layout.ts';

type Block = (typeof topics)[string][number];
type Table = Extract<Block, { kind: 'table' }>;

const TOPIC_INDENT = '  ';
const CELL_GAP = 2;
/** A narrower column is hard to read. */
const NARROWEST_COLUMN = 14;

/** Prefixes a cell with its column heading, except in the column that explains the term. */
const withColumnName = (name: string, cell: string): string => {
  if (['', 'meaning', 'what happens'].includes(name)) return cell;
  return name.endsWith('?') ? `${name} ${cell}` : `${name}: ${cell}`;
};

/** Joins all cells except the first, which is the term. */
const meaningOf = (head: readonly string[], cells: readonly string[]): string =>
  cells.flatMap((cell, index) => (cell === '' ? [] : [withColumnName(head[index + 1] ?? '', cell)])).join('\n');

const longestOf = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** Widths of the columns: the widest is made narrower until all fit, but breaks no word. Undefined if they can't. */
const columnsFor = ({ head, rows }: Table, width: number): readonly number[] | undefined => {
  const columns = head.map((name, at) => [name, ...rows.map((row) => row[at] ?? '')]);
  const least = columns.map((cells) => longestOf(cells.flatMap((cell) => cell.split(' '))));
  const widths = columns.map(longestOf);
  let excess = widths.reduce((sum, one) => sum + one + CELL_GAP, -CELL_GAP) - width;
  for (; excess > 0; excess -= 1) {
    const spare = widths.map((one, at) => (one > Math.max(least[at] ?? 0, NARROWEST_COLUMN) ? one : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (spare[widest] === 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

const rowLines = (row: readonly string[], widths: readonly number[]): string[] => {
  const cells = widths.map((width, at) => wrapped(row[at] ?? '', width));
  return Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_none, line) =>
    cells
      .map((lines, at) => (lines[line] ?? '').padEnd(widths[at] ?? 0))
      .join(' '.repeat(CELL_GAP))
      .trimEnd(),
  );
};

/** Draws a table with its head; where the terminal is too narrow, a list of the terms. */
const tableLines = (table: Table, { width, heading }: HelpLayout): string[] => {
  const { head, rows } = table;
  const widths = columnsFor(table, width);
  if (widths === undefined) {
    return helpEntryLines(
      rows.map(([term = '', ...cells]) => [term, meaningOf(head, cells)]),
      width,
    );
  }
  const named = head.every((name) => name === '') ? [] : rowLines(head, widths).map(heading);
  return [...named, ...rows.flatMap((row) => rowLines(row, widths))];
};

/** Moves a remark behind a command onto its own line above it if any line is too long. */
const codeLines = (text: string, width: number): string[] => {
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= width)) return lines;
  return lines.flatMap((line) => {
    const [command = '', remark] = line.split(/ {2,}(?=# )/);
    return remark === undefined ? [line] : [remark, command];
  });
};

/** A list's mark, a hyphen or a number, with the lines of its text behind it. */
const itemLines = (text: string, width: number): string[] => {
  const [bullet = ''] = /^\S+ /.exec(text) ?? [];
  return prose(text.slice(bullet.length), width - bullet.length).map(
    (line, index) => (index === 0 ? bullet : ' '.repeat(bullet.length)) + line,
  );
};

const blockLines = (block: Block, layout: HelpLayout): string[] => {
  const { width, heading } = layout;
  switch (block.kind) {
    case 'heading':
      return [heading(block.text)];
    case 'code':
      return codeLines(block.text, width - TOPIC_INDENT.length).map((line) => TOPIC_INDENT + line);
    case 'item':
      return itemLines(block.text, width);
    case 'table':
      return tableLines(block, layout);
    default:
      return prose(block.text, width);
  }
};

/** Lays out a help topic for a terminal. */
export const topicPage = (topic: string, layout: HelpLayout): string[] => {
  const blocks = topics[topic] ?? [];
  return blocks.flatMap((block, index) => {
    const follows = block.kind === 'item' && blocks[index - 1]?.kind === 'item';
    return [...(index === 0 || follows ? [] : ['']), ...blockLines(block, layout)];
  });
};

/** Lists the topics with their titles. */
export const topicsPage = ({ width }: HelpLayout): string[] => {
  const titles = TOPICS.map((topic): [string, string] => {
    const [title] = topics[topic] ?? [];
    return [`paycli help docs ${topic}`, title?.kind === 'heading' ? title.text : ''];
  });
  return [...helpEntryLines(titles, width), '', ...prose('Find a word in all pages: paycli help --search WORD', width)];
};

/** Finds the paragraphs of all pages that have a text, in any case, below the command that shows the page. */
export const linesWith = (text: string, tree: Tree, layout: HelpLayout): string[] => {
  const wanted = text.toLowerCase();
  // A line break must hide no phrase.
  const unwrapped = { ...layout, width: Number.POSITIVE_INFINITY };
  const pages = [
    ...TOPICS.map((topic) => [`paycli help docs ${topic}`, topicPage(topic, unwrapped)] as const),
    ...commandsOf(tree).map(
      (node) => [`paycli help ${node.path.join(' ')} --all`, commandPage(node, true, unwrapped)] as const,
    ),
  ];
  return pages.flatMap(([command, lines]) => {
    const found = lines.filter((line) => line.toLowerCase().includes(wanted));
    // A command stays whole, so that it can be pasted.
    const shown = found.flatMap((line) =>
      /^ +paycli /.test(line)
        ? line.trim()
        : prose(line.trim().replaceAll(/ +/g, ' '), layout.width - TOPIC_INDENT.length),
    );
    return found.length === 0 ? [] : [layout.heading(command), ...shown.map((line) => TOPIC_INDENT + line)];
  });
};
