import { aboutOf, flagsOf, usageOf } from '../src/cli/help/layout.ts';
import { type CommandNode, commandsOf, commandTree, type NounNode, type OptionNode } from '../src/cli/tree.ts';
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

const nounPart = ({ name, aliases, summary, commands }: NounNode): string[] => [
  `## ${name}`,
  [summary, ...aliases.map((alias) => `also called \`${alias}\``)].join('; '),
  listed(commands),
];

const tree = commandTree(await allSpecs(), NOUNS);

const index = (): string => {
  const nouns = tree.commands.filter((node) => node.kind === 'noun');
  const alone = tree.commands.filter((node) => node.kind === 'command');
  return `${[
    '# Commands',
    'The same as `paycli help COMMAND --all` says, from the same table.',
    ...nouns.flatMap(nounPart),
    ...section('Other commands', listed(alone)),
    ...section('Global options', 'They work before and after the words of a command.'),
    table(['option', 'meaning'], optionRows(tree.options)),
  ].join('\n\n')}\n`;
};

/** Pages of the reference by file name, one per command. */
export const referencePages = (): ReadonlyMap<string, string> =>
  new Map([['README.md', index()], ...commandsOf(tree).map((node) => [pageOf(node), commandPage(node)] as const)]);
