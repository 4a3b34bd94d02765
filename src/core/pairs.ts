import { usageError } from './error.ts';
import { parseExact } from './json.ts';

export type Pair = readonly [name: string, value: unknown];

/** `k=v` gives a text, `k:=json` any JSON value. Throws a usage error. */
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

/** The pairs as one object; the same name twice is a usage error, since one of the two would be lost. */
export const pairsToObject = (pairs: readonly Pair[], flag: string): Record<string, unknown> => {
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${flag}: "${twice}" is given twice`);
  return Object.fromEntries(pairs);
};
