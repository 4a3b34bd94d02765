import { BOUNDS, type Measure } from './bounds.ts';
import { minify } from './json.ts';

/**
 * One pass over a JSON text as UTF-8 that creates no values. It finds out whether JSON.parse would accept the text,
 * its size, and the start and end of each record. Safe on bytes of any kind, depth and size, so it runs before
 * parsing.
 */

const [BLANK, TAB, LINE_FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d] as const;
const [QUOTE, BACKSLASH, COMMA, COLON, DELETE] = [0x22, 0x5c, 0x2c, 0x3a, 0x7f] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** A range of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Element extends Span {
  /** True for printable ASCII without blanks between tokens: it can be printed unchanged. */
  readonly isPlain: boolean;
}

/** The value of a member of the outermost object. */
interface Member extends Span {
  /** Undefined unless the value is an array. */
  readonly elements: readonly Element[] | undefined;
}

const utf8Decoder = new TextDecoder();

const isBlankCode = (code: number): boolean => code === BLANK || code === LINE_FEED || code === RETURN || code === TAB;

/** Records members of the outermost object, and the elements of those that are arrays, while the scan passes them. */
class Notes {
  readonly members = new Map<string, Member>();
  readonly #bytes: Uint8Array;
  readonly #fields: readonly string[];
  #field: string | undefined;
  #start = 0;
  #elements: Element[] | undefined;
  #element = 0;

  constructor(bytes: Uint8Array, fields: readonly string[]) {
    this.#bytes = bytes;
    this.#fields = fields;
  }

  /** The name of a member, quotes included. */
  name(start: number, end: number): void {
    if (this.#fields.length === 0) return;
    const name: unknown = JSON.parse(utf8Decoder.decode(this.#bytes.subarray(start, end)));
    this.#field = this.#fields.find((field) => field === name);
  }

  /** A value begins: at depth 1 a member, at depth 2 an element. */
  begin(depth: number, at: number): void {
    if (depth === 2) this.#element = at;
    if (depth !== 1) return;
    this.#start = at;
    this.#elements = this.#field !== undefined && this.#bytes[at] === ARRAY ? [] : undefined;
  }

  /** A value ends before this index; trailing blanks don't belong to it. */
  end(depth: number, before: number, isPlain: boolean): void {
    let end = before;
    while (isBlankCode(this.#bytes[end - 1] as number)) end -= 1;
    if (depth === 2) {
      // Elements beyond the bounds are never read.
      if ((this.#elements?.length ?? 0) <= BOUNDS.values) this.#elements?.push({ start: this.#element, end, isPlain });
    } else if (this.#field !== undefined) {
      this.members.set(this.#field, { start: this.#start, end, elements: this.#elements });
    }
  }
}

// The parts of JSON as UTF-8 other than strings and brackets: escapes, numbers, literals.

const [MINUS, DOT, PLUS, ZERO, NINE, E, U, LOWER] = [0x2d, 0x2e, 0x2b, 0x30, 0x39, 0x65, 0x75, 0x20] as const;

/** Characters allowed after a backslash, and the digits after `u`. */
const [ESCAPE, HEX] = [1, 2] as const;
const CHARACTER_KINDS = new Uint8Array(256);
for (const char of '"\\/bfnrt') CHARACTER_KINDS[char.charCodeAt(0)] = ESCAPE;
for (const char of '0123456789abcdefABCDEF')
  CHARACTER_KINDS[char.charCodeAt(0)] = (CHARACTER_KINDS[char.charCodeAt(0)] ?? 0) | HEX;

const characterKind = (code: number | undefined): number => CHARACTER_KINDS[code ?? 0] ?? 0;
const isHex = (code: number | undefined): boolean => (characterKind(code) & HEX) !== 0;

/**
 * Length of the escape that starts here; the length of the text for an invalid one. Called for every escape, so it
 * allocates nothing.
 */
const escapeSize = (bytes: Uint8Array, at: number): number => {
  if (bytes[at + 1] !== U) return (characterKind(bytes[at + 1]) & ESCAPE) === 0 ? bytes.length : 2;
  const isWhole = isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) && isHex(bytes[at + 5]);
  return isWhole ? 6 : bytes.length;
};

/** Index after the digits that start here; the same index when there are none. */
const digitsEnd = (bytes: Uint8Array, from: number): number => {
  let at = from;
  for (let code = bytes[at] ?? 0; code >= ZERO && code <= NINE; code = bytes[at] ?? 0) at += 1;
  return at;
};

/** Index after the number that starts here; 0 when there is none. */
const numberEnd = (bytes: Uint8Array, from: number): number => {
  const start = bytes[from] === MINUS ? from + 1 : from;
  let at = bytes[start] === ZERO ? start + 1 : digitsEnd(bytes, start);
  if (at === start) return 0;
  if (bytes[at] === DOT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return 0;
  }
  if (((bytes[at] ?? 0) | LOWER) !== E) return at;
  const sign = bytes[at + 1];
  const exponent = at + (sign === PLUS || sign === MINUS ? 2 : 1);
  at = digitsEnd(bytes, exponent);
  return at === exponent ? 0 : at;
};

/** The literals, by their first characters. */
const LITERALS: (Uint8Array | undefined)[] = Array.from({ length: 256 });
for (const word of ['true', 'false', 'null']) LITERALS[word.charCodeAt(0)] = Buffer.from(word);

/**
 * Index after the number or literal that starts here; 0 when there is neither. Called for every value, so it allocates
 * nothing.
 */
const scalarEnd = (bytes: Uint8Array, from: number): number => {
  const word = LITERALS[bytes[from] ?? 0];
  if (word === undefined) return numberEnd(bytes, from);
  for (let index = 1; index < word.length; index += 1) if (bytes[from + index] !== word[index]) return 0;
  return from + word.length;
};

/** Result of a scan, up to the end of the text or to the first invalid byte. */
export interface Scan extends Measure {
  readonly isJson: boolean;
  /** The requested members; the last of repeated names counts, as for JSON.parse. */
  readonly members: ReadonlyMap<string, Member>;
}

/**
 * Tokens that may come next: a value, a value or the end of the opened array, a name, a name or the end of the opened
 * object, a colon, or a token that follows a value.
 */
const [VALUE, VALUE_OR_END, NAME, NAME_OR_END, NAMED, BEHIND] = [0, 1, 2, 3, 4, 5] as const;

/** Levels that the initial array holds; deeper answers need larger arrays. */
const FEWEST_LEVELS = 64;

const grown = (levels: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(2 * levels.length);
  larger.set(levels);
  return larger;
};

/**
 * Scans a text, and finds the members `fields` of its outermost object. One loop that an invalid byte ends: a call for
 * each string would double its time.
 */
export const scan = (bytes: Uint8Array, fields: readonly string[] = []): Scan => {
  const notes = new Notes(bytes, fields);
  const { length } = bytes;
  // For each open level, 1 for an object and 0 for an array.
  let levels = new Uint8Array(FEWEST_LEVELS);
  let [at, depth, deepest, values, name, inObject] = [0, 0, 0, 0, 0, false];
  let next: number = VALUE;
  // `control` is negative after a control character in a string. `hidden` is negative after a byte in a string that is
  // not printable ASCII, or after a blank between tokens.
  let [control, hidden] = [0, 0];
  while (at < length) {
    const code = bytes[at] as number;
    if (code === QUOTE) {
      if (next > NAME_OR_END) break;
      const start = at;
      for (at += 1; at < length; at += 1) {
        const inside = bytes[at] as number;
        if (inside === QUOTE) break;
        control |= inside - BLANK;
        hidden |= DELETE - 1 - inside;
        if (inside === BACKSLASH) at += escapeSize(bytes, at) - 1;
      }
      at += 1;
      if (next >= NAME) {
        if (at - start - 2 > name) name = at - start - 2;
        if (depth === 1 && at <= length && control >= 0) notes.name(start, at);
        next = NAMED;
      } else {
        values += 1;
        if (depth <= 2) notes.begin(depth, start);
        next = BEHIND;
      }
    } else if (code === COLON) {
      if (next !== NAMED) break;
      next = VALUE;
      at += 1;
    } else if (code === COMMA) {
      if (next !== BEHIND || depth === 0) break;
      if (depth <= 2) notes.end(depth, at, hidden >= 0);
      next = inObject ? NAME : VALUE;
      at += 1;
    } else if (code === OBJECT || code === ARRAY) {
      if (next > VALUE_OR_END) break;
      values += 1;
      if (depth <= 2) notes.begin(depth, at);
      if (depth === 2) hidden = 0;
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth === levels.length) levels = grown(levels);
      inObject = code === OBJECT;
      levels[depth] = inObject ? 1 : 0;
      next = inObject ? NAME_OR_END : VALUE_OR_END;
      at += 1;
    } else if (code === OBJECT_END || code === ARRAY_END) {
      if (next !== BEHIND && next !== (inObject ? NAME_OR_END : VALUE_OR_END)) break;
      if (depth === 0 || inObject !== (code === OBJECT_END)) break;
      if (depth <= 2 && next === BEHIND) notes.end(depth, at, hidden >= 0);
      depth -= 1;
      inObject = levels[depth] === 1;
      next = BEHIND;
      at += 1;
    } else if (code <= BLANK) {
      if (!isBlankCode(code)) break;
      hidden = -1;
      at += 1;
    } else {
      const end = next > VALUE_OR_END ? 0 : scalarEnd(bytes, at);
      if (end === 0) break;
      values += 1;
      if (depth <= 2) notes.begin(depth, at);
      at = end;
      next = BEHIND;
    }
  }
  const isJson = at === length && next === BEHIND && depth === 0 && control >= 0;
  return { isJson, depth: deepest, values, name, members: notes.members };
};

/** Scans a text without recording members. */
export const measure = (text: string): Scan => scan(Buffer.from(text));

/** Nesting depth of arrays and objects. */
export const depthOf = (text: string): number => measure(text).depth;

export const isJson = (text: string): boolean => measure(text).isJson;

/** The texts of the elements of the array at `field` of an object, without blanks between their tokens. */
export const elementsOf = (text: string, field: string): string[] => {
  const bytes = Buffer.from(text);
  const elements = scan(bytes, [field]).members.get(field)?.elements ?? [];
  return elements.map(({ start, end }) => minify(utf8Decoder.decode(bytes.subarray(start, end))));
};
