import type { ArgumentNode, CommandNode, OptionNode } from '../tree.ts';
import { entries, type Layout, prose, section, usageLines } from './layout.ts';

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
  layout: Layout,
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
const wholePage = (node: CommandNode, layout: Layout): string[] => [
  ...startOf(node, { ...node, about: aboutOf(node) }, layout),
  ...section('Output', (width) => prose(node.output, width), layout),
  ...section('Exit codes', (width) => exitLines(node, width), layout),
  '',
  ...prose(GLOBALS, layout.width),
];

/** What is wanted of it every day, and where the rest is. */
const shortPage = (node: CommandNode, layout: Layout): string[] => {
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
export const commandPage = (node: CommandNode, all: boolean, layout: Layout): string[] => {
  const page = wholePage(node, layout);
  return all || page.length <= LONGEST_PAGE ? page : shortPage(node, layout);
};
