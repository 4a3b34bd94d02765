import { EXIT_CODES, EXIT_MEANINGS } from '../core/exit.ts';
import type { CommandSpec } from './define.ts';

/** Words in lines of at most `width` columns; a word that is longer has a line of its own. */
const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

/** A term and what it means, wrapped beside it. */
const entry = (term: string, meaning: string, width: number): string[] => {
  const column = 5;
  return wrap(meaning, Math.max(20, width - column)).map(
    (line, index) => (index === 0 ? term : '').padEnd(column) + line,
  );
};

const INDENT = 2;

const block = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;

/** What stands below the options of a command: its output, how it can end, and lines to copy. */
export const commandHelp = ({ output, exits, examples }: CommandSpec, columns: number): string => {
  const width = columns - INDENT;
  const codes = exits.toSorted((a, b) => EXIT_CODES[a] - EXIT_CODES[b]);
  return (
    block('Output', wrap(output, width)) +
    block('Exit codes', [
      ...entry('0', 'done', width),
      ...codes.flatMap((kind) => entry(String(EXIT_CODES[kind]), EXIT_MEANINGS[kind][0], width)),
    ]) +
    block(
      'Examples',
      examples.flatMap(({ about, line }) => [`# ${about}`, line]),
    ) +
    `\n${wrap('The global options (--profile, --local, --json, …) go anywhere: see paycli --help', columns).join('\n')}\n`
  );
};

/** What stands below the first page of help. */
export const rootHelp = (): string =>
  block('Start here', [
    '# look around, on this machine alone',
    'paycli ugwo list --local',
    '# against the service',
    'paycli login --environment sandbox',
  ]);
