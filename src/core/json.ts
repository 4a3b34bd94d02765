/**
 * JSON as text. A parsed object can't give back what the service wrote: numbers are rounded to doubles and keys that
 * look like integers move to the front. So records are validated as values and printed from their own text.
 * Every function here that does not measure expects text that JSON.parse has accepted.
 */

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const BLANK = 0x20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The index of the quote that closes the string which opens at `start`; the length of the text when none does. */
const closingQuote = (text: string, start: number): number => {
  let index = start + 1;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) break;
    if (code === BACKSLASH) index += 1;
  }
  return Math.min(index, text.length);
};

interface Mark {
  readonly mark: string;
  readonly index: number;
  readonly end: number;
}

/** Each bracket, comma, colon and string (as `"`), in order; blanks, numbers and words pass by. */
function* marksIn(text: string): Generator<Mark> {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = Math.min(closingQuote(text, index) + 1, text.length);
      yield { mark: '"', index, end };
      index = end - 1;
    } else if (
      code === OBJECT ||
      code === OBJECT_END ||
      code === ARRAY ||
      code === ARRAY_END ||
      code === COMMA ||
      code === COLON
    ) {
      yield { mark: text.charAt(index), index, end: index + 1 };
    }
  }
}

/** Used again and again: most of the time goes into new ones. */
let scratch = new Uint8Array(0);

/**
 * The bytes of a text, until the next call: a loop over them takes a third of the time of one over characters, and what JSON
 * is made of is ASCII, which is a byte of its own in UTF-8.
 */
const bytesOf = (text: string): Uint8Array => {
  if (scratch.length < text.length) scratch = new Uint8Array(text.length);
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length ? scratch.subarray(0, written) : encoder.encode(text);
};

// The loops below hold that over strings themselves: a call for each string would double their time.

/** What a JSON text is made of, as far as memory and time depend on it. */
export interface Measure {
  /** How deep arrays and objects are nested. */
  readonly depth: number;
  /** How many values there are, the members of objects and the elements of arrays each for themselves. */
  readonly values: number;
  /** The longest name of a member, in bytes. */
  readonly name: number;
}

/** Measures JSON as UTF-8; safe on bytes of any kind, so that it can be asked before parsing. */
export const measureBytes = (bytes: Uint8Array): Measure => {
  let [depth, deepest, values, name, string] = [0, 0, 1, 0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    const code = bytes[index];
    if (code === QUOTE) {
      const start = index;
      index += 1;
      while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
      string = index - start - 1;
    } else if (code === COMMA) values += 1;
    else if (code === COLON) {
      if (string > name) name = string;
    } else if (code === OBJECT || code === ARRAY) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      // The codes of closing brackets are two above those of opening ones.
      if (bytes[index + 1] !== code + 2) values += 1;
    } else if (code === OBJECT_END || code === ARRAY_END) depth -= 1;
  }
  return { depth: deepest, values, name };
};

export const measure = (text: string): Measure => measureBytes(bytesOf(text));

/** How deep arrays and objects are nested; safe on text of any kind, so that it can be asked before parsing. */
export const depthOf = (text: string): number => measure(text).depth;

/** A place in a text, and whether blanks outside of strings stood in the value that was passed last. */
interface Place {
  readonly bytes: Uint8Array;
  at: number;
  loose: boolean;
}

const isAt = ({ bytes, at }: Place, code: number): boolean => bytes[at] === code;

const skipBlanks = (place: Place): void => {
  while ((place.bytes[place.at] ?? BLANK + 1) <= BLANK) place.at += 1;
};

/** Passes a value that begins at the place: to the comma or bracket behind it. */
const skipValue = (place: Place): void => {
  const { bytes } = place;
  let [index, depth, loose] = [place.at, 0, false];
  for (; index < bytes.length; index += 1) {
    const code = bytes[index] as number;
    if (code === QUOTE) {
      index += 1;
      while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
    } else if (code <= BLANK) loose = true;
    else if (code === OBJECT || code === ARRAY) depth += 1;
    else if (code === COMMA && depth === 0) break;
    else if (code === OBJECT_END || code === ARRAY_END) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  place.at = index;
  place.loose = loose;
};

/** Passes the name of a member. */
const skipName = (place: Place): void => {
  const { bytes } = place;
  place.at += 1;
  while (!isAt(place, QUOTE)) place.at += bytes[place.at] === BACKSLASH ? 2 : 1;
  place.at += 1;
};

type Cut = (start: number, end: number) => string;

/** The texts of an array's elements; the place is at its bracket, and behind it afterwards. */
const elementsAt = (place: Place, cut: Cut): string[] => {
  const elements: string[] = [];
  do {
    place.at += 1;
    skipBlanks(place);
    const start = place.at;
    skipValue(place);
    const element = cut(start, place.at);
    if (element !== '') elements.push(place.loose ? minify(element) : element);
  } while (isAt(place, COMMA));
  place.at += 1;
  return elements;
};

/**
 * The texts of the elements of the array that the object `text` holds under `field`, each as it was written but for blanks
 * between its tokens. Of a repeated field the last counts, as it does for JSON.parse.
 */
export const elementsOf = (text: string, field: string): string[] => {
  const bytes = bytesOf(text);
  const isAscii = bytes.length === text.length;
  const cut: Cut = (start, end) => (isAscii ? text.slice(start, end) : decoder.decode(bytes.subarray(start, end)));
  const place: Place = { bytes, at: 0, loose: false };
  let elements: string[] = [];
  skipBlanks(place);
  if (!isAt(place, OBJECT)) return elements;
  do {
    place.at += 1;
    skipBlanks(place);
    if (!isAt(place, QUOTE)) break;
    const start = place.at;
    skipName(place);
    const named = JSON.parse(cut(start, place.at)) === field;
    place.at = bytes.indexOf(COLON, place.at) + 1;
    skipBlanks(place);
    if (named) elements = isAt(place, ARRAY) ? elementsAt(place, cut) : [];
    skipValue(place);
  } while (isAt(place, COMMA));
  return elements;
};

/** In characters: texts are made in pieces of this size, since one of millions of tokens takes fifty times its own length meanwhile. */
const PIECE = 64 * 1024;

/** The same text without blanks between its tokens, in pieces none of which ends inside a string. */
export function* densePieces(text: string): Generator<string> {
  let [out, from] = ['', 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at);
    else if (code <= BLANK) {
      out += text.slice(from, at);
      from = at + 1;
    }
    if (out.length + at - from < PIECE) continue;
    yield out + text.slice(from, at + 1);
    [out, from] = ['', at + 1];
  }
  yield out + text.slice(from);
}

/** The same text without blanks between its tokens. */
export const minify = (text: string): string => [...densePieces(text)].join('');

/** The same text, one member a line, two blanks a level; empty objects and arrays stay on one line. In pieces, as above. */
export function* indentedPieces(text: string): Generator<string> {
  const dense = minify(text);
  let [out, from, depth] = ['', 0, 0];
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const { mark, index, end } of marksIn(dense)) {
    out += dense.slice(from, index);
    from = end;
    if (mark === '{' || mark === '[') {
      depth += 1;
      const empty = dense.charAt(end) === '}' || dense.charAt(end) === ']';
      out += empty ? mark : mark + line();
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
      const previous = dense.charAt(index - 1);
      out += previous === '{' || previous === '[' ? mark : line() + mark;
    } else if (mark === ',') {
      out += mark + line();
    } else if (mark === ':') {
      out += ': ';
    } else {
      out += dense.slice(index, end);
    }
    if (out.length < PIECE) continue;
    yield out;
    out = '';
  }
  yield out + dense.slice(from);
}

/** The same in one text. */
export const indent = (text: string): string => [...indentedPieces(text)].join('');

/** The same text with each string, names included, as `map` gives it back; it is given what the string means. */
export const mapStrings = (text: string, map: (string: string) => string): string => {
  let out = '';
  let from = 0;
  for (const { mark, index, end } of marksIn(text)) {
    if (mark !== '"') continue;
    const string = JSON.parse(text.slice(index, end)) as string;
    const mapped = map(string);
    if (mapped === string) continue;
    out += text.slice(from, index) + JSON.stringify(mapped);
    from = end;
  }
  return out + text.slice(from);
};

/** A number that a double can't hold; its text is the number. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** Begins like a number that is long, has a fraction or an exponent, or is minus zero; a date in a string does not. */
const MAYBE_INEXACT = /(?:^|[:,[\s])-?(?:\d{16}|\d+[.eE])|(?:^|[:,[\s])-0/;

/** Whether parsing the text may lose digits; a time with a fraction looks alike: slower then, not wrong. */
export const mayBeInexact = (text: string): boolean => MAYBE_INEXACT.test(text);

/** As JSON.parse, but a number whose text a double would not give back is a NumberText. */
export const parseExact = (text: string): unknown => {
  if (!mayBeInexact(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? new NumberText(context.source)
      : value,
  );
};

/** As `parseExact`, with the text itself in the place of such a number: for what is kept, and passed on. */
export const parseTexts = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source === String(value) ? value : (context?.source ?? value)) : value,
  );

/** JSON of a value that may hold NumberTexts. */
export const printExact = (value: unknown): string => {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${printExact(member)}`).join(',')}}`;
};
