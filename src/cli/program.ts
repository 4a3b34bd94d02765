import { Command, CommanderError, Option } from 'commander';
import { PayError, usageError } from '../core/error.ts';
import { type IdPrefix, idIn, isId, type NamedPrefix } from '../core/ids.ts';
import type { Env } from '../core/io.ts';
import { FORMATS, isJsonFormat } from '../core/result.ts';
import { shellLine } from '../core/shell.ts';
import type {
  ArgumentSpec,
  CommandSpec,
  Completes,
  GivenOptions,
  OptionSpec,
  OptionSpecs,
  Question,
  ValueSpec,
} from './define.ts';
import { checkGlobals, GLOBAL_OPTIONS, type Globals, HELP_OPTION, readGlobals, VERSION_OPTION } from './globals.ts';
import { notOneOf } from './options.ts';

/** Help topics: the documents in docs/, by name. */
export const TOPICS: readonly string[] = (
  'guide charging files safety ledger team unattended watch webhooks policy agents emulator profiles configuration doctor ' +
  'environment install completion prompts output jq exit-codes protocol reliability security service performance ' +
  'dependencies'
).split(' ');

export interface HelpWanted {
  /** A command, a noun or a topic; empty for the first page. */
  readonly words: readonly string[];
  /** Includes rarely used options. */
  readonly all: boolean;
  /** Text to find in all pages, in place of a page. */
  readonly search?: string | undefined;
}

/** Maximum number of suggestions; more would not be a useful guess. */
const MOST_SUGGESTIONS = 3;

/** Suggests the commands for a verb alone, such as `charge`. Empty if there is none, or too many. */
export const meantByVerb = (verb: string, commands: readonly { readonly path: readonly string[] }[]): string => {
  const found = commands
    .filter(({ path }) => path.length > 1 && path.at(-1) === verb)
    .map(({ path }) => path.join(' '));
  if (found.length === 0 || found.length > MOST_SUGGESTIONS) return '';
  return ` (Did you mean ${found.length === 1 ? '' : 'one of '}${found.join(', ')}?)`;
};

/** Names in place of ids. A command takes those of one kind. */
export interface Names {
  readonly found: ReadonlyMap<string, NamedPrefix>;
  /** Reads the command's input with ids in their place. */
  readonly read: (ids: ReadonlyMap<string, string>) => unknown;
}

export type Parsed<S extends CommandSpec = CommandSpec> =
  | {
      readonly kind: 'run';
      readonly spec: S;
      readonly input: unknown;
      readonly globals: Globals;
      readonly names?: Names;
    }
  /** The version, for stdout. */
  | { readonly kind: 'text'; readonly text: string; readonly globals: Globals }
  | { readonly kind: 'help'; readonly wanted: HelpWanted; readonly globals: Globals }
  | {
      readonly kind: 'error';
      readonly error: PayError;
      /** The leading words that name a command. */
      readonly words: readonly string[];
      readonly globals: Globals;
      /** A question whose answer can supply the missing value; `with` continues with the answer. */
      readonly missing?: { readonly question: Question; readonly with: (answer: string) => Parsed<S> };
    };

export interface Noun {
  readonly about: string;
  readonly alias?: string;
  /** Groups between the noun and some of its verbs, by name: `webhook events list`. */
  readonly groups?: Readonly<Record<string, string>>;
}

export interface ProgramOptions {
  readonly version: string;
  readonly env: Env;
  /** Descriptions of nouns for help, and their plain aliases. */
  readonly nouns: Readonly<Record<string, Noun>>;
}

/** Called with the command that argv names. */
type Chosen = (command: Command) => void;

/** The commander option of each spec, which is needed to register it and again to read its value. */
const commanderOptions = new WeakMap<OptionSpec, Option>();

const ID_PREFIXES: Partial<Record<Completes, IdPrefix>> = {
  ugwo: 'ugw',
  onye: 'ony',
  activity: 'act',
  activityOrRef: 'act',
  payment: 'act',
  checkout: 'chk',
};
const OTHER_IDS: readonly (Completes | undefined)[] = ['charge', 'refund', 'job', 'entry', 'event'];

/** A value as it is meant: an id without the blanks or the URL around it. */
const asMeant = ({ completes }: ValueSpec, text: string): string => {
  const prefix = completes && ID_PREFIXES[completes];
  if (prefix !== undefined) return idIn(prefix, text);
  return OTHER_IDS.includes(completes) ? text.trim() : text;
};

/** Converts a spec to a commander option whose errors name the flag. */
const toCommander = (spec: OptionSpec): Option => {
  const before = commanderOptions.get(spec);
  if (before !== undefined) return before;
  const option = new Option(spec.flags, spec.about);
  commanderOptions.set(spec, option);
  const { parse } = spec;
  if (parse === undefined) return option;
  const name = option.long ?? spec.flags;
  return option.argParser((text: string, previous: unknown) => {
    try {
      if (spec.repeats !== true) return parse(asMeant(spec, text));
      const texts = spec.list === true ? text.split(',').map((one) => one.trim()) : [text];
      return [...((previous as unknown[] | undefined) ?? []), ...texts.map((one) => parse(asMeant(spec, one)))];
    } catch (thrown) {
      if (thrown instanceof PayError) throw usageError(`${name}: ${thrown.message}`, thrown.detail);
      throw thrown;
    }
  });
};

const givenOptions = <O extends OptionSpecs>(specs: O, command: Command): GivenOptions<O> => {
  const values = command.opts();
  const entries: (readonly [string, unknown])[] = [];
  for (const [key, spec] of Object.entries(specs)) {
    const option = toCommander(spec);
    const value: unknown = values[option.attributeName()];
    if (option.negate ? value === false : value !== undefined) entries.push([key, option.negate || value]);
  }
  return Object.fromEntries(entries) as GivenOptions<O>;
};

const commandNamed = (group: Command, word: string): Command | undefined =>
  group.commands.find((command) => command.name() === word || command.aliases().includes(word));

const groupFor = (program: Command, path: readonly string[], nouns: ProgramOptions['nouns']): Command => {
  let group = program;
  for (const word of path) {
    const alias = group === program ? nouns[word]?.alias : undefined;
    const found = commandNamed(group, word);
    group = found ?? group.command(word).copyInheritedSettings(program).helpCommand(true);
    if (found === undefined && alias !== undefined) group.alias(alias);
  }
  return group;
};

/** Paths of the commands that have been added. */
const paths = new WeakMap<Command, readonly string[]>();

const addToGroup = (group: Command, word: string, program: Command, spec: CommandSpec, chosen: Chosen): void => {
  const command = group.command(word, { hidden: word === spec.alias }).copyInheritedSettings(program);
  paths.set(command, spec.path);
  for (const { name, required } of spec.args) command.argument(required ? `<${name}>` : `[${name}]`);
  const addOptions = (): void => {
    for (const option of Object.values(spec.options)) command.addOption(toCommander(option));
  };
  // Adds options only when their group is entered, so that startup doesn't pay for the options of other groups.
  if (group === program) addOptions();
  else group.parent?.hook('preSubcommand', (_parent, entered) => (entered === group ? addOptions() : undefined));
  command.action(() => chosen(command));
};

const addCommand = (program: Command, spec: CommandSpec, { nouns }: ProgramOptions, chosen: Chosen): void => {
  addToGroup(groupFor(program, spec.path.slice(0, -1), nouns), spec.path.at(-1) ?? '', program, spec, chosen);
  if (spec.alias !== undefined) addToGroup(program, spec.alias, program, spec, chosen);
};

/** Help requested while argv is parsed. */
interface Asked {
  help?: HelpWanted;
}

/** Path of a command; for an alias, that of the command it calls. */
const commandPath = (command: Command): readonly string[] =>
  paths.get(command) ?? (command.parent === null ? [] : [...commandPath(command.parent), command.name()]);

const HELP = 'help';

const newProgram = (asked: Asked, argv: readonly string[], options: ProgramOptions): Command => {
  const program = new Command('paycli')
    .exitOverride()
    // help/ renders the pages, and only when one is requested.
    .configureHelp({
      formatHelp: (command) => {
        const words = commandPath(command as Command);
        asked.help = { words: words[0] === HELP ? [] : words, all: argv.includes('--all') };
        return '';
      },
    })
    .configureOutput({
      // run.ts prints the version; errors arrive as exceptions with the same text.
      writeOut: () => undefined,
      writeErr: () => undefined,
    })
    .version(options.version, VERSION_OPTION.flags, VERSION_OPTION.about)
    .helpOption(HELP_OPTION.flags, HELP_OPTION.about)
    .helpCommand(false)
    // `readInput` refuses them, after the command itself had a chance to say why.
    .allowExcessArguments();
  for (const option of Object.values(GLOBAL_OPTIONS)) program.addOption(toCommander(option));
  // A command of our own, since commander's takes only one word and knows no topics.
  const help = program.command(`${HELP} [words...]`).copyInheritedSettings(program);
  help.option('--all').option('--search <text>');
  help.action((words: string[], { all = false, search }: { all?: boolean; search?: string }) => {
    asked.help = { words: words[0] === HELP ? [] : words, all, search };
  });
  return program;
};

/** Path of the command that the leading words of argv name. */
const commandWords = (program: Command, argv: readonly string[]): readonly string[] => {
  let at: Command = program;
  for (const word of argv.filter((text) => !text.startsWith('-'))) {
    const next = commandNamed(at, word);
    if (next === undefined) break;
    at = next;
  }
  return commandPath(at);
};

/** True if a text can only be the value of this argument. */
const isOnlyFor = ({ completes, choices }: ArgumentSpec, text: string): boolean => {
  const prefix = completes && ID_PREFIXES[completes];
  return prefix === undefined ? choices?.includes(text) === true : isId(prefix, idIn(prefix, text));
};

/** The required argument that is missing: not always the last one. */
const missingArgument = (args: readonly ArgumentSpec[], given: readonly string[]): ArgumentSpec | undefined => {
  let others = given.filter((text) => !args.some((arg) => isOnlyFor(arg, text))).length;
  return args.find((arg) => {
    if (given.some((text) => isOnlyFor(arg, text))) return false;
    others -= 1;
    return arg.required && others < 0;
  });
};

/** Rewrites a commander error as one sentence. */
const usageMessage = (
  error: CommanderError,
  words: readonly string[],
  specs: readonly CommandSpec[],
  program: Command,
): string => {
  const { args = [] } = specs.find(({ path }) => path.join(' ') === words.join(' ')) ?? {};
  if (error.code === 'commander.missingArgument') {
    const command = words.reduce<Command | undefined>((at, word) => at && commandNamed(at, word), program);
    const missing = missingArgument(args, command?.args ?? []);
    if (missing !== undefined) return `missing required argument '${missing.name}': ${missing.about}`;
  }
  if (error.code === 'commander.unknownOption') {
    const [, name] = /'--([\w-]+)/.exec(error.message) ?? [];
    if (args.some((argument) => argument.name === name))
      return `unknown option '--${name}': give the ${name} without it`;
  }
  if (error.code === 'commander.help') {
    return words.length === 0 ? 'no command given' : `no command given after ${words.join(' ')}`;
  }
  return error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
};

const verbAlone = (error: CommanderError, words: readonly string[], specs: readonly CommandSpec[]): string => {
  const [, typed] = /^error: unknown command '(.*)'$/.exec(error.message) ?? [];
  return typed === undefined || words.length > 0 ? '' : meantByVerb(typed, specs);
};

/** Adds a hint about --help to a usage error that has no hint. */
const withHelp = (error: PayError, words: readonly string[]): PayError =>
  error.kind !== 'usage' || error.detail.hint !== undefined
    ? error
    : error.with({ hint: `see: ${shellLine(['paycli', ...words, '--help'])}` });

interface Reading<S> {
  readonly spec: S;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
}

const foundNames = (
  { spec, args, options, globals: { validate } }: Reading<CommandSpec>,
  found: ReadonlyMap<string, NamedPrefix>,
): Names => ({
  found,
  read: (ids) => spec.read(args, options, { validate, named: (_prefix, name) => ids.get(name) ?? name }),
});

/**
 * Reads arguments and options into the command's input. An error includes the question that could supply a missing
 * value.
 */
const readInput = <S extends CommandSpec>(reading: Reading<S>): Parsed<S> => {
  const { spec, args, options, globals } = reading;
  const found = new Map<string, NamedPrefix>();
  try {
    const named = (prefix: NamedPrefix, name: string) => found.set(name, prefix) && name;
    const input = spec.read(args, options, { validate: globals.validate, named });
    const excess = args.slice(spec.args.length);
    if (excess.length > 0 && spec.args.at(-1)?.name.endsWith('...') !== true)
      throw usageError(`too many arguments for ${spec.path.join(' ')}: ${excess.join(' ')}`);
    return { kind: 'run', spec, input, globals, ...(found.size > 0 && { names: foundNames(reading, found) }) };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    const words = spec.path;
    const error = withHelp(thrown, words);
    const question = spec.asks?.(args, options);
    if (question === undefined) return { kind: 'error', error, words, globals };
    const { option: name } = question;
    const answered = (answer: string): Parsed<S> =>
      readInput({
        ...reading,
        ...(name === undefined
          ? { args: [asMeant(spec.args[0] ?? {}, answer)] }
          : { options: { ...options, [name]: answer } }),
      });
    return { kind: 'error', error, words, globals, missing: { question, with: answered } };
  }
};

/** Parses argv (without node and script) into a command, help or an error. Never prints, never exits. */
export const parseArgv = <S extends CommandSpec>(
  argv: readonly string[],
  specs: readonly S[],
  options: ProgramOptions,
): Parsed<S> => {
  const asked: Asked = {};
  const program = newProgram(asked, argv, options);
  let chosen: { readonly spec: S; readonly command: Command } | undefined;
  for (const spec of specs) {
    addCommand(program, spec, options, (command) => {
      chosen = { spec, command };
    });
  }
  try {
    program.parse([...argv], { from: 'user' });
    const typed = givenOptions(GLOBAL_OPTIONS, program);
    checkGlobals(typed, options.env);
    const globals = readGlobals(typed, options.env);
    if (asked.help !== undefined) return { kind: 'help', wanted: asked.help, globals };
    if (chosen === undefined) throw usageError('no command given');
    const { spec, command } = chosen;
    if (globals.prometheus && spec.metrics !== true) throw usageError(`--output: ${notOneOf('prometheus', FORMATS)}`);
    const last = spec.args.length - 1;
    const args = command.args.map((text, index) => asMeant(spec.args[Math.min(index, last)] ?? {}, text));
    return readInput({ spec, args, options: givenOptions(spec.options, command), globals });
  } catch (thrown) {
    const globals = readGlobals(givenOptions(GLOBAL_OPTIONS, program), options.env);
    const words = commandWords(program, argv);
    const failed = (error: PayError): Parsed<S> => ({ kind: 'error', error: withHelp(error, words), words, globals });
    if (thrown instanceof PayError) return failed(thrown);
    if (!(thrown instanceof CommanderError)) throw thrown;
    // A noun alone shows its help, but not to a program that reads JSON.
    const isRead = isJsonFormat(globals.format) || globals.jq !== undefined;
    if (thrown.exitCode !== 0 && (asked.help === undefined || isRead))
      return failed(usageError(usageMessage(thrown, words, specs, program) + verbAlone(thrown, words, specs)));
    if (asked.help !== undefined) return { kind: 'help', wanted: asked.help, globals };
    return { kind: 'text', text: `${options.version}\n`, globals };
  }
};
