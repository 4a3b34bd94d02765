import type { CommandSpec, OptionSpecs } from '../src/cli/define.ts';
import { GLOBAL_OPTIONS } from '../src/cli/globals.ts';
import { NOUNS, SPECS } from '../src/commands/all.ts';
import { EXIT_CODES, EXIT_MEANINGS } from '../src/core/exit.ts';

export const REFERENCE = 'docs/reference';

type Spec = Omit<CommandSpec, 'read' | 'load'>;

const wordsOf = ({ path }: Spec): string => path.join(' ');
const pageOf = ({ path }: Spec): string => `${path.join('-')}.md`;
const cell = (text: string): string => text.replaceAll('|', '\\|');

const table = (head: readonly [string, string], rows: readonly (readonly [string, string])[]): string =>
  [head, ['---', '---'], ...rows].map(([left = '', right = '']) => `| ${cell(left)} | ${cell(right)} |`).join('\n');

const section = (title: string, text: string): readonly string[] => (text === '' ? [] : [`## ${title}`, text]);

const usageOf = (spec: Spec): string => {
  const args = spec.args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`));
  return `    paycli ${[wordsOf(spec), ...args].join(' ')} [options]`;
};

const examplesOf = ({ examples }: Spec): string =>
  examples
    .flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')])
    .map((line) => `    ${line}`)
    .join('\n');

const optionsOf = (options: OptionSpecs): string =>
  table(
    ['option', 'meaning'],
    Object.values(options).map(({ flags, about }) => [`\`${flags}\``, about] as const),
  );

const exitsOf = ({ exits }: Spec): string => {
  const codes = exits.toSorted((a, b) => EXIT_CODES[a] - EXIT_CODES[b]);
  const rows = codes.map((kind) => [String(EXIT_CODES[kind]), EXIT_MEANINGS[kind][0]] as const);
  return table(['exit', 'meaning'], [['0', 'done'], ...rows]);
};

/** What a browser would take for a tag. */
const plain = (text: string): string => text.replaceAll(/<(\w+)>/g, '`<$1>`');

const commandPage = (spec: Spec): string =>
  `${[
    `# paycli ${wordsOf(spec)}`,
    plain(spec.description ?? `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`),
    usageOf(spec),
    ...section('Examples', examplesOf(spec)),
    ...(spec.args.length === 0
      ? []
      : section(
          'Arguments',
          table(
            ['argument', 'meaning'],
            spec.args.map(({ name, about }) => [`\`${name}\``, about] as const),
          ),
        )),
    ...(Object.keys(spec.options).length === 0 ? [] : section('Options', optionsOf(spec.options))),
    'The [global options](README.md#global-options) work here, too.',
    ...section('Output', plain(spec.output)),
    ...section('Exit codes', exitsOf(spec)),
  ].join('\n\n')}\n`;

const listed = (specs: readonly Spec[]): string =>
  specs.map((spec) => `- [paycli ${wordsOf(spec)}](${pageOf(spec)}): ${spec.summary}`).join('\n');

const index = (specs: readonly Spec[]): string => {
  const alone = specs.filter(({ path }) => path.length === 1);
  const nouns = Object.entries(NOUNS).flatMap(([noun, { about, alias }]) => [
    `## ${noun}`,
    `${about}${alias === undefined ? '' : ` (also \`${alias}\`)`}`,
    listed(specs.filter(({ path }) => path.length > 1 && path[0] === noun)),
  ]);
  return `${[
    '# Commands',
    'Made from the same table as `--help`.',
    ...nouns,
    '## Other commands',
    listed(alone),
    '## Global options',
    'They work before and after the words of a command.',
    optionsOf(GLOBAL_OPTIONS),
  ].join('\n\n')}\n`;
};

/** Every page of the reference by the name of its file, a page a command. */
export const referencePages = (): ReadonlyMap<string, string> =>
  new Map([['README.md', index(SPECS)], ...SPECS.map((spec) => [pageOf(spec), commandPage(spec)] as const)]);
