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

const argumentSection = ({ args }: CommandNode, layout: Layout): string[] =>
  section(
    'Arguments',
    (width) =>
      entries(
        args.map(({ name, about }) => [name, about]),
        width,
      ),
    layout,
  );

/** All that there is to say of a command. */
const wholePage = (node: CommandNode, layout: Layout): string[] => [
  ...usageLines(usageOf(node), layout),
  ...section('Examples', (width) => exampleLines(node.examples, width), layout),
  '',
  ...prose(aboutOf(node), layout.width),
  ...argumentSection(node, layout),
  ...section('Options', (width) => optionEntries(node.options, width), layout),
  ...section('Output', (width) => prose(node.output, width), layout),
  ...section('Exit codes', (width) => exitLines(node, width), layout),
  '',
  ...prose(GLOBALS, layout.width),
];

/** What is wanted of it every day, and where the rest is. */
const shortPage = (node: CommandNode, layout: Layout): string[] => {
  const codes = node.exits.map(({ code }) => code).join(', ');
  return [
    ...usageLines(usageOf(node), layout),
    ...section('Examples', (width) => exampleLines(node.examples.slice(0, FEW_EXAMPLES), width), layout),
    '',
    ...prose(aboutOf(node).split('\n\n')[0] ?? '', layout.width),
    ...argumentSection(node, layout),
    ...section(
      'Options',
      (width) =>
        optionEntries(
          node.options.filter(({ rare }) => rare !== true),
          width,
        ),
      layout,
    ),
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
