import { TOPICS } from '../program.ts';
import { type CommandNode, childrenOf, type NounNode, type Tree } from '../tree.ts';
import { entries, exampleLines, type HelpLayout, optionEntries, prose, section, usageLines } from './layout.ts';

const FEW_EXAMPLES = 3;

const START = [
  { about: 'look around on this machine; no network, no key', line: 'paycli ugwo list --local' },
  { about: 'use the real service', line: 'paycli login --environment sandbox' },
];

/** A command or noun on a help page. */
export type HelpEntry = readonly [names: string, about: string];

/** Describes a command; the entry of a noun lists its verbs. */
const entryOf = (node: CommandNode | NounNode): HelpEntry => {
  if (node.kind === 'command') return [node.name, node.summary];
  return [
    [node.name, ...node.aliases].join(', '),
    `${node.summary}: ${childrenOf(node)
      .map(({ name }) => name)
      .join(', ')}`,
  ];
};

const HELP: HelpEntry = ['help', 'show help for a command or a topic'];

/** Lists every command and noun for the first page. */
export const overviewOf = ({ commands }: Pick<Tree, 'commands'>): readonly HelpEntry[] => commands.map(entryOf);

/** Renders the first page of help. */
export const rootPage = (
  commands: readonly HelpEntry[],
  options: Tree['options'],
  all: boolean,
  layout: HelpLayout,
): string[] => {
  const shown = options.filter(({ rare }) => all || rare !== true);
  const more = options.length - shown.length;
  return [
    ...prose('Operate a payments service from a terminal, a script or a CI job.', layout.width),
    '',
    ...usageLines('paycli <command> [options]', layout),
    ...section('Start here', (width) => exampleLines(START, width), layout),
    ...section('Commands', (width) => entries([...commands, HELP], width), layout),
    ...section('Options of every command', (width) => optionEntries(shown, width), layout),
    ...section('Topics', (width) => prose(`paycli help ${TOPICS.join(' | ')}`, width), layout),
    ...(more === 0 ? [] : ['', `${more} more options: paycli --help --all`]),
  ];
};

/** Renders the help of a noun: its verbs. */
export const nounPage = (node: NounNode, layout: HelpLayout): string[] => {
  const examples = node.commands.flatMap((verb) => verb.examples.slice(0, 1)).slice(0, FEW_EXAMPLES);
  const name = node.path.join(' ');
  return [
    ...usageLines(`paycli ${name} <command> [options]`, layout),
    ...section('Examples', (width) => exampleLines(examples, width), layout),
    '',
    ...prose(`${node.summary.charAt(0).toUpperCase()}${node.summary.slice(1)}.`, layout.width),
    ...section('Commands', (width) => entries(childrenOf(node).map(entryOf), width), layout),
    '',
    ...prose(`See paycli ${name} <command> --help`, layout.width),
  ];
};
