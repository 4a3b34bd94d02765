import { attempt } from './async.ts';

/**
 * JSON as text. A parsed object can't reproduce the service's text: numbers are rounded to doubles, and keys that look
 * like integers move to the front. So records are validated as values and printed from their own text. Every function
 * here expects valid JSON.
 */

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const SPACE = 0x20;

/** The index of the quote that closes the string that opens at `start`; the length of the text without one. */
const closingQuote = (text: string, start: number): number => {
  let index = start + 1;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) break;
    if (code === BACKSLASH) index += 1;
  }
  return Math.min(index, text.length);
};

interface Token {
  readonly token: string;
  readonly index: number;
  readonly end: number;
}

/** Each bracket, comma, colon and string (as `"`), in order; skips blanks, numbers and literals. */
function* tokensIn(text: string): Generator<Token> {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = Math.min(closingQuote(text, index) + 1, text.length);
      yield { token: '"', index, end };
      index = end - 1;
    } else if (
      code === OBJECT ||
      code === OBJECT_END ||
      code === ARRAY ||
      code === ARRAY_END ||
      code === COMMA ||
      code === COLON
    ) {
      yield { token: text.charAt(index), index, end: index + 1 };
    }
  }
}

/** The same text without blanks between its tokens. */
export const minify = (text: string): string => {
  let [out, from] = ['', 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code <= SPACE) {
      out += text.slice(from, at);
      from = at + 1;
    }
  }
  return out + text.slice(from);
};

/** The same text with one member per line and two blanks per level; empty objects and arrays stay on one line. */
export const indent = (text: string): string => {
  let [out, from, depth, isFresh] = ['', 0, 0, false];
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const { token, index, end } of tokensIn(text)) {
    const scalar = text.slice(from, index).trim();
    from = end;
    const closes = token === '}' || token === ']';
    const isEmpty = isFresh && closes && scalar === '';
    if (isFresh && !isEmpty) out += line();
    isFresh = token === '{' || token === '[';
    if (isFresh) depth += 1;
    if (closes) depth -= 1;
    out += scalar + (closes && !isEmpty ? line() : '');
    out += token === '"' ? text.slice(index, end) : token === ':' ? ': ' : token;
    if (token === ',') out += line();
  }
  return out + text.slice(from).trim();
};

/** The same text with each string, names included, replaced by the result of `map`, which gets the decoded string. */
export const mapStrings = (text: string, map: (string: string) => string): string => {
  let out = '';
  let from = 0;
  for (const { token, index, end } of tokensIn(text)) {
    if (token !== '"') continue;
    const string = JSON.parse(text.slice(index, end)) as string;
    const mapped = map(string);
    if (mapped === string) continue;
    out += text.slice(from, index) + JSON.stringify(mapped);
    from = end;
  }
  return out + text.slice(from);
};

/**
 * The same text with U+FFFD for each half of a surrogate pair, which is no character: other programs end at one. Valid
 * UTF-8 holds halves only as escapes. The pattern finds a pair, a half (the only match of six characters), or the
 * start of another escape; with a group, the runtime would keep an array for each of them.
 */
export const withWholePairs = (text: string): string =>
  /\\u[dD][89a-fA-F]/.test(text)
    ? text.replaceAll(/\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)/g, (found) =>
        found.length === 6 ? String.raw`\ufffd` : found,
      )
    : text;

/** A number that a double can't hold, as its text. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/**
 * True if parsing the text may lose digits: a number is long, has a fraction or an exponent, or is minus zero. A date
 * in a string doesn't match; a time with a fraction does, which is slower, not wrong.
 */
export const mayBeInexact = (text: string): boolean => /(?:^|[:,[\s])-?(?:\d{16}|\d+[.eE])|(?:^|[:,[\s])-0/.test(text);

/** Like JSON.parse, but a number whose text a double would not reproduce becomes the result of `make`. */
const parseNumbers = (text: string, make: (number: string) => unknown): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? make(context.source)
      : value,
  );

/** Like JSON.parse, but such a number becomes a NumberText. */
export const parseExact = (text: string): unknown =>
  mayBeInexact(text) ? parseNumbers(text, (number) => new NumberText(number)) : JSON.parse(text);

/** Like `parseExact`, but such a number becomes a string: for values that are stored and passed on. */
export const parseTexts = (text: string): unknown => parseNumbers(text, (number) => number);

/** Like JSON.parse; undefined for invalid JSON. */
export const parseIfJson = (text: string): unknown => attempt(() => JSON.parse(text));

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** True for a JSON object, but not for a list, null or a NumberText. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value) && !(value instanceof NumberText);

/** Prints a value that may hold NumberTexts as JSON. With blanks in `comma` and `colon`, a line can be broken there. */
export const printExact = (value: unknown, comma = ',', colon = ':'): string => {
  if (value instanceof NumberText) return value.text;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const one of value) parts.push(printExact(one, comma, colon));
    return `[${parts.join(comma)}]`;
  }
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) parts.push(JSON.stringify(name) + colon + printExact(member, comma, colon));
  return `{${parts.join(comma)}}`;
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(members[name])]));
};

/** The same text for any order of the keys. */
export const printSorted = (value: unknown): string => printExact(sorted(value));

const ownOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

/** Own-property walk along `a.b.0.c`; undefined for a missing member. `__proto__` is a name like any other. */
export const valueAt = (value: unknown, path: string): unknown =>
  // Most paths are one name, and each is read many times per row.
  path.includes('.') ? path.split('.').reduce(ownOf, value) : ownOf(value, path);

/** The members that are not undefined. */
export const definedIn = <T>(members: Readonly<Record<string, T>>): Record<string, Exclude<T, undefined>> => {
  const defined: [string, Exclude<T, undefined>][] = [];
  for (const [name, member] of Object.entries(members))
    if (member !== undefined) defined.push([name, member as Exclude<T, undefined>]);
  return Object.fromEntries(defined);
};

/** The members with these names that are not undefined, in the order of the names. */
export const pick = <T extends object, K extends keyof T & string>(members: T, names: readonly K[]): Pick<T, K> => {
  const picked: [string, unknown][] = [];
  for (const name of names) if (members[name] !== undefined) picked.push([name, members[name]]);
  return Object.fromEntries(picked) as Pick<T, K>;
};

const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The names along the path of a property in any of the service's spellings: `data.provider`, `data[provider]`,
 * `[data][provider]`. A name outside `known` becomes its snake case if that is known: `firstName`.
 */
export const namesAlong = (propertyPath: string, known: readonly string[]): readonly string[] =>
  propertyPath
    .split(/[.[\]]/)
    .filter((name) => name !== '')
    .map((name) => (!known.includes(name) && known.includes(inSnakeCase(name)) ? inSnakeCase(name) : name));
