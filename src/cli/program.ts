import { Command, CommanderError, Option } from 'commander';
import { PayError, usageError } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import type { CommandSpec, GivenOptions, OptionSpec, OptionSpecs } from './define.ts';
import type { Globals } from './globals.ts';
import { checkGlobals, GLOBAL_OPTIONS, HELP_OPTION, readGlobals, VERSION_OPTION } from './globals.ts';
import { commandHelp, NARROWEST_WRAP, rootHelp } from './help.ts';

/** What argv asks for. */
export type Parsed<S extends CommandSpec = CommandSpec> =
  | { readonly kind: 'run'; readonly spec: S; readonly input: unknown; readonly globals: Globals }
  /** Help or the version, for stdout. */
  | { readonly kind: 'text'; readonly text: string; readonly globals: Globals }
  | { readonly kind: 'error'; readonly error: PayError; readonly globals: Globals };

export interface Noun {
  readonly about: string;
  readonly alias?: string;
  /** What is between it and some of its verbs: `webhook events list`. */
  readonly groups?: Readonly<Record<string, string>>;
}

export interface ProgramOptions {
  readonly version: string;
  /** Columns that help is wrapped to. */
  readonly width: number;
  readonly env: Env;
  /** What each noun is about, for help, and the plain word that it may be called by. */
  readonly nouns: Readonly<Record<string, Noun>>;
}

/** commander's own option, whose faults name the flag. */
const toCommander = (spec: OptionSpec): Option => {
  const option = new Option(spec.flags, spec.about);
  const { parse } = spec;
  if (parse === undefined) return option;
  const name = option.long ?? spec.flags;
  return option.argParser((text: string, previous: unknown) => {
    try {
      const value = parse(text);
      return spec.repeats === true ? [...((previous as unknown[] | undefined) ?? []), value] : value;
    } catch (thrown) {
      if (thrown instanceof PayError) throw usageError(`${name}: ${thrown.message}`, thrown.detail);
      throw thrown;
    }
  });
};

const given = <O extends OptionSpecs>(specs: O, command: Command): GivenOptions<O> => {
  const values = command.opts();
  const entries = Object.entries(specs).flatMap(([key, spec]) => {
    const option = new Option(spec.flags);
    const value: unknown = values[option.attributeName()];
    if (option.negate) return value === false ? [[key, true] as const] : [];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries) as GivenOptions<O>;
};

const globalsOf = (program: Command, env: Env): Globals => readGlobals(given(GLOBAL_OPTIONS, program), env);

/** The command that a word calls, by its name or its alias. */
const calledBy = (group: Command, word: string): Command | undefined =>
  group.commands.find((command) => command.name() === word || command.aliases().includes(word));

const newGroup = (parent: Command, program: Command, word: string, { about, alias }: Noun): Command => {
  const group = parent.command(word).description(about).copyInheritedSettings(program);
  return alias === undefined ? group : group.alias(alias);
};

const groupFor = (program: Command, path: readonly string[], nouns: ProgramOptions['nouns']): Command => {
  let group = program;
  const noun = nouns[path[0] ?? ''] ?? { about: '' };
  for (const word of path) {
    const about = group === program ? noun : { about: noun.groups?.[word] ?? '' };
    group = calledBy(group, word) ?? newGroup(group, program, word, about);
  }
  return group;
};

const addCommand = (
  program: Command,
  spec: CommandSpec,
  options: ProgramOptions,
  chosen: (command: Command) => void,
): void => {
  const group = groupFor(program, spec.path.slice(0, -1), options.nouns);
  const command = group.command(spec.path.at(-1) ?? '').copyInheritedSettings(program);
  command.summary(spec.summary).description(spec.description ?? spec.summary);
  for (const { name, about, required } of spec.args) command.argument(required ? `<${name}>` : `[${name}]`, about);
  const addOptions = (): void => {
    for (const option of Object.values(spec.options)) command.addOption(toCommander(option));
  };
  // A start pays for the options of the commands beside it alone, which its help lists.
  if (group === program) addOptions();
  else group.parent?.hook('preSubcommand', (_parent, entered) => (entered === group ? addOptions() : undefined));
  command.addHelpText('after', () => commandHelp(spec, options.width));
  command.action(() => chosen(command));
};

/** On the first page of help a noun names its verbs. */
const nameVerbs = (program: Command): void => {
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.summary(`${group.description()}: ${group.commands.map((verb) => verb.name()).join(', ')}`);
  }
};

const newProgram = (written: { out: string }, options: ProgramOptions): Command => {
  const program = new Command('paycli')
    .exitOverride()
    .configureHelp({ minWidthToWrap: NARROWEST_WRAP })
    .configureOutput({
      writeOut: (text) => {
        written.out += text;
      },
      // Faults come as exceptions, with the same words.
      writeErr: () => undefined,
      getOutHelpWidth: () => options.width,
      getErrHelpWidth: () => options.width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .version(options.version, VERSION_OPTION.flags, VERSION_OPTION.about)
    .helpOption(HELP_OPTION.flags, HELP_OPTION.about)
    .description('Operate a payments service from a terminal, a script or a CI job.')
    .helpCommand('help [command]', HELP_OPTION.about);
  for (const option of Object.values(GLOBAL_OPTIONS)) program.addOption(toCommander(option));
  program.addHelpText('after', rootHelp);
  return program;
};

/** The words of argv that name a command, as far as they do. */
const wordsOf = (program: Command, argv: readonly string[]): string[] => {
  const words: string[] = [];
  let at: Command = program;
  for (const word of argv.filter((text) => !text.startsWith('-'))) {
    const next = calledBy(at, word);
    if (next === undefined) break;
    words.push(next.name());
    at = next;
  }
  return words;
};

/** A fault that commander found, in one sentence. */
const messageOf = (error: CommanderError, words: readonly string[]): string => {
  if (error.code === 'commander.help') {
    return words.length === 0 ? 'no command given' : `no command given after ${words.join(' ')}`;
  }
  return error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
};

/** The same error, which says where to read on when it has nothing better to say. */
const withHelp = (error: PayError, words: readonly string[]): PayError =>
  error.kind !== 'usage' || error.detail.hint !== undefined
    ? error
    : error.with({ hint: `see: ${['paycli', ...words, '--help'].join(' ')}` });

/** `help ugwo charge` is `ugwo charge --help`; commander's own help command takes one word only. */
const withoutHelpWord = (argv: readonly string[], program: Command): readonly string[] => {
  const [first, ...rest] = argv;
  if (first !== 'help' || rest.length === 0) return argv;
  const known = wordsOf(program, rest);
  const unknown = rest.filter((word) => !word.startsWith('-'))[known.length];
  if (unknown !== undefined) throw usageError(`unknown command '${unknown}'`);
  return [...rest, '--help'];
};

/** Turns argv (without node and script) into what is to be done. Never prints, never exits. */
export const parseArgv = <S extends CommandSpec>(
  argv: readonly string[],
  specs: readonly S[],
  options: ProgramOptions,
): Parsed<S> => {
  const written = { out: '' };
  const program = newProgram(written, options);
  let chosen: { readonly spec: S; readonly command: Command } | undefined;
  for (const spec of specs) {
    addCommand(program, spec, options, (command) => {
      chosen = { spec, command };
    });
  }
  nameVerbs(program);
  try {
    if (argv.length === 0)
      return { kind: 'text', text: program.helpInformation() + rootHelp(), globals: globalsOf(program, options.env) };
    program.parse([...withoutHelpWord(argv, program)], { from: 'user' });
    checkGlobals(given(GLOBAL_OPTIONS, program), options.env);
    const globals = globalsOf(program, options.env);
    if (chosen === undefined) throw usageError('no command given');
    const { spec, command } = chosen;
    const input = spec.read(command.args, given(spec.options, command), { validate: globals.validate });
    return { kind: 'run', spec, input, globals };
  } catch (thrown) {
    const globals = globalsOf(program, options.env);
    const words = wordsOf(program, argv);
    if (thrown instanceof PayError) return { kind: 'error', error: withHelp(thrown, words), globals };
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return { kind: 'text', text: written.out, globals };
    return { kind: 'error', error: withHelp(usageError(messageOf(thrown, words)), words), globals };
  }
};
