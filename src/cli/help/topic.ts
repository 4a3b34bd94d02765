import topics from '#topics' with { type: 'json' };
import type { Topic } from '../program.ts';
import { entries, type HelpLayout, prose } from './layout.ts';

type Block = (typeof topics)[string][number];
type Table = Extract<Block, { kind: 'table' }>;

const INDENT = '  ';
const BULLET = '- ';

/** Prefixes a cell with its column heading, except in the column that explains the term. */
const named = (name: string, cell: string): string => {
  if (name === 'meaning' || name === 'what happens') return cell;
  return name.endsWith('?') ? `${name} ${cell}` : `${name}: ${cell}`;
};

/** Joins all cells except the first, which is the term. */
const meaningOf = (head: readonly string[], cells: readonly string[]): string =>
  cells.flatMap((cell, index) => (cell === '' ? [] : [named(head[index + 1] ?? '', cell)])).join('\n');

const tableLines = ({ head, rows }: Table, width: number): string[] =>
  entries(
    rows.map(([term = '', ...cells]) => [term, meaningOf(head, cells)]),
    width,
  );

/** Moves a remark behind a command onto its own line above it if any line is too long. */
const codeLines = (text: string, width: number): string[] => {
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= width)) return lines;
  return lines.flatMap((line) => {
    const [command = '', remark] = line.split(/ {2,}(?=# )/);
    return remark === undefined ? [line] : [remark, command];
  });
};

const blockLines = (block: Block, { width, heading }: HelpLayout): string[] => {
  switch (block.kind) {
    case 'heading':
      return [heading(block.text)];
    case 'code':
      return codeLines(block.text, width - INDENT.length).map((line) => INDENT + line);
    case 'item':
      return prose(block.text, width - BULLET.length).map((line, index) => (index === 0 ? BULLET : INDENT) + line);
    case 'table':
      return tableLines(block, width);
    default:
      return prose(block.text, width);
  }
};

/** Lays out a help topic for a terminal. */
export const topicPage = (topic: Topic, layout: HelpLayout): string[] => {
  const blocks = topics[topic] ?? [];
  return blocks.flatMap((block, index) => {
    const follows = block.kind === 'item' && blocks[index - 1]?.kind === 'item';
    return [...(index === 0 || follows ? [] : ['']), ...blockLines(block, layout)];
  });
};
