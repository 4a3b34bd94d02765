import { reasonOf, usageError } from './error.ts';
import { isJsonObject, parseExact } from './json.ts';

/** Where the text of an option comes from: the argument itself, `@file`, or `-` for standard input. */
export type Source =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' };

export const sourceOf = (text: string): Source => {
  if (text === '-') return { kind: 'stdin' };
  if (text.startsWith('@')) return { kind: 'file', path: text.slice(1) };
  return { kind: 'inline', text };
};

/** Throws a usage error where several options read standard input, which only one of them can have. */
export const refuseSharedStdin = (sources: readonly (Source | undefined)[]): void => {
  if (sources.filter((source) => source?.kind === 'stdin').length > 1) {
    throw usageError('only one option can read standard input (-)');
  }
};

export type ReadSource = (source: Source) => Promise<string>;

/** The JSON object behind an option, its numbers not rounded; a usage error that names the flag when it is none. */
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
