import { aboutOf, flagsOf, usageOf } from '../src/cli/help/layout.ts';
import { commandsIn, type TaskCommands, tasksOf } from '../src/cli/help/tasks.ts';
import { type CommandNode, commandsOf, commandTree, type OptionNode } from '../src/cli/tree.ts';
import { allSpecs, NOUNS } from '../src/commands/all.ts';

export const REFERENCE = 'docs/reference';

const pageOf = ({ path }: CommandNode): string => `${path.join('-')}.md`;
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Characters that a browser could read as a tag. */
const plain = (text: string): string => text.replaceAll(/<(\w+)>/g, '`<$1>`');

type Rows = readonly (readonly [string, string])[];

const table = (head: readonly [string, string], rows: Rows): string =>
  [head, ['---', '---'], ...rows].map(([left = '', right = '']) => `| ${cell(left)} | ${cell(right)} |`).join('\n');

const section = (title: string, text: string): string[] => [`## ${title}`, text];

const tableSection = (title: string, head: readonly [string, string], rows: Rows): string[] =>
  rows.length === 0 ? [] : section(title, table(head, rows));

const examplesOf = ({ examples }: CommandNode): string =>
  examples
    .flatMap(({ about, line }) => [`# ${about}`, ...line.split('\n')])
    .map((line) => `    ${line}`)
    .join('\n');

const optionRows = (options: readonly OptionNode[]): Rows =>
  options.map((one) => [`\`${flagsOf(one)}\``, one.about] as const);

const commandPage = (node: CommandNode): string =>
  `${[
    `# paycli ${node.path.join(' ')}`,
    `    ${usageOf(node)}`,
    ...section('Examples', examplesOf(node)),
    ...section('Description', plain(aboutOf(node))),
    ...tableSection(
      'Arguments',
      ['argument', 'meaning'],
      node.args.map(({ name, about }) => [`\`${name}\``, about]),
    ),
    ...tableSection('Options', ['option', 'meaning'], optionRows(node.options)),
    'The [global options](README.md#global-options) work here, too.',
    ...section('Output', plain(node.output)),
    ...tableSection(
      'Exit codes',
      ['exit', 'meaning'],
      node.exits.map(({ code, meaning }) => [String(code), meaning]),
    ),
    'Which may just be run again: [Exit codes](../exit-codes.md).',
  ].join('\n\n')}\n`;

const listed = (nodes: readonly CommandNode[]): string =>
  nodes.map((node) => `- [paycli ${node.path.join(' ')}](${pageOf(node)}): ${plain(node.summary)}`).join('\n');

/** A command as an entry of its task, or a noun with its verbs. */
const partOf = (part: TaskCommands): string => {
  const { node, about } = part;
  const list = listed(commandsIn(part));
  if (node.kind === 'command') return list;
  const lines = [about, ...node.aliases.map((alias) => `also called \`${alias}\``)].filter((text) => text !== '');
  return [`### ${node.name}`, ...(lines.length === 0 ? [] : [lines.join('; ')]), list].join('\n\n');
};

const tree = commandTree(await allSpecs(), NOUNS);

const index = (): string => {
  const tasks = Map.groupBy(tasksOf(tree.commands), ({ task }) => task);
  return `${[
    '# Commands',
    'The same as `paycli help COMMAND --all` says, from the same table.',
    ...[...tasks].flatMap(([task, parts]) => section(task, parts.map(partOf).join('\n\n'))),
    ...section('Global options', 'They work before and after the words of a command.'),
    table(['option', 'meaning'], optionRows(tree.options)),
  ].join('\n\n')}\n`;
};

/** Pages of the reference by file name, one per command. */
export const referencePages = (): ReadonlyMap<string, string> =>
  new Map([['README.md', index()], ...commandsOf(tree).map((node) => [pageOf(node), commandPage(node)] as const)]);
