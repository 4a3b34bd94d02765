import { Help } from 'commander';
import { EXIT_CODES, EXIT_MEANINGS } from '../core/exit.ts';
import type { CommandSpec } from './define.ts';

/** Narrower than this nothing is wrapped any more. */
export const NARROWEST_WRAP = 20;

const helper = Object.assign(new Help(), { minWidthToWrap: NARROWEST_WRAP });
const wrap = (text: string, width: number): string[] => helper.boxWrap(text, width).split('\n');

/** A term and what it means, wrapped beside it. */
const entry = (term: string, meaning: string, width: number): string[] => {
  const column = 5;
  return wrap(meaning, Math.max(NARROWEST_WRAP, width - column)).map(
    (line, index) => (index === 0 ? term : '').padEnd(column) + line,
  );
};

const INDENT = 2;

const block = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;

const GLOBALS = 'Global options (--profile, --local, --json, …) can go anywhere. See paycli --help';
const SEEDED_IDS = 'These ids belong to the built-in service: add --local to each line, or export PAYCLI_PROFILE=local';

const triedBy = (examples: CommandSpec['examples']): string[] =>
  examples.some(({ line }) => line.includes('.Lcal.')) ? [SEEDED_IDS] : [];

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
      examples.flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')]),
    ) +
    `\n${[...triedBy(examples), GLOBALS].flatMap((text) => wrap(text, columns)).join('\n')}\n`
  );
};

/** What stands below the first page of help. */
export const rootHelp = (): string =>
  block('Start here', [
    '# look around on this machine; no network, no key',
    'paycli ugwo list --local',
    '# use the real service',
    'paycli login --environment sandbox',
  ]);
