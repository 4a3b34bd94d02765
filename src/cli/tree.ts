import { ERRORS, type ErrorKind } from '../core/error.ts';
import { pick } from '../core/json.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec, ValueSpec } from './define.ts';
import { BUILT_IN_OPTIONS, GLOBAL_OPTIONS } from './globals.ts';
import { type Noun, TOPICS } from './program.ts';

/**
 * An option such as `--output`, with the short form `-o` and the value name `format`. Without a value it is a switch.
 */
export interface OptionNode extends ValueSpec, Pick<OptionSpec, 'about' | 'rare'> {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  readonly repeats: boolean;
}

export interface ArgumentNode extends ArgumentSpec {
  readonly repeats: boolean;
}

export interface ExitNode {
  readonly code: number;
  readonly kind: ErrorKind | 'done';
  readonly meaning: string;
  /** Advice for scripts on running the command again. */
  readonly again?: string;
}

export interface CommandNode
  extends Pick<CommandSpec, 'path' | 'summary' | 'description' | 'danger' | 'examples' | 'output' | 'format'> {
  readonly kind: 'command';
  readonly name: string;
  readonly aliases: readonly string[];
  /** The command can show its request and send nothing. */
  readonly previews: boolean;
  readonly args: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  readonly exits: readonly ExitNode[];
}

export interface NounNode {
  readonly kind: 'noun';
  readonly path: readonly string[];
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Descriptions of command groups, by name. */
  readonly groups?: Readonly<Record<string, string>>;
  /** All its commands, including those of its groups. */
  readonly commands: readonly CommandNode[];
}

export interface Tree {
  /** Help topics of `paycli help`. */
  readonly topics: readonly string[];
  readonly options: readonly OptionNode[];
  readonly commands: readonly (CommandNode | NounNode)[];
}

/** The description of accepted values in a declaration. */
const takesOf = (spec: ValueSpec): ValueSpec => pick(spec, ['type', 'choices', 'completes', 'list', 'default']);

const optionNode = (spec: OptionSpec): OptionNode => {
  const [, short, name = spec.flags, value] = /^(?:(-\w), )?(--[\w-]+)(?: <(.+)>)?$/.exec(spec.flags) ?? [];
  return {
    name,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    about: spec.about,
    repeats: spec.repeats === true,
    ...(spec.rare === undefined ? {} : { rare: spec.rare }),
    ...takesOf(spec),
  };
};

const argumentNode = (spec: ArgumentSpec): ArgumentNode => ({
  name: spec.name.replace(/\.\.\.$/, ''),
  about: spec.about,
  required: spec.required,
  repeats: spec.name.endsWith('...'),
  ...takesOf(spec),
});

const DONE: ExitNode = { code: 0, kind: 'done', meaning: 'done' };

const exitNode = (kind: ErrorKind): ExitNode => {
  const { exit: code, meaning, again } = ERRORS[kind];
  return { code, kind, meaning, again };
};

/** All exit codes, in order. */
export const ALL_EXITS: readonly ExitNode[] = [DONE, ...(Object.keys(ERRORS) as ErrorKind[]).map(exitNode)].sort(
  (a, b) => a.code - b.code,
);

const commandNode = (spec: CommandSpec): CommandNode => ({
  kind: 'command',
  path: spec.path,
  name: spec.path.at(-1) ?? '',
  aliases: spec.alias === undefined ? [] : [spec.alias],
  summary: spec.summary,
  ...(spec.description === undefined ? {} : { description: spec.description }),
  danger: spec.danger,
  previews: spec.previews === true,
  args: spec.args.map(argumentNode),
  options: Object.values(spec.options).map(optionNode),
  examples: spec.examples,
  output: spec.output,
  ...(spec.format === undefined ? {} : { format: spec.format }),
  exits: ALL_EXITS.filter(({ kind }) => kind === 'done' || spec.exits.includes(kind)),
});

const nounNode = (name: string, specs: readonly CommandSpec[], { about, alias, groups }: Noun): NounNode => ({
  kind: 'noun',
  path: [name],
  name,
  aliases: alias === undefined ? [] : [alias],
  summary: about,
  ...(groups === undefined ? {} : { groups }),
  commands: specs.filter(({ path }) => path.length > 1 && path[0] === name).map(commandNode),
});

/** Options of every command. */
export const globalOptions = (): readonly OptionNode[] =>
  [...Object.values(GLOBAL_OPTIONS), ...BUILT_IN_OPTIONS].map(optionNode);

/** Builds a tree from the command declarations, for the schema, completion, manuals and the reference. */
export const commandTree = (specs: readonly CommandSpec[], nouns: Readonly<Record<string, Noun>>): Tree => ({
  topics: TOPICS,
  options: globalOptions(),
  commands: [...new Set(specs.map(({ path: [first = ''] }) => first))].map((first) => {
    const alone = specs.find(({ path }) => path.length === 1 && path[0] === first);
    return alone === undefined ? nounNode(first, specs, nouns[first] ?? { about: '' }) : commandNode(alone);
  }),
});

/** Lists all commands, in the order of their declarations. */
export const commandsOf = ({ commands }: Pick<Tree, 'commands'>): readonly CommandNode[] =>
  commands.flatMap((node) => (node.kind === 'command' ? [node] : node.commands));

const groupNode = ({ path, groups, commands }: NounNode, name: string): NounNode => ({
  kind: 'noun',
  path: [...path, name],
  name,
  aliases: [],
  summary: groups?.[name] ?? '',
  commands: commands.filter((command) => command.path[path.length] === name),
});

/** Lists the commands and groups (`webhook events`) directly below a noun. */
export const childrenOf = (noun: NounNode): readonly (CommandNode | NounNode)[] => {
  const names = [...new Set(noun.commands.map(({ path }) => path[noun.path.length] ?? ''))];
  return names.map((name) => {
    const alone = noun.commands.find(({ path }) => path.length === noun.path.length + 1 && path.at(-1) === name);
    return alone ?? groupNode(noun, name);
  });
};

/** Finds what a word calls below a noun, or at the root, where an alias of any command counts. */
export const calledBy = (at: Tree | NounNode | CommandNode, word: string): CommandNode | NounNode | undefined => {
  if ('kind' in at) return at.kind === 'noun' ? childrenOf(at).find(({ name }) => name === word) : undefined;
  return (
    at.commands.find((node) => node.name === word || node.aliases.includes(word)) ??
    commandsOf(at).find(({ aliases }) => aliases.includes(word))
  );
};
