import { TOPICS } from '../program.ts';
import { type CommandNode, childrenOf, type NounNode, type Tree } from '../tree.ts';
import {
  exampleLines,
  type HelpLayout,
  helpEntryLines,
  optionEntries,
  prose,
  section,
  usageLines,
  wrapped,
} from './layout.ts';
import { commandsIn, type TaskCommands, tasksOf } from './tasks.ts';

/** Width of the column of tasks on the first page, and of the space behind it. */
const TASK_WIDTH = 11;
const TASK_GAP = 2;

/** A command or noun on a help page. */
type HelpEntry = readonly [name: string, about: string];

/** A task with its commands and nouns, on the first page. */
export type HelpTask = readonly [task: string, entries: readonly HelpEntry[]];

const withVerbs = (about: string, verbs: readonly { readonly name: string }[]): string =>
  [about, verbs.map(({ name }) => name).join(', ')].filter((text) => text !== '').join(': ');

/** Describes a command; the entry of a group lists its verbs. */
const helpEntryOf = (node: CommandNode | NounNode): HelpEntry => [
  node.name,
  node.kind === 'command' ? node.summary : withVerbs(node.summary, childrenOf(node)),
];

/** Lists every command and noun by task, for the first page. */
export const overviewOf = ({ commands }: Pick<Tree, 'commands'>): readonly HelpTask[] =>
  Map.groupBy(tasksOf(commands), ({ task }) => task)
    .entries()
    .map(
      ([task, parts]): HelpTask => [task, parts.map(({ node, about, verbs }) => [node.name, withVerbs(about, verbs)])],
    )
    .toArray();

/** Pads the names to one length, so that entries in several sections line up. */
const inOneColumn = (tasks: readonly HelpTask[]): readonly HelpTask[] => {
  const longest = Math.max(...tasks.flatMap(([, list]) => list.map(([name]) => name.length)));
  return tasks.map(([task, list]) => [task, list.map(([name, about]) => [name.padEnd(longest), about])]);
};

/** Renders a task in the left column, and its entries beside it. */
const taskLines = ([task, list]: HelpTask, { width, heading }: HelpLayout): string[] => {
  const names = wrapped(task, TASK_WIDTH);
  const beside = helpEntryLines(list, width - TASK_WIDTH - TASK_GAP);
  return Array.from({ length: Math.max(names.length, beside.length) }, (_, at) => {
    const [name = '', line = ''] = [names[at], beside[at]];
    return `${name === '' ? '' : heading(name)}${' '.repeat(TASK_WIDTH + TASK_GAP - name.length)}${line}`.trimEnd();
  });
};

/** Renders the first page of help; with `all`, also the global options and the topics. */
export const rootPage = (
  tasks: readonly HelpTask[],
  options: Tree['options'],
  all: boolean,
  layout: HelpLayout,
): string[] => [
  ...prose('Operate a payments service from a terminal, a script or a CI job.', layout.width),
  '',
  ...usageLines('paycli <command> [options]', layout),
  ...prose('Start here: paycli ugwo list --local (practice: no network, no key)', layout.width),
  '',
  ...inOneColumn(tasks).flatMap((task) => taskLines(task, layout)),
  ...(all ? section('Global options', (width) => optionEntries(options, width), layout) : []),
  ...(all ? section('Topics', (width) => prose(`paycli help docs ${TOPICS.join(' | ')}`, width), layout) : []),
  '',
  ...prose(
    all
      ? 'Options of a command: paycli <command> --help --all. Find a word: paycli help --search WORD'
      : 'More: paycli <command> --help, paycli help docs, paycli --help --all',
    layout.width,
  ),
];

/** The verbs of a noun by task if they have several, or of a group (`webhook events`), which has none. */
const groupsOf = (node: NounNode): readonly TaskCommands[] => {
  const parts = node.path.length === 1 ? tasksOf([node]) : [];
  if (parts.length > 1) return parts;
  return [{ node, about: node.summary, verbs: childrenOf(node), ...parts[0], task: 'Commands' }];
};

/** Renders the help of a noun: its verbs. */
export const nounPage = (node: NounNode, layout: HelpLayout): string[] => {
  const parts = groupsOf(node);
  const examples = parts.flatMap(commandsIn).flatMap((verb) => verb.examples.slice(0, 1));
  const groups = parts.map(({ task, verbs }): HelpTask => [task, verbs.map(helpEntryOf)]);
  const name = node.path.join(' ');
  const alias = node.aliases.map((word) => ` Alias: \`paycli ${word}\`.`).join('');
  const about = `${node.summary.charAt(0).toUpperCase()}${node.summary.slice(1)}.${alias}`;
  return [
    ...usageLines(`paycli ${name} <command> [options]`, layout),
    ...section('Examples', (width) => exampleLines(examples.slice(0, 3), width), layout),
    '',
    ...prose(about, layout.width),
    ...inOneColumn(groups).flatMap(([task, list]) => section(task, (width) => helpEntryLines(list, width), layout)),
    '',
    ...prose(`See paycli ${name} <command> --help`, layout.width),
  ];
};
