import type { ErrorKind } from '../core/error.ts';
import type { NamedPrefix } from '../core/ids.ts';
import type { Format, Result, View } from '../core/result.ts';

/**
 * The worst effect of a command. `read` changes nothing except paycli's own records; `write` changes data at the
 * service or on this machine; `money` charges, refunds, or decides whether that is allowed.
 */
export type Danger = 'read' | 'write' | 'money';

/** Types of values that are more specific than text. */
export type ValueType = 'integer' | 'duration' | 'time' | 'rate' | 'amount' | 'pair' | 'json' | 'command' | 'url';

/** Kinds of values without a list of choices, for completion and for reading ids; `source` is `@` and a file. */
export type Completes =
  | (
      | 'ugwo'
      | 'onye'
      | 'activity'
      | 'activityOrRef'
      | 'payment'
      | 'checkout'
      | 'charge'
      | 'refund'
      | 'job'
      | 'entry'
      | 'event'
    )
  | ('profile' | 'column' | 'bank' | 'file' | 'source');

/** A description of accepted values, for the schema, completion and suggestions. */
export interface ValueSpec {
  readonly type?: ValueType;
  /** A suggestion, not a check: `parse` or the service decides what is valid. */
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** Several values, separated by commas. */
  readonly list?: true;
  /** The default value, as it would be typed. */
  readonly default?: string;
}

/** A parser from text to a value, with an optional description of accepted values. Throws a usage error. */
export type Parse<T> = ((text: string) => T) & ValueSpec;

/** Attaches a description of accepted values to a parser. */
export const taking = <T>(takes: ValueSpec, parse: (text: string) => T): Parse<T> =>
  Object.assign((text: string) => parse(text), takes);

/** An argument of a command; like an option, it is declared with the value that it has in the command's input. */
export interface ArgumentSpec<V = unknown> extends ValueSpec {
  /** It ends with dots if it takes all words that are left. */
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** Throws a usage error. Without it, the text is the value. */
  readonly parse?: (text: string, how: HowToRead) => V;
}

/** An option of a command: its flags in commander's syntax, and its parser. */
export interface OptionSpec<V = unknown> extends ValueSpec {
  readonly flags: string;
  readonly about: string;
  /** Throws a usage error; undefined for a switch. */
  readonly parse?: (text: string) => V;
  /** May be given several times; the values are collected. */
  readonly repeats?: boolean;
  /** Rarely used: help shows it only with --all. */
  readonly rare?: true;
}

/** The arguments, in their order, and the options of a command, by their names in its input. */
export type InputTable = Readonly<Record<string, ArgumentSpec | OptionSpec>>;

type ValueOf<S> = S extends { readonly parse?: (text: string, how: HowToRead) => infer V } ? V : never;

/**
 * The values of a table. One that was not given is its default, false for a switch, empty for a list, else undefined.
 */
export type InputOf<T extends InputTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** The places of a field besides its option. Each has the field's name, unless it says otherwise. */
export interface BodyField {
  /** Path of its property in the body, or paths of several, which `value` sets. False if the body has none. */
  readonly property?: string | readonly string[] | false;
  /** Turns what was given into what the body has; undefined leaves it out. */
  readonly value?: (given: never) => unknown;
  /** Column of a file, as `RowKind.columns` writes it. False if there is none. */
  readonly column?: string | false;
  /** Can be set to an empty value (--clear). */
  readonly clearable?: true;
  /** Each row of a file has its own value, so the option can't be used with --from. */
  readonly own?: true;
}

/** The fields of a body by name. One without `flags` has no option. */
export type FieldTable = Readonly<Record<string, BodyField & Partial<OptionSpec>>>;

type Takes = ValueSpec & BodyField;

/** Declares an option with a value; `parse` throws a usage error on an invalid text. */
export function option<T>(
  flags: string,
  about: string,
  parse: Parse<T>,
  takes: Takes & { readonly default: string },
): OptionSpec<T> & BodyField;
export function option<T>(
  flags: string,
  about: string,
  parse: Parse<T>,
  takes?: Takes,
): OptionSpec<T | undefined> & BodyField;
export function option<T>(flags: string, about: string, parse: Parse<T>, takes?: Takes): OptionSpec<T> & BodyField {
  return { ...parse, ...takes, flags, about, parse };
}

/** Declares an option that may be given several times. */
export const repeated = <T>(
  flags: string,
  about: string,
  parse: Parse<T>,
  takes: Takes = {},
): OptionSpec<readonly T[]> & BodyField => ({
  ...(option(flags, about, parse, takes) as unknown as OptionSpec<readonly T[]>),
  repeats: true,
});

/** Declares an option that takes one value or several, as in `a,b`, and may be given several times. */
export const listed = <T>(flags: string, about: string, parse: Parse<T>): OptionSpec<readonly T[]> & BodyField => ({
  ...repeated(flags, about, parse),
  list: true,
});

export const flag = (flags: string, about: string): OptionSpec<boolean> => ({ flags, about });

type ParseArgument<T> = (text: string, how: HowToRead) => T;

export const argument = <T = string>(
  name: string,
  about: string,
  takes: ValueSpec = {},
  parse?: ParseArgument<T>,
): ArgumentSpec<NoInfer<T>> => ({ ...takes, name, about, required: true, ...(parse && { parse }) });

export const optional = <T = string>(
  name: string,
  about: string,
  takes: ValueSpec = {},
  parse?: ParseArgument<T>,
): ArgumentSpec<NoInfer<T> | undefined> => ({ ...argument(name, about, takes, parse), required: false });

/** Declares an argument that takes all words that are left. */
export const several = <T = string>(
  name: string,
  about: string,
  takes: ValueSpec = {},
  parse?: ParseArgument<T>,
): ArgumentSpec<readonly NoInfer<T>[]> => ({
  ...(optional(`${name}...`, about, takes, parse) as unknown as ArgumentSpec<readonly T[]>),
});

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export const pickOptions = <F extends FieldTable>(fields: F) =>
  Object.fromEntries(Object.entries(fields).filter(([, { flags }]) => flags !== undefined)) as {
    readonly [K in keyof F as F[K] extends OptionSpec ? K : never]: F[K];
  };

/** Marks some of the options as rarely used: a person can do without them in the first weeks. */
export const rarely = <T extends InputTable>(names: readonly (keyof T)[], options: T): T => ({
  ...options,
  ...Object.fromEntries(names.map((name) => [name, { ...options[name], rare: true }])),
});

/** Given option values: a key is present only if its option was given. */
export type GivenOptions<T extends InputTable> = Partial<InputOf<T>>;

type Given = Readonly<Record<string, unknown>>;

/** The module of a handler, loaded only when its command runs. `D` is the dependencies that it gets. */
export interface Handler<I, D> {
  /** Presents the answer of a write or the end of a wait; allows refusing a wrong --columns before anything is sent. */
  readonly view?: View | ((input: I) => View);
  readonly run: (input: I, run: D) => Promise<Result>;
}

/** A choice in a list: its value, and its line. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A question to a person on a terminal about a missing value. */
export interface Question {
  /** The key of the missing option; undefined for the first argument. */
  readonly option?: string;
  /** A few words, without the punctuation mark. */
  readonly title: string;
  /** Without choices and records, any text is accepted. */
  readonly choices?: () => Promise<readonly string[]>;
  /** Loads the function that reads the choices from the service. If it finds none, `choices` are asked, or nothing. */
  readonly records?: () => Promise<(run: never) => Promise<readonly Choice[]>>;
  /** Accepts values that are not on the list. */
  readonly open?: boolean;
}

export interface HowToRead {
  /** False with --no-validate. */
  readonly validate: boolean;
  /** Takes a name in place of an id, and returns its id if that is known; undefined if only ids are taken. */
  readonly named?: ((prefix: NamedPrefix, name: string) => string) | undefined;
}

export interface CommandSpec<D = never> {
  /** The words that call it: `['ugwo', 'charge']`. */
  readonly path: readonly string[];
  /** One word that calls it too: `whoami` for `profile show`. */
  readonly alias?: string;
  readonly summary: string;
  readonly description?: string;
  readonly danger: Danger;
  readonly args: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  /**
   * Command lines that work unchanged on a new built-in service; a test runs each in a shell. `about` names the exit
   * codes that are not 0.
   */
  readonly examples: readonly { readonly about: string; readonly line: string }[];
  readonly output: string;
  readonly exits: readonly ErrorKind[];
  /** Default format, on a terminal and in a pipe; without one, table or tsv. */
  readonly format?: Format;
  /** Has metrics for Prometheus (-o prometheus). */
  readonly metrics?: true;
  /** Runs until it is stopped; a filter gets its output record by record. */
  readonly endless?: true;
  /** Shows a person what it changes, and asks. */
  readonly confirms?: true;
  /** Sends a single request, which --dry-run and --as-curl can show instead. */
  readonly previews?: true;
  /** False if the command itself reports unknown charges, so that no reminder follows. */
  readonly reminds?: false;
  /** Reads arguments and options into the input of the handler; throws a usage error. */
  readonly read: (args: readonly string[], given: Given, how: HowToRead) => unknown;
  /** Returns the question for the next missing value, if `read` throws and a person can be asked. */
  readonly asks?: (args: readonly string[], given: Given) => Question | undefined;
  readonly load: () => Promise<Handler<unknown, D>>;
}

/** Possible errors of a read from the service. */
export const READ_EXITS: readonly ErrorKind[] = ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'];

export const WRITE_EXITS: readonly ErrorKind[] = [...READ_EXITS, 'not_sent', 'unknown', 'unrecorded'];

/** Possible errors of a write that the ledger protects against duplicates. */
export const ONCE_EXITS: readonly ErrorKind[] = [...WRITE_EXITS, 'refused', 'ledger'];

const ungiven = ({ parse, repeats, default: text }: OptionSpec): unknown => {
  if (parse === undefined) return false;
  if (repeats) return [];
  return text === undefined ? undefined : parse(text);
};

/** Reads the value of an argument from the words that are left, and takes its words away. */
const readWords = ({ name, parse = (text) => text }: ArgumentSpec, left: string[], how: HowToRead): unknown => {
  const texts = left.splice(0, name.endsWith('...') ? left.length : 1);
  const values = texts.map((text) => parse(text, how));
  return name.endsWith('...') ? values : values[0];
};

/** A command declaration. `I` is the input of its handler. */
interface Declared<T extends InputTable, I, D>
  extends Omit<CommandSpec<D>, 'args' | 'options' | 'examples' | 'read' | 'asks' | 'load'> {
  readonly input?: T;
  /** Command lines by description. */
  readonly examples: Readonly<Record<string, string>>;
  readonly asks?: (words: readonly string[], given: GivenOptions<T>) => Question | undefined;
  readonly load: () => Promise<Handler<I, D>>;
}

/** Refuses values that can't be used together, or makes another input of them. */
type Read<T extends InputTable, I> = (
  input: InputOf<T>,
  how: HowToRead,
  given: GivenOptions<T>,
  words: readonly string[],
) => I;

/** Declares a command. The type of its input flows from `input` through `read`, if there is one, to the handler. */
export function defineCommand<T extends InputTable, I, D>(
  spec: Declared<T, I, D> & { readonly input: T; readonly read: Read<T, I> },
): CommandSpec<D>;
export function defineCommand<T extends InputTable, D>(
  spec: Declared<T, InputOf<T>, D> & { readonly read?: never },
): CommandSpec<D>;
export function defineCommand({
  input: table = {},
  read = (input: Given) => input,
  ...spec
}: Declared<InputTable, never, never> & { readonly read?: Read<InputTable, unknown> }): unknown {
  const specs = Object.entries(table);
  return {
    ...spec,
    args: specs.flatMap(([, one]) => ('flags' in one ? [] : [one])),
    options: Object.fromEntries(specs.filter(([, one]) => 'flags' in one)),
    examples: Object.entries(spec.examples).map(([about, line]) => ({ about, line })),
    read: (words: readonly string[], given: Given, how: HowToRead) => {
      const left = [...words];
      const input = specs.map(([name, one]) => [
        name,
        'flags' in one ? (given[name] ?? ungiven(one)) : readWords(one, left, how),
      ]);
      return read(Object.fromEntries(input), how, given, words);
    },
  };
}
