import { BOUNDS } from './bounds.ts';
import { parseTexts } from './json.ts';
import { scan } from './json-scan.ts';

// Of an answer that is beyond the bounds, so much as can be kept: it is read without ever being made into values as a whole.

const [QUOTE, BACKSLASH, COMMA, BLANK] = [0x22, 0x5c, 0x2c, 0x20] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

const decoder = new TextDecoder();

const skipBlanks = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while ((bytes[at] ?? BLANK + 1) <= BLANK) at += 1;
  return at;
};

/** Behind the string that begins here. */
const stringEnd = (bytes: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
};

/** Behind the value that begins here: at the comma or bracket that follows. */
const valueEnd = (bytes: Uint8Array, from: number): number => {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (code === OBJECT || code === ARRAY) depth += 1;
    else if (code === COMMA && depth === 0) return at;
    else if (code === OBJECT_END || code === ARRAY_END) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return bytes.length;
};

interface Part {
  /** With its quotes; undefined in an array. */
  readonly name: Uint8Array | undefined;
  readonly value: Uint8Array;
}

const isObject = (bytes: Uint8Array): boolean => bytes[0] === OBJECT;

/** The members of an object, or the elements of an array; what is no JSON ends with its bytes. */
function* partsOf(bytes: Uint8Array): Generator<Part> {
  const inObject = isObject(bytes);
  for (let at = skipBlanks(bytes, 1); at < bytes.length && bytes[at] !== OBJECT_END && bytes[at] !== ARRAY_END; ) {
    let name: Uint8Array | undefined;
    if (inObject) {
      const end = stringEnd(bytes, at);
      name = bytes.subarray(at, end);
      at = skipBlanks(bytes, skipBlanks(bytes, end) + 1);
    }
    const end = valueEnd(bytes, at);
    yield { name, value: bytes.subarray(at, end) };
    at = bytes[end] === COMMA ? skipBlanks(bytes, end + 1) : end;
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

/** In bytes. What is longer is taken apart unmeasured: measured at each level, the deepest would take longest. */
const MEASURED = 256 * 1024;

const isContainer = (bytes: Uint8Array): boolean => isObject(bytes) || bytes[0] === ARRAY;

const nameOf = (quoted: Uint8Array): string | undefined =>
  quoted.length > BOUNDS.name ? undefined : (JSON.parse(decoder.decode(quoted)) as string);

/** The value of a text, or its first parts; undefined where there is no room for any of it. */
function* cutValue(bytes: Uint8Array, room: Room, depth: number): Generator<void, unknown> {
  if (room.values < 1) return undefined;
  if (!isContainer(bytes) || bytes.length <= MEASURED) {
    const { values, depth: deepest, name } = scan(bytes);
    if (values <= room.values && deepest + depth <= BOUNDS.depth && name <= BOUNDS.name) {
      room.values -= values;
      return parseTexts(decoder.decode(bytes));
    }
  }
  if (depth >= room.depth) return undefined;
  const members = new Map<string, unknown>();
  for (const part of partsOf(bytes)) {
    if (members.size >= MOST_PARTS || room.values < 1) break;
    const name = part.name === undefined ? String(members.size) : nameOf(part.name);
    if (part.value.length > MEASURED) yield;
    const value = name === undefined ? undefined : yield* cutValue(part.value, room, depth + 1);
    if (name !== undefined && value !== undefined) members.set(name, value);
  }
  return isObject(bytes) ? Object.fromEntries(members) : [...members.values()];
}

/**
 * So much of JSON as the bounds let be kept: the members `names` of its object, as far as they go, and the first of the others;
 * numbers that a double can't hold as their texts. A step ends behind each part that is large.
 */
export function* cutSteps(json: Uint8Array, names: readonly string[]): Generator<void, unknown> {
  const bytes = json.subarray(skipBlanks(json, 0));
  // Nothing that matters is anything else than an object.
  if (!isObject(bytes)) return null;
  const members = new Map<string, unknown>();
  const others = { ...ROOM };
  const quoted = names.map((name) => Buffer.from(JSON.stringify(name)));
  // Without a backslash a name is what it looks like.
  const mayBeWanted = (name: Uint8Array): boolean =>
    quoted.some((wanted) => wanted.equals(name)) || name.includes(BACKSLASH);
  for (const { name: given, value: part } of partsOf(bytes)) {
    if (part.length > MEASURED) yield;
    if (given === undefined || (members.size >= MOST_PARTS && !mayBeWanted(given))) continue;
    const name = nameOf(given);
    if (name === undefined) continue;
    const isWanted = names.includes(name);
    if (!isWanted && members.size >= MOST_PARTS) continue;
    const value = yield* cutValue(part, isWanted ? { ...ROOM } : others, 1);
    // Of a repeated name the last counts, as it does for JSON.parse.
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  return Object.fromEntries(members);
}
