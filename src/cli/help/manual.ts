import topics from '#topics' with { type: 'json' };
import { type ArgumentNode, type CommandNode, commandsOf, type ExitNode, type OptionNode, type Tree } from '../tree.ts';
import { aboutOf } from './command.ts';
import { display, paragraphs, tagged, textLine, words } from './roff.ts';

/** The day of these pages: what they say of it is the same wherever they are made. */
const DATE = 'November 22, 2026';

interface Sheet {
  readonly name: string;
  readonly about: string;
  readonly synopsis: readonly string[];
  readonly sections: Readonly<Record<string, readonly string[]>>;
}

const pageNameOf = ({ path }: CommandNode): string => ['paycli', ...path].join('-');

const sheetText = ({ name, about, synopsis, sections }: Sheet, version: string): string =>
  `${[
    `.Dd ${DATE}`,
    `.Dt ${name.toUpperCase()} 1`,
    `.Os paycli ${version}`,
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${words(about)}`,
    '.Sh SYNOPSIS',
    ...synopsis,
    ...Object.entries(sections).flatMap(([title, lines]) => (lines.length === 0 ? [] : [`.Sh ${title}`, ...lines])),
  ].join('\n')}\n`;

const flagWords = ({ short, name, value }: OptionNode): string => {
  const argument = value === undefined ? '' : ` Ar ${words(value)}`;
  return `${short === undefined ? '' : `Fl ${short.slice(1)} , `}Fl ${name.slice(1)}${argument}`;
};

const optionLines = (options: readonly OptionNode[]): string[] =>
  tagged(options.map((one) => [flagWords(one), one.about]));

const argumentLine = ({ name, required, repeats }: ArgumentNode): string => {
  const word = `Ar ${words(name)}${repeats ? ' ...' : ''}`;
  return required ? `.${word}` : `.Op ${word}`;
};

const exitLines = (exits: readonly ExitNode[]): string[] =>
  tagged(
    exits.map(({ code, meaning, again }) => [
      String(code),
      again === undefined ? meaning : `${meaning}. Run it again? ${again}`,
    ]),
  );

const exampleLines = ({ examples }: CommandNode): string[] =>
  examples.flatMap(({ about, line }) => [textLine(`${about}:`), ...display(line.split('\n'))]);

const seeAlso = (names: readonly string[]): string[] =>
  names.map((name, index) => `.Xr ${name} 1${index === names.length - 1 ? '' : ' ,'}`);

const commandSheet = (node: CommandNode): Sheet => ({
  name: pageNameOf(node),
  about: node.summary,
  synopsis: [`.Nm paycli ${words(node.path.join(' '))}`, '.Op Ar options', ...node.args.map(argumentLine)],
  sections: {
    DESCRIPTION: [
      ...paragraphs(aboutOf(node)),
      ...tagged(node.args.map(({ name, about }) => [`Ar ${words(name)}`, about])),
    ],
    OPTIONS: optionLines(node.options),
    OUTPUT: paragraphs(node.output),
    'EXIT STATUS': exitLines(node.exits),
    EXAMPLES: exampleLines(node),
    'SEE ALSO': seeAlso(['paycli']),
  },
});

const environmentRows = (): (readonly [string, string])[] =>
  (topics['environment'] ?? []).flatMap((block) =>
    block.kind === 'table'
      ? block.rows.map(([name = '', meaning = '']) => [`Ev ${words(name)}`, meaning] as const)
      : [],
  );

const rootSheet = (tree: Tree): Sheet => {
  const commands = commandsOf(tree);
  return {
    name: 'paycli',
    about: 'operate a payments service from a terminal, a script or a CI job',
    synopsis: ['.Nm paycli', '.Ar command', '.Op Ar options'],
    sections: {
      DESCRIPTION: paragraphs(
        'paycli updates customers, charges payment requests and walks through lists. A ledger remembers every charge, so that ' +
          'none is made twice and none is lost.\n' +
          'Each command has a page of its own. The topics of `paycli help` say more: charging, files, safety, output, exit-codes, ' +
          'profiles, environment.',
      ),
      COMMANDS: tagged(commands.map((node) => [`Xr ${pageNameOf(node)} 1`, node.summary])),
      OPTIONS: optionLines(tree.options),
      ENVIRONMENT: tagged(environmentRows()),
      EXAMPLES: display(['paycli ugwo list --local', 'paycli login --environment sandbox']),
      'SEE ALSO': seeAlso(commands.map(pageNameOf).toSorted()),
    },
  };
};

/** The manual page of a command, or that of paycli itself, in mdoc. */
export const manualOf = (node: CommandNode | Tree, version: string): string =>
  sheetText('kind' in node ? commandSheet(node) : rootSheet(node), version);

/** Every manual page by the name of its file. */
export const manualPages = (tree: Tree, version: string): ReadonlyMap<string, string> =>
  new Map([
    ['paycli.1', manualOf(tree, version)],
    ...commandsOf(tree).map((node) => [`${pageNameOf(node)}.1`, manualOf(node, version)] as const),
  ]);
