/**
 * Converts the documents that `paycli help` shows as topics to blocks of text. Supports only the Markdown they use.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TOPICS } from '../src/cli/program.ts';

type Block =
  | { readonly kind: 'heading' | 'text' | 'item' | 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Characters that not every terminal has. */
const ASCII: Readonly<Record<string, string>> = {
  '≤': '<=',
  '≥': '>=',
  '×': 'x',
  '→': '->',
  '─': '-',
  '►': '>',
  '│': '|',
  '└': '`',
};

/** The target of a link, for a reader at a terminal. */
const placeOf = (link: string): string => {
  const [topic] = link.split('.md');
  return topic !== undefined && TOPICS.includes(topic)
    ? `\`paycli help docs ${topic}\``
    : join('docs', link).replaceAll('\\', '/');
};

const inline = (text: string): string =>
  text
    .replaceAll(
      /(?<=\()\[([^\]]+)\]\(([^)]+)\)(?=\))/g,
      (_all, words: string, link: string) => `${words}: ${placeOf(link)}`,
    )
    .replaceAll(/\[([^\]]+)\]\(#[^)]+\)/g, '$1')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_all, words: string, link: string) => `${words} (${placeOf(link)})`)
    .replaceAll('**', '')
    .replaceAll(/(?<![\w`])\*(\w[\w ]*)\*(?![\w`])/g, '$1');

/** The first cell of a row is a term, so it needs no code marks. */
const cellsOf = (row: string): string[] =>
  row
    .replaceAll(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim()).replaceAll('\\|', '|'))
    .map((cell, index) => (index === 0 ? cell.replaceAll('`', '') : cell));

const tableOf = (lines: readonly string[]): Block => {
  const [head = [], , ...rows] = lines.map(cellsOf);
  return { kind: 'table', head, rows };
};

const blockOf = (chunk: string): Block[] => {
  const lines = chunk.split('\n');
  if (chunk.startsWith('![')) return [];
  if (chunk.startsWith('#')) return [{ kind: 'heading', text: chunk.replace(/^#+ /, '') }];
  if (chunk.startsWith('|')) return [tableOf(lines)];
  if (chunk.startsWith('    '))
    return [{ kind: 'code', text: lines.map((line) => line.replace(/^ {4}/, '')).join('\n') }];
  const joined = inline(chunk.replaceAll(/\n(?!- |\d+\. )\s*/g, ' '));
  return joined.split('\n').map((text) => ({ kind: /^(?:- |\d+\. )/.test(text) ? 'item' : 'text', text }));
};

const blocksOf = (markdown: string): readonly Block[] =>
  markdown
    .replaceAll(/[≤≥×→─►│└]/g, (letter) => ASCII[letter] ?? letter)
    .trimEnd()
    .split(/\n{2,}/)
    .flatMap(blockOf);

/** Every topic by its name: each document in docs/. */
export const topics = (): Readonly<Record<string, readonly Block[]>> => {
  const documents = globSync('docs/*.md').map((path) => basename(path, '.md'));
  if (documents.toSorted().join() !== TOPICS.toSorted().join())
    throw new Error(`name each document of docs/ in the topics of src/cli/program.ts: ${documents.join(', ')}`);
  return Object.fromEntries(
    TOPICS.map((topic) => [topic, blocksOf(readFileSync(join('docs', `${topic}.md`), 'utf8'))]),
  );
};
