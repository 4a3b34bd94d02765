import type { Measure } from './bounds.ts';
import { atOnce } from './breath.ts';
import { minify } from './json.ts';
import type { Member } from './json-members.ts';
import { isBlank, Notes, textOf } from './json-members.ts';
import { escapeSize, scalarEnd } from './json-tokens.ts';

/**
 * One pass over a JSON text as UTF-8, which makes nothing of it: whether it is JSON as JSON.parse takes it, how much of it there
 * is, and where in it records begin and end. Safe on bytes of any kind, depth and size, so that it is asked before parsing.
 */

const [QUOTE, BACKSLASH, COMMA, COLON, DELETE] = [0x22, 0x5c, 0x2c, 0x3a, 0x7f] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const BLANK = 0x20;

/** What was passed, up to its end or to what makes it no JSON. */
export interface Scan extends Measure {
  readonly isJson: boolean;
  /** Those asked for; of a repeated name the last counts, as it does for JSON.parse. */
  readonly members: ReadonlyMap<string, Member>;
}

/** What may come next: a value, a name, either or the end of what was just opened, a colon, or what stands behind a value. */
const [VALUE, VALUE_OR_END, NAME, NAME_OR_END, NAMED, BEHIND] = [0, 1, 2, 3, 4, 5] as const;

/** So few lie in the array itself, beyond which each answer would have a buffer made for it. */
const FEWEST_LEVELS = 64;

const grown = (levels: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(2 * levels.length);
  larger.set(levels);
  return larger;
};

/** In bytes: so much is passed in a few milliseconds. */
const STEP = 1024 * 1024;

/**
 * Passes a text, and finds the members `fields` of its outermost object; a step ends after each megabyte. One loop that a wrong
 * byte ends: a call for each string would double its time.
 */
export function* scanSteps(bytes: Uint8Array, fields: readonly string[] = []): Generator<void, Scan> {
  const pass = new Pass(bytes, fields);
  while (pass.goOn(STEP)) yield;
  return pass.found;
}

class Pass {
  readonly #bytes: Uint8Array;
  readonly #notes: Notes;
  /** Of each level that is open, whether it is an object. */
  #levels = new Uint8Array(FEWEST_LEVELS);
  #at = 0;
  #depth = 0;
  #deepest = 0;
  #values = 0;
  #name = 0;
  #next: number = VALUE;
  // Below 0 once a control character stood in a string, or something else than printable ASCII anywhere.
  #control = 0;
  #hidden = 0;

  constructor(bytes: Uint8Array, fields: readonly string[]) {
    this.#bytes = bytes;
    this.#notes = new Notes(bytes, fields);
  }

  get found(): Scan {
    const isJson = this.#at === this.#bytes.length && this.#next === BEHIND && this.#depth === 0 && this.#control >= 0;
    return {
      isJson,
      depth: this.#deepest,
      values: this.#values,
      name: this.#name,
      members: this.#notes.members,
    };
  }

  /** Passes so many bytes more, and the string or number that they end in; false at the end, and at what is no JSON. */
  goOn(size: number): boolean {
    const [bytes, notes] = [this.#bytes, this.#notes];
    const { length } = bytes;
    const until = Math.min(length, this.#at + size);
    let levels = this.#levels;
    let [at, depth, deepest, values] = [this.#at, this.#depth, this.#deepest, this.#values];
    let [name, next, control, hidden] = [this.#name, this.#next, this.#control, this.#hidden];
    let inObject = levels[depth] === 1;
    while (at < until) {
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
    const isMore = at >= until && at < length;
    this.#levels = levels;
    [this.#at, this.#depth, this.#deepest, this.#values] = [at, depth, deepest, values];
    [this.#name, this.#next, this.#control, this.#hidden] = [name, next, control, hidden];
    return isMore;
  }
}

export const scan = (bytes: Uint8Array, fields: readonly string[] = []): Scan => atOnce(scanSteps(bytes, fields));

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
