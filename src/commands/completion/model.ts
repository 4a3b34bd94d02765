import type { CommandNode, OptionNode, Tree } from '../../cli/tree.ts';
import { BANK_CODES } from '../../core/banks.ts';
import type { Shell } from './shells-shared.ts';

/** A completable word and its description. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

/**
 * The commands as the scripts need them. A place is the words of a command or noun, separated by blanks; '' is the top.
 * The possible values are written as `=a b` (these words), `text` (no offers), or the kind to ask for. A leading comma
 * marks a list.
 */
export interface Model {
  /** Words that may follow a place. After `help` and `schema` come those of a command. */
  readonly steps: ReadonlyMap<string, readonly Word[]>;
  readonly options: ReadonlyMap<string, readonly Word[]>;
  readonly globals: readonly Word[];
  /** Possible values of options, by `place --option`, or `. --option` for global ones. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Possible values of a command's arguments. A trailing `+` means that the last argument repeats. */
  readonly args: ReadonlyMap<string, readonly string[]>;
  /** Nouns by alias. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Values that the script holds itself instead of asking paycli. */
const FIXED: Readonly<Record<string, readonly string[]>> = { bank: BANK_CODES };

const specOf = ({ choices, completes, list }: Pick<OptionNode, 'choices' | 'completes' | 'list'>): string => {
  const words = choices ?? FIXED[completes ?? ''];
  return (list === true ? ',' : '') + (words === undefined ? (completes ?? 'text') : `=${words.join(' ')}`);
};

/** Joins a text into one line and replaces quotes that could end a string in a script. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\u2018-\u201b]/g, "'");

const wordOf = (word: string, about: string): Word => ({ word, about: plain(about) });

const optionWords = (options: readonly OptionNode[]): readonly Word[] =>
  options.flatMap(({ name, short, about }) =>
    [name, short].flatMap((word) => word ?? []).map((word) => wordOf(word, about)),
  );

const valuesOf = (place: string, options: readonly OptionNode[]): readonly (readonly [key: string, spec: string])[] =>
  options
    .filter(({ value }) => value !== undefined)
    .flatMap((option) =>
      [option.name, option.short].flatMap((name) =>
        name === undefined ? [] : [[`${place} ${name}`, specOf(option)] as const],
      ),
    );

/** Builds the words that may follow each place. */
const stepsOf = (tree: Tree, commands: readonly CommandNode[]): Map<string, readonly Word[]> => {
  const steps = new Map<string, readonly Word[]>();
  const groups = tree.commands.flatMap((node) =>
    node.kind === 'noun'
      ? Object.entries(node.groups ?? {}).map(([name, about]) => [`${node.name} ${name}`, about] as const)
      : [],
  );
  const nodes = [...tree.commands, ...commands].map(({ path, summary }) => [path.join(' '), summary] as const);
  const abouts = new Map([...nodes, ...groups]);
  for (const { path } of commands) {
    for (const [index, word] of path.entries()) {
      const [place, whole] = [path.slice(0, index).join(' '), path.slice(0, index + 1).join(' ')];
      const known = steps.get(place) ?? [];
      if (known.every((one) => one.word !== word)) steps.set(place, [...known, wordOf(word, abouts.get(whole) ?? '')]);
    }
  }
  return steps;
};

const grouped = (entries: readonly (readonly [key: string, spec: string])[]): Map<string, readonly string[]> => {
  const groups = new Map<string, readonly string[]>();
  for (const [key, spec] of entries) groups.set(spec, [...(groups.get(spec) ?? []), key]);
  return groups;
};

export const modelOf = (tree: Tree): Model => {
  const commands = tree.commands.flatMap((node) => (node.kind === 'command' ? [node] : node.commands));
  const steps = stepsOf(tree, commands);
  const first = steps.get('') ?? [];
  steps.set('', [...first, wordOf('help', 'show help for a command')]);
  steps.set('help', [...first, ...tree.topics.map((topic) => wordOf(topic, 'what there is to know'))]);
  steps.set('schema', first);
  const place = ({ path }: CommandNode): string => path.join(' ');
  return {
    steps,
    options: new Map(commands.map((node) => [place(node), optionWords(node.options)])),
    globals: optionWords(tree.options),
    values: grouped([
      ...valuesOf('.', tree.options),
      ...commands.flatMap((node) => valuesOf(place(node), node.options)),
    ]),
    args: new Map(
      commands.map((node) => [place(node), node.args.map((one) => specOf(one) + (one.repeats ? '+' : ''))] as const),
    ),
    aliases: new Map(tree.commands.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const))),
  };
};

/** Lookup tables of a script: the name of each table, and its rows by their keys. */
export const tablesOf = (
  { steps, options, values, args, aliases }: Model,
  wordsOf: (words: readonly Word[]) => readonly string[],
  quoted: (text: string) => string,
): readonly (readonly [
  name: string,
  rows: readonly (readonly [keys: readonly string[], found: readonly string[]])[],
])[] => [
  ['steps', [...steps].map(([place, words]) => [[place], wordsOf(words)])],
  ['options', [...options].map(([place, words]) => [[place], wordsOf(words)])],
  ['values', [...values].map(([spec, keys]) => [keys, [quoted(spec)]])],
  ['args', [...args].map(([place, specs]) => [[place], specs.map(quoted)])],
  ['alias', [...aliases].map(([alias, name]) => [[alias], [quoted(name)]])],
];

/** Marker line by which paycli recognizes its own scripts. */
export const markOf = (shell: Shell): string =>
  `# made by \`paycli completion ${shell}\`; what is typed is compared, never run`;
