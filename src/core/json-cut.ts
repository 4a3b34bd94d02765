import { BOUNDS } from './bounds.ts';
import { parseTexts } from './json.ts';
import { scan } from './json-scan.ts';

// Reads the storable part of an answer that exceeds the bounds, without ever parsing the whole of it.

const [QUOTE, BACKSLASH, COMMA, BLANK] = [0x22, 0x5c, 0x2c, 0x20] as const;
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

const decoder = new TextDecoder();

const skipBlanks = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while ((bytes[at] ?? BLANK + 1) <= BLANK) at += 1;
  return at;
};

/** Index after the string that starts here. */
const stringEnd = (bytes: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
};

/** Index after the value that starts here: of the comma or bracket that follows. */
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

/** The members of an object, or the elements of an array; malformed JSON ends with its bytes. */
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

/** Number of values that may still be created, and the deepest level. */
interface Room {
  values: number;
  readonly depth: number;
}

/** Limits for a part that is itself too large: no documented part is deeper or has more members. */
const ROOM = { values: 2000, depth: 4 } as const;
const MOST_PARTS = 100;

/** In bytes. A longer value is split without measuring: measured at each level, the deepest would take longest. */
const MEASURED = 256 * 1024;

const isContainer = (bytes: Uint8Array): boolean => isObject(bytes) || bytes[0] === ARRAY;

const nameOf = (quoted: Uint8Array): string | undefined =>
  quoted.length > BOUNDS.name ? undefined : (JSON.parse(decoder.decode(quoted)) as string);

/** The value of a text, or its first parts; undefined when there is no room for any of it. */
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
 * The part of a JSON text that the bounds allow to be stored: the members `names` of its object as far as possible,
 * and the first of the others. Numbers that a double can't hold become their texts. A step ends after each large part.
 */
export function* cutSteps(json: Uint8Array, names: readonly string[]): Generator<void, unknown> {
  const bytes = json.subarray(skipBlanks(json, 0));
  // Relevant answers are objects.
  if (!isObject(bytes)) return null;
  const members = new Map<string, unknown>();
  const others = { ...ROOM };
  const quoted = names.map((name) => Buffer.from(JSON.stringify(name)));
  // A name without a backslash is compared byte by byte.
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
    // The last of repeated names counts, as for JSON.parse.
    if (value === undefined) members.delete(name);
    else members.set(name, value);
  }
  return Object.fromEntries(members);
}
