import type { Measure } from './bounds.ts';
import { BOUNDS } from './bounds.ts';
import { minify } from './json.ts';
import { escapeSize, scalarEnd } from './json-tokens.ts';

/**
 * One pass over a JSON text as UTF-8, which makes nothing of it: whether it is JSON as JSON.parse takes it, how much of it there
 * is, and where in it records begin and end. Safe on bytes of any kind, depth and size, so that it is asked before parsing.
 */

const [QUOTE, BACKSLASH, COMMA, COLON, DELETE] = [0x22, 0x5c, 0x2c, 0x3a, 0x7f] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const [BLANK, TAB, LINE_FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d] as const;

/** A stretch of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An element of an array. */
export interface Element extends Span {
  /** Nothing but printable ASCII, and no blanks between tokens: it can be printed as it is. */
  readonly isPlain: boolean;
}

/** The value of a member of the outermost object. */
export interface Member extends Span {
  /** Where it is an array. */
  readonly elements: readonly Element[] | undefined;
}

/** What was passed, up to its end or to what makes it no JSON. */
export interface Scan extends Measure {
  readonly isJson: boolean;
  /** Those asked for; of a repeated name the last counts, as it does for JSON.parse. */
  readonly members: ReadonlyMap<string, Member>;
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

const isBlank = (code: number): boolean => code === BLANK || code === LINE_FEED || code === RETURN || code === TAB;

/** Notes members of the outermost object, and the elements of those that are arrays, as they are passed. */
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
    const name: unknown = JSON.parse(textOf(this.#bytes.subarray(start, end)));
    this.#field = this.#fields.find((field) => field === name);
  }

  /** A value begins: at depth 1 a member, at depth 2 an element. */
  begin(depth: number, at: number): void {
    if (depth === 2) this.#element = at;
    if (depth !== 1) return;
    this.#start = at;
    this.#elements = this.#field !== undefined && this.#bytes[at] === ARRAY ? [] : undefined;
  }

  /** It ends before this, but for blanks. */
  end(depth: number, before: number, isPlain: boolean): void {
    let end = before;
    while (isBlank(this.#bytes[end - 1] as number)) end -= 1;
    if (depth === 2) {
      // What there is beyond the bounds is never read.
      if ((this.#elements?.length ?? 0) <= BOUNDS.values) this.#elements?.push({ start: this.#element, end, isPlain });
    } else if (this.#field !== undefined) {
      this.members.set(this.#field, { start: this.#start, end, elements: this.#elements });
    }
  }
}

/** What may come next: a value, a name, either or the end of what was just opened, a colon, or what stands behind a value. */
const [VALUE, VALUE_OR_END, NAME, NAME_OR_END, NAMED, BEHIND] = [0, 1, 2, 3, 4, 5] as const;

const MOST_LEVELS = 1024;

/**
 * Passes a text, and finds the members `fields` of its outermost object. One loop that a wrong byte ends: a call for each
 * string, or levels that could grow, would double its time.
 */
export const scan = (bytes: Uint8Array, fields: readonly string[] = [], most = MOST_LEVELS): Scan => {
  const notes = new Notes(bytes, fields);
  const { length } = bytes;
  /** Of each level that is open, whether it is an object. */
  const levels = new Uint8Array(most);
  let [at, depth, deepest, values, name, next] = [0, 0, 0, 0, 0, VALUE as number];
  let inObject = false;
  // Below 0 once a control character stood in a string, or something else than printable ASCII anywhere.
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
      if (depth === most) return scan(bytes, fields, length + 1);
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
      if (!isBlank(code)) break;
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

/** The same of a text, without any members. */
export const measure = (text: string): Scan => scan(Buffer.from(text));

/** How deep arrays and objects are nested. */
export const depthOf = (text: string): number => measure(text).depth;

export const isJson = (text: string): boolean => measure(text).isJson;

/** The texts of the elements of the array that an object holds under `field`, without blanks between their tokens. */
export const elementsOf = (text: string, field: string): string[] => {
  const bytes = Buffer.from(text);
  const elements = scan(bytes, [field]).members.get(field)?.elements ?? [];
  return elements.map(({ start, end }) => minify(textOf(bytes.subarray(start, end))));
};
