/**
 * Converts the documents that `paycli help` shows as topics to blocks of text. Supports only the Markdown they use.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS, type Topic } from '../src/cli/program.ts';

type Block =
  | { readonly kind: 'heading' | 'text' | 'item' | 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The document of a topic. */
const FILES: Partial<Record<Topic, string>> = { profiles: 'keys.md', ledgers: 'ledger.md' };
const fileOf = (topic: Topic): string => FILES[topic] ?? `${topic}.md`;

/** The target of a link, for a reader at a terminal. */
const placeOf = (link: string): string => {
  const topic = TOPICS.find((name) => fileOf(name) === link);
  return topic === undefined ? join('docs', link).replaceAll('\\', '/') : `\`paycli help ${topic}\``;
};

const inline = (text: string): string =>
  text
    .replaceAll(
      /(?<=\()\[([^\]]+)\]\(([^)]+)\)(?=\))/g,
      (_all, words: string, link: string) => `${words}: ${placeOf(link)}`,
    )
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_all, words: string, link: string) => `${words} (${placeOf(link)})`)
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
  if (chunk.startsWith('#')) return [{ kind: 'heading', text: chunk.replace(/^#+ /, '') }];
  if (chunk.startsWith('|')) return [tableOf(lines)];
  if (chunk.startsWith('    ')) return [{ kind: 'code', text: lines.map((line) => line.trimStart()).join('\n') }];
  const joined = inline(chunk.replaceAll(/\n(?!- |\d+\. )\s*/g, ' '));
  return joined.split('\n').map((text) => ({ kind: /^(?:- |\d+\. )/.test(text) ? 'item' : 'text', text }));
};

const blocksOf = (markdown: string): readonly Block[] =>
  markdown
    .trimEnd()
    .split(/\n{2,}/)
    .flatMap(blockOf);

/** Every topic by its name. */
export const topics = (): Readonly<Record<string, readonly Block[]>> =>
  Object.fromEntries(TOPICS.map((topic) => [topic, blocksOf(readFileSync(join('docs', fileOf(topic)), 'utf8'))]));
