import type { ErrorKind } from '../core/error.ts';
import type { Format, Result, View } from '../core/result.ts';

/**
 * What a command can do at its worst. `read` changes nothing, but for what paycli records of what it has seen; `write` changes
 * something at the service or on this machine; `money` charges, pays back, or decides whether that may be done.
 */
export type Danger = 'read' | 'write' | 'money';

/** What the text of a value is, besides any text. */
export type ValueType = 'integer' | 'duration' | 'time' | 'rate' | 'amount' | 'pair' | 'json' | 'command' | 'url';

/** What completion offers for a value that no list of choices holds; `source` is `@` and a file. */
export type Completes =
  | ('profile' | 'ugwo' | 'onye' | 'activity' | 'charge' | 'job' | 'entry' | 'column' | 'bank')
  | ('file' | 'source');

/** What may stand where a value is wanted: for the schema and completion, and the choices for what was probably meant. */
export interface Takes {
  readonly type?: ValueType;
  /** A help, and no gate: what is allowed is judged by `parse`, or by the service. */
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** Several, parted by commas. */
  readonly list?: true;
  /** What holds where nothing is given, as it would be written. */
  readonly default?: string;
}

/** How a text becomes a value, which may say what it takes. Throws a usage error. */
export type Parse<T> = ((text: string) => T) & Takes;

/** A parser that says what it takes. */
export const taking = <T>(takes: Takes, parse: (text: string) => T): Parse<T> =>
  Object.assign((text: string) => parse(text), takes);

/** An option of a command: its flags as commander writes them, and how its text becomes a value. */
export interface OptionSpec<T = unknown> extends Takes {
  readonly flags: string;
  readonly about: string;
  /** Throws a usage error; undefined for a switch. */
  readonly parse?: (text: string) => T;
  /** May be given several times; the values are collected. */
  readonly repeats?: boolean;
  /** Seldom wanted: a page of help that would be too long leaves it to --all. */
  readonly rare?: true;
}

export interface ArgumentSpec extends Takes {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
}

/** An option that takes a value; `parse` throws a usage error on a text that can't be one. */
export const option = <T>(flags: string, about: string, parse: Parse<T>, takes: Takes = {}): OptionSpec<T> => ({
  ...parse,
  ...takes,
  flags,
  about,
  parse,
});

/** An option that may be given several times. */
export const repeated = <T>(flags: string, about: string, parse: Parse<T>, takes: Takes = {}): OptionSpec<T[]> => ({
  ...(option(flags, about, parse, takes) as unknown as OptionSpec<T[]>),
  repeats: true,
});

export const flag = (flags: string, about: string): OptionSpec<boolean> => ({ flags, about });

export const optional = (name: string, about: string, takes: Takes = {}): ArgumentSpec => ({
  ...takes,
  name,
  about,
  required: false,
});

export const argument = (name: string, about: string, takes: Takes = {}): ArgumentSpec => ({
  ...optional(name, about, takes),
  required: true,
});

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** Options, some of which are seldom wanted. */
export const rarely = <O extends OptionSpecs>(names: readonly (keyof O)[], options: O): O => ({
  ...options,
  ...Object.fromEntries(names.map((name) => [name, { ...options[name], rare: true }])),
});

/** What was given: each key is there only when its option was. */
export type GivenOptions<O extends OptionSpecs> = {
  readonly [K in keyof O]?: O[K] extends OptionSpec<infer T> ? T : never;
};

/** A handler's module: loaded when its command runs, never before. `D` is what it may reach of the rooms behind it. */
export interface Handler<I, D> {
  /** How the answer of a write, or the end of a wait, is shown; lets a wrong --columns be refused before anything is sent. */
  readonly view?: View | ((input: I) => View);
  readonly run: (input: I, deps: D) => Promise<Result>;
}

/** What a person is asked for on a terminal where it was left out. */
export interface Question {
  /** The key of the option that it stands for. */
  readonly option: string;
  /** A few words, without the mark at their end. */
  readonly title: string;
  /** Any text where nothing is listed. */
  readonly choices?: () => Promise<readonly string[]>;
  /** Something else may be meant than what is listed. */
  readonly open?: boolean;
}

export interface CommandSpec<I = unknown, O extends OptionSpecs = OptionSpecs, D = never> {
  /** The words that call it: `['ugwo', 'charge']`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly danger: Danger;
  readonly args: readonly ArgumentSpec[];
  readonly options: O;
  /**
   * Lines that work as they stand on a new built-in service; a test runs each in a shell. `about` names the exit codes that
   * are not 0.
   */
  readonly examples: readonly { readonly about: string; readonly line: string }[];
  /** The shape of what it prints. */
  readonly output: string;
  /** How it can end, besides 0. */
  readonly exits: readonly ErrorKind[];
  /** How it prints unless -o says otherwise, on a terminal and in a pipe; else a table or tsv. */
  readonly format?: Format;
  /** It goes on until it is stopped: a filter takes what it prints record by record. */
  readonly endless?: true;
  /** It is one request, which --dry-run and --as-curl can show in place of sending it. */
  readonly previews?: true;
  /** False: it says itself what is unknown, and nobody is reminded of it at its end. */
  readonly reminds?: false;
  /** Arguments and options into one typed input; throws a usage error. `validate` is false with --no-validate. */
  readonly read: (args: readonly string[], given: GivenOptions<O>, how: { readonly validate: boolean }) => I;
  /** What was left out and a person can be asked for, where `read` throws: one at a time. */
  readonly asks?: (args: readonly string[], given: GivenOptions<O>) => Question | undefined;
  readonly load: () => Promise<Handler<I, D>>;
}

/** How a read of the service can end. */
export const READ_EXITS: readonly ErrorKind[] = ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'];

/** How a write can. */
export const WRITE_EXITS: readonly ErrorKind[] = [...READ_EXITS, 'not_sent', 'unknown', 'unrecorded'];

/** How one can that the ledger keeps from being made twice. */
export const ONCE_EXITS: readonly ErrorKind[] = [...WRITE_EXITS, 'refused', 'ledger'];

/** How a command is declared. What is left out has nothing: no arguments, no options. */
interface Declared<I, O extends OptionSpecs, D>
  extends Omit<CommandSpec<I, O, D>, 'args' | 'options' | 'examples' | 'read'> {
  readonly args?: CommandSpec['args'];
  readonly options?: O;
  /** Each by what it is about. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Declares a command; its input's type flows from `read` to the handler. Without `read` the options are the input, as given. */
export function defineCommand<I, O extends OptionSpecs, D>(
  spec: Declared<I, O, D> & Pick<CommandSpec<I, O, D>, 'read'>,
): CommandSpec<unknown, OptionSpecs, D>;
export function defineCommand<O extends OptionSpecs, D>(
  spec: Declared<GivenOptions<O>, O, D> & { readonly read?: never },
): CommandSpec<unknown, OptionSpecs, D>;
export function defineCommand<D>({ examples, ...spec }: Declared<never, OptionSpecs, D>): unknown {
  return {
    args: [],
    options: {},
    read: (_args: readonly string[], given: unknown) => given,
    ...spec,
    examples: Object.entries(examples).map(([about, line]) => ({ about, line })),
  };
}
