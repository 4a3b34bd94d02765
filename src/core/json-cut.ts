import { BOUNDS } from './bounds.ts';
import { measure, parseTexts } from './json.ts';

// Of an answer that is beyond the bounds, so much as can be kept: it is read without ever being made into values as a whole.

const [QUOTE, BACKSLASH, COMMA, COLON, BLANK] = [0x22, 0x5c, 0x2c, 0x3a, 0x20] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ESCAPED = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

const isBlank = (code: number): boolean => code === BLANK || code === 0x0a || code === 0x09 || code === 0x0d;

const skipBlanks = (text: string, from: number): number => {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
};

/** Behind the string that begins here; undefined where it is none. */
const stringEnd = (text: string, from: number): number | undefined => {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < BLANK) return undefined;
    if (code !== BACKSLASH) continue;
    // Of a text of escapes alone, a match each would be garbage many times its size.
    ESCAPED.lastIndex = at + 1;
    if (!ESCAPED.test(text)) return undefined;
    at = ESCAPED.lastIndex - 1;
  }
  return undefined;
};

/** Behind a number or a word: letters, digits, and the signs of a number. */
const wordEnd = (text: string, from: number): number => {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === ARRAY_END || code === OBJECT_END || isBlank(code)) return at;
  }
  return at;
};

const isWord = (word: string): boolean => NUMBER.test(word) || word === 'true' || word === 'false' || word === 'null';

/** What may come next: a value, a name, either or the end of what was just opened, or what stands behind a value. */
type Next = 'value' | 'name' | 'element or end' | 'name or end' | 'behind';

/** Whether a text is JSON as JSON.parse takes it, of any depth and size, without making anything of it. */
export const isJson = (text: string): boolean => {
  const open = new Uint8Array(Math.max(1, measure(text).depth));
  let [depth, next, at]: [number, Next, number] = [0, 'value', skipBlanks(text, 0)];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const inObject = depth > 0 && open[depth - 1] === 1;
    let end: number | undefined = at + 1;
    if (next === 'behind') {
      if (code === COMMA && depth > 0) next = inObject ? 'name' : 'value';
      else if (depth > 0 && code === (inObject ? OBJECT_END : ARRAY_END)) depth -= 1;
      else return false;
    } else if (code === (next === 'name or end' ? OBJECT_END : next === 'element or end' ? ARRAY_END : -1)) {
      depth -= 1;
      next = 'behind';
    } else if (next === 'name' || next === 'name or end') {
      end = code === QUOTE ? stringEnd(text, at) : undefined;
      if (end === undefined) return false;
      end = skipBlanks(text, end);
      if (text.charCodeAt(end) !== COLON) return false;
      end += 1;
      next = 'value';
    } else if (code === OBJECT || code === ARRAY) {
      open[depth] = code === OBJECT ? 1 : 0;
      depth += 1;
      next = code === OBJECT ? 'name or end' : 'element or end';
    } else {
      end = code === QUOTE ? stringEnd(text, at) : wordEnd(text, at);
      if (end === undefined) return false;
      const isDigit = end - at === 1 && code >= 0x30 && code <= 0x39;
      if (code !== QUOTE && !isDigit && !isWord(text.slice(at, end))) return false;
      next = 'behind';
    }
    at = skipBlanks(text, end);
  }
  return depth === 0 && next === 'behind';
};

interface Part {
  /** With its quotes; undefined in an array. */
  readonly name: string | undefined;
  readonly text: string;
}

/** Behind the value that begins here: at the comma or bracket that follows. */
const valueEnd = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = (stringEnd(text, at) ?? text.length) - 1;
    else if (code === COMMA && depth === 0) return at;
    else if (code === OBJECT || code === ARRAY) depth += 1;
    else if (code === OBJECT_END || code === ARRAY_END) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return text.length;
};

const isObject = (text: string): boolean => text.charCodeAt(0) === OBJECT;

/** The members of an object, or the elements of an array, as their texts. */
function* partsOf(text: string): Generator<Part> {
  const inObject = isObject(text);
  for (let at = skipBlanks(text, 1); text[at] !== '}' && text[at] !== ']'; ) {
    let name: string | undefined;
    if (inObject) {
      const end = stringEnd(text, at) ?? text.length;
      name = text.slice(at, end);
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    const end = valueEnd(text, at);
    yield { name, text: text.slice(at, end).trimEnd() };
    at = text[end] === ',' ? skipBlanks(text, end + 1) : end;
  }
}

/** How many values may still be made, and how deep. */
interface Room {
  values: number;
  readonly depth: number;
}

/** So much is kept of a part that is too large itself: of what is documented nothing is deeper or has more members. */
const ROOM = { values: 2000, depth: 4 } as const;
const MOST_PARTS = 100;

/** Characters. What is longer is taken apart unmeasured: measured at each level, the deepest would take longest. */
const MEASURED = 256 * 1024;

const isContainer = (text: string): boolean => isObject(text) || text.charCodeAt(0) === ARRAY;

const nameOf = (quoted: string): string | undefined =>
  quoted.length > BOUNDS.name ? undefined : (JSON.parse(quoted) as string);

/** The value of a text, or its first parts; undefined where there is no room for any of it. */
const cutValue = (text: string, room: Room, depth: number): unknown => {
  if (room.values < 1) return undefined;
  if (!isContainer(text) || text.length <= MEASURED) {
    const { values, depth: deepest, name } = measure(text);
    if (values <= room.values && deepest + depth <= BOUNDS.depth && name <= BOUNDS.name) {
      room.values -= values;
      return parseTexts(text);
    }
  }
  if (depth >= room.depth) return undefined;
  const members = new Map<string, unknown>();
  for (const part of partsOf(text)) {
    if (members.size >= MOST_PARTS || room.values < 1) break;
    const name = part.name === undefined ? String(members.size) : nameOf(part.name);
    const value = name === undefined ? undefined : cutValue(part.text, room, depth + 1);
    if (name !== undefined && value !== undefined) members.set(name, value);
  }
  return isObject(text) ? Object.fromEntries(members) : [...members.values()];
};

/**
 * So much of a JSON text as the bounds let be kept: the members `names` of its object, as far as they go, and the first of the
 * others; numbers that a double can't hold as their texts. Undefined where the text is no JSON.
 */
export const cutJson = (untrimmed: string, names: readonly string[]): { readonly value: unknown } | undefined => {
  if (!isJson(untrimmed)) return undefined;
  const text = untrimmed.trim();
  // Nothing that matters is anything else than an object.
  if (!isObject(text)) return { value: null };
  const members = new Map<string, unknown>();
  const others = { ...ROOM };
  const quoted = new Set(names.map((name) => JSON.stringify(name)));
  for (const part of partsOf(text)) {
    const { name: given = '' } = part;
    // Without a backslash a name is what it looks like.
    if (members.size >= MOST_PARTS && !quoted.has(given) && !given.includes('\\')) continue;
    const name = nameOf(given);
    if (name === undefined) continue;
    const isWanted = names.includes(name);
    if (!isWanted && members.size >= MOST_PARTS) continue;
    const value = cutValue(part.text, isWanted ? { ...ROOM } : others, 1);
    // Of a repeated name the last counts, as it does for JSON.parse.
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  return { value: Object.fromEntries(members) };
};
