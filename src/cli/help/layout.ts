import { counted } from '../../core/bounds.ts';
import type { Paint } from '../../output/style.ts';
import { type ArgumentNode, type CommandNode, globalOptions, type OptionNode } from '../tree.ts';

/** Layout of help: the width in columns, and the style of headings. */
export interface HelpLayout {
  readonly width: number;
  readonly heading: Paint;
}

/** Minimum width for wrapping text. */
const NARROWEST = 20;
/** A longer term gets its own line. */
const LONGEST_TERM = 30;
const INDENT = '  ';
const GAP = 2;

/**
 * Counts one column per character, which holds for our own texts. Measuring others would take longer than the rest of
 * the start.
 */
export const wrapped = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current !== '') lines.push(current);
    current = longer.length > width ? word : longer;
  }
  return [...lines, current];
};

/** Wraps text between words. */
export const prose = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapped(line, Math.max(NARROWEST, width)));

/** Lays out terms with their meanings beside them. */
export const helpEntryLines = (
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
): string[] => {
  const most = Math.min(LONGEST_TERM, Math.floor(width / 2));
  const terms = rows.map(([term]) => term.length).filter((length) => length <= most);
  const column = Math.max(0, ...terms) + GAP;
  return rows.flatMap(([term, meaning]) => {
    const lines = prose(meaning, width - column);
    const beside = term.length + GAP <= column;
    const first = (beside ? term.padEnd(column) : ' '.repeat(column)) + (lines[0] ?? '');
    return [
      ...(beside ? [] : prose(term, width)),
      first,
      ...lines.slice(1).map((line) => ' '.repeat(column) + line),
    ].map((line) => line.trimEnd());
  });
};

/** Renders a heading with indented lines; empty if there are no lines. */
export const section = (title: string, lines: (width: number) => readonly string[], layout: HelpLayout): string[] => {
  const inside = lines(layout.width - INDENT.length);
  if (inside.length === 0) return [];
  return ['', layout.heading(`${title}:`), ...inside.map((line) => (line === '' ? '' : INDENT + line))];
};

/** Renders the usage line; continuation lines are indented. */
export const usageLines = (usage: string, { width, heading }: HelpLayout): string[] =>
  prose(`Usage: ${usage}`, width - INDENT.length).map((line, index) => heading(index === 0 ? line : INDENT + line));

/** Number of examples on a short page. */
const FEW_EXAMPLES = 4;

const SEEDED_IDS = 'These ids belong to the built-in service: add --local to each line, or export PAYCLI_PROFILE=local';

export const flagsOf = ({ short, name, value }: OptionNode): string =>
  `${short === undefined ? '' : `${short}, `}${name}${value === undefined ? '' : ` <${value}>`}`;

const argumentOf = ({ name, required, repeats }: ArgumentNode): string => {
  const word = repeats ? `${name}...` : name;
  return required ? `<${word}>` : `[${word}]`;
};

export const usageOf = ({ path, args }: CommandNode): string =>
  ['paycli', ...path, '[options]', ...args.map(argumentOf)].join(' ');

/** The description in full sentences, with the command's alias. */
export const aboutOf = ({ description, summary, aliases }: CommandNode): string => {
  const about = description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return [about, ...aliases.map((alias) => `Alias: \`paycli ${alias}\`.`)].join(' ');
};

export const optionEntries = (options: readonly OptionNode[], width: number): string[] =>
  helpEntryLines(
    options.map((one) => [flagsOf(one), one.about]),
    width,
  );

/** Lists examples without wrapping, so that they can be copied. */
export const exampleLines = (examples: readonly CommandNode['examples'][number][], width: number): string[] => [
  ...examples.flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')]),
  ...(examples.some(({ line }) => line.includes('.Lcal.')) ? ['', ...prose(SEEDED_IDS, width)] : []),
];

const exitLines = ({ exits }: CommandNode, width: number): string[] =>
  helpEntryLines(
    exits.map(({ code, meaning }) => [String(code), meaning]),
    width,
  );

/** Renders the first part of a command's page, with the given text, examples and options. */
const pageStart = (
  node: CommandNode,
  { examples, about, options }: Pick<CommandNode, 'examples' | 'options'> & { readonly about: string },
  layout: HelpLayout,
): string[] => {
  const args = node.args.map((one): [string, string] => [one.name, one.about]);
  return [
    ...usageLines(usageOf(node), layout),
    ...section('Examples', (width) => exampleLines(examples, width), layout),
    '',
    ...prose(about, layout.width),
    ...section('Arguments', (width) => helpEntryLines(args, width), layout),
    ...section('Options', (width) => optionEntries(options, width), layout),
  ];
};

const wholePage = (node: CommandNode, layout: HelpLayout): string[] => [
  ...pageStart(node, { ...node, about: aboutOf(node) }, layout),
  ...section('Output', (width) => prose(node.output, width), layout),
  ...section('Exit codes', (width) => exitLines(node, width), layout),
  '',
  'Global options: paycli --help --all',
];

const everydayGlobals = (previews: boolean): string[] =>
  globalOptions()
    .filter(({ rare, name }) => rare !== true && (previews || name !== '--dry-run'))
    .map(({ short, name }) => short ?? name);

/** Renders the last lines of a short page. */
const pageEnd = ({ path, exits, previews }: CommandNode, hidden: number): string[] => [
  `Global options: ${everydayGlobals(previews).join(', ')}; all: paycli --help --all`,
  `Exit codes: ${exits.map(({ code }) => code).join(', ')} (paycli help exit-codes)`,
  `${hidden === 0 ? 'Details' : `${counted(hidden, 'more option')} and details`}: paycli ${path.join(' ')} --help --all`,
];

/** Renders the everyday options, and a pointer to the rest. Leaves out examples with other options. */
const shortPage = (node: CommandNode, layout: HelpLayout): string[] => {
  const [hidden = [], options = []] = [true, false].map((rare) =>
    node.options.filter((one) => (one.rare === true) === rare),
  );
  const examples = node.examples.filter(({ line }) => !hidden.some(({ name }) => line.split(/\s/).includes(name)));
  const [about = ''] = aboutOf(node).split('\n\n');
  return [
    ...pageStart(node, { examples: examples.slice(0, FEW_EXAMPLES), about, options }, layout),
    '',
    ...pageEnd(node, hidden.length).flatMap((line) => prose(line, layout.width)),
  ];
};

/** Renders the help of a command: all of it, or a short page without rarely used options. */
export const commandPage = (node: CommandNode, all: boolean, layout: HelpLayout): string[] =>
  all ? wholePage(node, layout) : shortPage(node, layout);
