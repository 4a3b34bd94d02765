/** The manual pages of `man`, in mdoc: one for each command, and one for paycli. */
import { readFileSync } from 'node:fs';
import { aboutOf } from '../src/cli/help/layout.ts';
import {
  type ArgumentNode,
  type CommandNode,
  commandsOf,
  commandTree,
  type ExitNode,
  type OptionNode,
  type Tree,
} from '../src/cli/tree.ts';
import { allSpecs, NOUNS } from '../src/commands/all.ts';
import { topics } from './topics.ts';

/** Characters that roff would interpret or replace. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

const HIGH = /[^\n -~]/gu;

/** Escapes text so that roff prints it literally. */
const literal = (text: string): string =>
  text
    .replaceAll(/[\\'`^~-]/g, (sign) => ESCAPES[sign] ?? sign)
    .replaceAll(HIGH, (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);

/** Escapes a line so that roff doesn't read it as a request. */
export const textLine = (text: string): string => {
  const line = literal(text);
  return line.startsWith('.') ? `\\&${line}` : line;
};

/** Escapes words for a macro line, so that none is read as a macro or punctuation. */
export const words = (text: string): string =>
  text
    .split(' ')
    .map((word) => `\\&${literal(word).replaceAll('"', '\\(dq')}`)
    .join(' ');

/** Puts each sentence on its own line, as roff expects. */
const sentences = (text: string): string[] => text.split(/(?<=[.?!]\)?) /).map(textLine);

/** Separates paragraphs with `.Pp`. */
export const paragraphs = (text: string): string[] =>
  text.split(/\n+/).flatMap((part, index) => [...(index === 0 ? [] : ['.Pp']), ...sentences(part)]);

/** Renders lines literally. */
export const display = (lines: readonly string[]): string[] => [
  '.Bd -literal -offset indent',
  ...lines.map(textLine),
  '.Ed',
];

/** Renders terms and their meanings as a tagged list. */
export const tagged = (rows: readonly (readonly [term: string, meaning: string])[]): string[] =>
  rows.length === 0
    ? []
    : ['.Bl -tag -width Ds', ...rows.flatMap(([term, meaning]) => [`.It ${term}`, ...paragraphs(meaning)]), '.El'];

/** Fixed date of the pages, so that every build produces the same text. */
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
  (topics()['environment'] ?? []).flatMap((block) =>
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
          'Each command has a page of its own. `paycli help docs` lists the topics that say more.',
      ),
      COMMANDS: tagged(commands.map((node) => [`Xr ${pageNameOf(node)} 1`, node.summary])),
      OPTIONS: optionLines(tree.options),
      ENVIRONMENT: tagged(environmentRows()),
      EXAMPLES: display(['paycli ugwo list --local', 'paycli login --environment sandbox']),
      'SEE ALSO': seeAlso(commands.map(pageNameOf).toSorted()),
    },
  };
};

/** Every manual page, by its path in an archive or a package. */
export const manuals = async (): Promise<ReadonlyMap<string, string>> => {
  const tree = commandTree(await allSpecs(), NOUNS);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const sheets = [rootSheet(tree), ...commandsOf(tree).map(commandSheet)];
  return new Map(sheets.map((sheet) => [`man/man1/${sheet.name}.1`, sheetText(sheet, version)]));
};
