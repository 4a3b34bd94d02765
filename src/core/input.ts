import { LOCAL_PROFILE } from './data-files.ts';
import { declinedError, PayError, reasonOf, usageError, type Violation } from './error.ts';
import type { Input, Io } from './io.ts';
import { isJsonObject, parseExact } from './json.ts';
import { bothUnits } from './money.ts';
import { shellLine, shellQuote } from './shell.ts';

/** Origin of an option's text: the argument itself, `@file`, or `-` for standard input. */
export type Source =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' };

export const readSourceName = (text: string): Source => {
  if (text === '-') return { kind: 'stdin' };
  if (text.startsWith('@')) return { kind: 'file', path: text.slice(1) };
  return { kind: 'inline', text };
};

/** Throws a usage error when several options read standard input, which only one of them can do. */
export const refuseSharedStdin = (sources: readonly (Source | undefined)[]): void => {
  if (sources.filter((source) => source?.kind === 'stdin').length > 1) {
    throw usageError('only one option can read standard input (-)');
  }
};

export type ReadSource = (source: Source) => Promise<string>;

/**
 * The JSON object of an option, with unrounded numbers; throws a usage error that names the flag for any other text.
 */
export const readJsonObject = async (
  read: ReadSource,
  source: Source,
  flag: string,
): Promise<Record<string, unknown>> => {
  const text = await read(source);
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (thrown) {
    throw usageError(`${flag}: not JSON: ${reasonOf(thrown)}`);
  }
  if (isJsonObject(value)) return value;
  throw usageError(`${flag}: must be a JSON object, such as {"key": "value"}`);
};

/** The flag of a field, a column or an option: `--expires-at` for `expires_at` and `expiresAt`. */
export const asFlag = (name: string): string => `--${name.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase()}`;

/** Finds the flag that sets a property of the body. */
export type FlagOf = (propertyPath: string) => string | undefined;

/** The value that was probably meant by the typed one; undefined if nothing is near. */
export type Guess = (propertyPath: string) => string | undefined;

/** Names of the option and the column that take an amount with decimals. */
const DECIMALS: readonly (string | undefined)[] = ['--amount', 'amount'];

/** The title with each whole number, a count of the minor unit, also in decimals. */
const inDecimals = ({ title }: Violation, currency: string): string =>
  title.includes(currency)
    ? title
    : title.replaceAll(/(?<![\d.,])\d{1,15}(?!\d|[.,]\d)/g, (minor) => bothUnits(Number(minor), currency));

const nameOne = (violation: Violation, flagOf: FlagOf, guess: Guess, currency: string | undefined): Violation => {
  const option = flagOf(violation.propertyPath);
  const meant = guess(violation.propertyPath);
  return {
    ...violation,
    ...(option === undefined ? {} : { option }),
    ...(currency !== undefined && DECIMALS.includes(option) ? { inDecimals: inDecimals(violation, currency) } : {}),
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
};

/**
 * The same error with the flags of its fields: one for each violation's property path, a "did you mean" where a known
 * value is near, and decimals for an amount in this currency that was typed with them.
 */
export const namingFlags = (
  thrown: unknown,
  flagOf: FlagOf,
  guess: Guess = () => undefined,
  currency?: string,
): unknown => {
  if (!(thrown instanceof PayError) || thrown.detail.violations === undefined) return thrown;
  return thrown.with({
    nameOf: flagOf,
    violations: thrown.detail.violations.map((violation) => nameOne(violation, flagOf, guess, currency)),
  });
};

export type Pair = readonly [name: string, value: unknown];

/** Parses `k=v` to a text and `k:=json` to any JSON value. Throws a usage error. */
export const parsePair = (text: string): Pair => {
  const equals = text.indexOf('=');
  const typed = equals > 0 && text[equals - 1] === ':';
  const name = text.slice(0, typed ? equals - 1 : equals);
  if (equals < 0 || name === '') throw usageError(`"${text}" is not key=value`);
  const value = text.slice(equals + 1);
  if (!typed) return [name, value];
  try {
    return [name, parseExact(value)];
  } catch {
    throw usageError(`"${text}": the value after := is not JSON`, { hint: 'for text, use key=value' });
  }
};

/** The pairs as one object. A repeated name is a usage error, since one of its values would be lost. */
export const pairsToObject = (pairs: readonly Pair[], flag: string): Record<string, unknown> => {
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${flag}: "${twice}" is given twice`);
  return Object.fromEntries(pairs);
};

/** The target of a run's requests, as far as the command line sets it. */
export interface TargetOptions {
  readonly local: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The global options that send another command to the same target. */
export const targetFlags = ({ local, profile, baseUrl }: TargetOptions): string[] => [
  ...(local ? ['--local'] : []),
  ...(profile === undefined ? [] : ['--profile', profile]),
  ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
];

/** A command of paycli that goes to a target, for a shell. */
export const commandLine = (target: TargetOptions, ...words: readonly string[]): string =>
  shellLine(['paycli', ...words, ...targetFlags(target)]);

/**
 * The text with the target in each quoted command that names none: a room below `commands` knows no target. Profiles and
 * the emulator are the same for all targets.
 */
export const aimed = (text: string, target: TargetOptions): string =>
  text.replaceAll(/(?<=`)paycli (?!login|profile|emulator|help)(?:[^`'\\]|\\.|'[^']*')+(?=`)/g, (line) =>
    / --(?:local|profile|base-url) /.test(`${line} `) ? line : [line, ...targetFlags(target).map(shellQuote)].join(' '),
  );

/** Profile and origin of an entry or a job. */
interface Owner {
  readonly profile?: string | undefined;
  readonly origin?: string;
}

/** The target that an entry or a job was sent to. */
export const ownerTarget = ({ profile, origin }: Owner): TargetOptions => ({
  local: profile === LOCAL_PROFILE,
  profile: profile === LOCAL_PROFILE ? undefined : profile,
  baseUrl: profile === undefined ? origin : undefined,
});

/** The streams that a question needs. */
export type Terminals = { readonly [K in 'stdin' | 'stderr']: Pick<Io[K], 'isTerminal'> };

/** True if a person can read a question and answer it: a terminal on both sides, and no --no-input. */
export const canAsk = ({ stdin, stderr }: Terminals, { input }: { readonly input: boolean }): boolean =>
  input && stdin.isTerminal && stderr.isTerminal;

/** Removes the blanks and commas that people leave out, and ignores case. */
export const codeWord = (text: string): string => text.replaceAll(/[\s,]/g, '').toUpperCase();

/** A person's answer to a question, trimmed. Throws `interrupted` at the end of input and for an empty line. */
export const askText = async (stdin: Pick<Input, 'line'>, prompt: string, hidden = false): Promise<string> => {
  const answer = (await stdin.line(prompt, { hidden }))?.trim() ?? '';
  if (answer === '') throw declinedError();
  return answer;
};
