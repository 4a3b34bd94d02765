import { EXIT_CODES, EXIT_MEANINGS } from '../core/exit.ts';
import type { CommandSpec } from './define.ts';

const block = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;

/** What stands below the options of a command: its output, how it can end, and lines to copy. */
export const commandHelp = ({ output, exits, examples }: CommandSpec): string =>
  block('Output', [output]) +
  block('Exit codes', [
    '0    done',
    ...exits
      .toSorted((a, b) => EXIT_CODES[a] - EXIT_CODES[b])
      .map((kind) => `${String(EXIT_CODES[kind]).padEnd(4)} ${EXIT_MEANINGS[kind][0]}`),
  ]) +
  block(
    'Examples',
    examples.flatMap(({ about, line }) => [`# ${about}`, line]),
  ) +
  '\nThe global options (--profile, --local, --json, …) go anywhere: see paycli --help\n';

/** What stands below the first page of help. */
export const rootHelp = (): string =>
  block('Start here', [
    '# look around, on this machine alone',
    'paycli ugwo list --local',
    '# against the service',
    'paycli login --environment sandbox',
  ]);
