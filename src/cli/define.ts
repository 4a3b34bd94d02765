import type { ErrorKind } from '../core/exit.ts';
import type { Format, Result, View } from '../core/result.ts';

/** An option of a command: its flags as commander writes them, and how its text becomes a value. */
export interface OptionSpec<T = unknown> {
  readonly flags: string;
  readonly about: string;
  /** Throws a usage error; undefined for a switch. */
  readonly parse?: (text: string) => T;
  /** May be given several times; the values are collected. */
  readonly repeats?: boolean;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
}

/** An option that takes a value; `parse` throws a usage error on a text that can't be one. */
export const option = <T>(flags: string, about: string, parse: (text: string) => T): OptionSpec<T> => ({
  flags,
  about,
  parse,
});

/** An option that may be given several times. */
export const repeated = <T>(flags: string, about: string, parse: (text: string) => T): OptionSpec<T[]> => ({
  flags,
  about,
  repeats: true,
  parse: parse as unknown as (text: string) => T[],
});

export const flag = (flags: string, about: string): OptionSpec<boolean> => ({ flags, about });

export const argument = (name: string, about: string): ArgumentSpec => ({ name, about, required: true });

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
/** What was given: each key is there only when its option was. */
export type GivenOptions<O extends OptionSpecs> = {
  readonly [K in keyof O]?: O[K] extends OptionSpec<infer T> ? T : never;
};

/** A handler's module: loaded when its command runs, never before. `D` is what it may reach of the rooms behind it. */
export interface Handler<I, D> {
  /** How the answer of a write is shown; lets a wrong --columns be refused before anything is sent. */
  readonly view?: View | ((input: I) => View);
  readonly run: (input: I, deps: D) => Promise<Result>;
}

export interface CommandSpec<I = unknown, O extends OptionSpecs = OptionSpecs, D = never> {
  /** The words that call it: `['ugwo', 'charge']`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
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
  /** It is one request, which --dry-run and --as-curl can show in place of sending it. */
  readonly previews?: true;
  /** False: it says itself what is unknown, and nobody is reminded of it at its end. */
  readonly reminds?: false;
  /** Arguments and options into one typed input; throws a usage error. `validate` is false with --no-validate. */
  readonly read: (args: readonly string[], given: GivenOptions<O>, how: { readonly validate: boolean }) => I;
  readonly load: () => Promise<Handler<I, D>>;
}

/** Declares a command; its input's type flows from `read` to the handler. */
export const defineCommand = <I, O extends OptionSpecs, D>(
  spec: CommandSpec<I, O, D>,
): CommandSpec<unknown, OptionSpecs, D> => spec as unknown as CommandSpec<unknown, OptionSpecs, D>;
