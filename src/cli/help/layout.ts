import type { Paint } from '../../output/style.ts';
import type { ArgumentNode, CommandNode, OptionNode } from '../tree.ts';

/** How help is laid out: to so many columns, its headings painted. */
export interface HelpLayout {
  readonly width: number;
  readonly heading: Paint;
}

/** Narrower than this nothing is wrapped any more. */
const NARROWEST = 20;
/** A longer term stands on a line of its own. */
const LONGEST_TERM = 30;
const INDENT = '  ';
const GAP = 2;

/** Every character of ours takes a column: to measure others would cost a start more than all the rest. */
const wrapped = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current !== '') lines.push(current);
    current = longer.length > width ? word : longer;
  }
  return [...lines, current];
};

/** Text in lines, broken between words. */
export const prose = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapped(line, Math.max(NARROWEST, width)));

/** Terms, and beside each what it means. */
export const entries = (rows: readonly (readonly [term: string, meaning: string])[], width: number): string[] => {
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

/** A heading and lines that are set in below it; nothing where there are none. */
export const section = (title: string, lines: (width: number) => readonly string[], layout: HelpLayout): string[] => {
  const inside = lines(layout.width - INDENT.length);
  if (inside.length === 0) return [];
  return ['', layout.heading(`${title}:`), ...inside.map((line) => (line === '' ? '' : INDENT + line))];
};

/** The line that says how something is called; what is behind it is set in. */
export const usageLines = (usage: string, { width, heading }: HelpLayout): string[] =>
  prose(`Usage: ${usage}`, width - INDENT.length).map((line, index) => heading(index === 0 ? line : INDENT + line));

/** A page that is longer shows what is rarely wanted with --all only. */
export const LONGEST_PAGE = 60;
/** So many examples stand on a page that would be too long. */
const FEW_EXAMPLES = 4;

const GLOBALS = 'Global options (--profile, --local, --json, …) can go anywhere. See paycli --help';
const SEEDED_IDS = 'These ids belong to the built-in service: add --local to each line, or export PAYCLI_PROFILE=local';

type Example = CommandNode['examples'][number];

export const flagsOf = ({ short, name, value }: OptionNode): string =>
  `${short === undefined ? '' : `${short}, `}${name}${value === undefined ? '' : ` <${value}>`}`;

const argumentOf = ({ name, required, repeats }: ArgumentNode): string => {
  const word = repeats ? `${name}...` : name;
  return required ? `<${word}>` : `[${word}]`;
};

/** How it is called. */
export const usageOf = ({ path, args }: CommandNode): string =>
  ['paycli', ...path, '[options]', ...args.map(argumentOf)].join(' ');

/** What it does, in full sentences. */
export const aboutOf = ({ description, summary }: CommandNode): string =>
  description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

export const optionEntries = (options: readonly OptionNode[], width: number): string[] =>
  entries(
    options.map((one) => [flagsOf(one), one.about]),
    width,
  );

/** Lines to copy are never broken. */
export const exampleLines = (examples: readonly Example[], width: number): string[] => [
  ...examples.flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')]),
  ...(examples.some(({ line }) => line.includes('.Lcal.')) ? ['', ...prose(SEEDED_IDS, width)] : []),
];

const exitLines = ({ exits }: CommandNode, width: number): string[] =>
  entries(
    exits.map(({ code, meaning }) => [String(code), meaning]),
    width,
  );

/** What every page of a command begins with: so much of its text, its examples and its options. */
const startOf = (
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
    ...section('Arguments', (width) => entries(args, width), layout),
    ...section('Options', (width) => optionEntries(options, width), layout),
  ];
};

/** All that there is to say of a command. */
const wholePage = (node: CommandNode, layout: HelpLayout): string[] => [
  ...startOf(node, { ...node, about: aboutOf(node) }, layout),
  ...section('Output', (width) => prose(node.output, width), layout),
  ...section('Exit codes', (width) => exitLines(node, width), layout),
  '',
  ...prose(GLOBALS, layout.width),
];

/** What is wanted of it every day, and where the rest is. */
const shortPage = (node: CommandNode, layout: HelpLayout): string[] => {
  const codes = node.exits.map(({ code }) => code).join(', ');
  const examples = node.examples.slice(0, FEW_EXAMPLES);
  const [about = ''] = aboutOf(node).split('\n\n');
  const options = node.options.filter(({ rare }) => rare !== true);
  return [
    ...startOf(node, { examples, about, options }, layout),
    ...section('Exit codes', (width) => prose(`${codes} (paycli help exit-codes)`, width), layout),
    '',
    ...prose(`More options, examples and details: paycli ${node.path.join(' ')} --help --all`, layout.width),
    ...prose(GLOBALS, layout.width),
  ];
};

/** The help of a command, at most a screen of it unless all is wanted. */
export const commandPage = (node: CommandNode, all: boolean, layout: HelpLayout): string[] => {
  const page = wholePage(node, layout);
  return all || page.length <= LONGEST_PAGE ? page : shortPage(node, layout);
};
