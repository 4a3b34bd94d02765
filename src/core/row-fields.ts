import { reasonOf } from './error.ts';
import { fromSpreadsheet } from './formula.ts';
import { depthOf, NumberText, parseExact } from './json.ts';

/** The fields of a row that were given, by column, in their order. */
export type Given = ReadonlyMap<string, unknown>;

/** What is wrong with a field of a row. */
export interface FieldFault {
  readonly column: string;
  readonly what: string;
}

export interface Gathered {
  /** Undefined where no such field was given. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly faults: readonly FieldFault[];
}

const MAX_DEPTH = 64;

/** What was given of a row: an empty cell of CSV, and null in NDJSON, was not. Digits kept for a spreadsheet are just those. */
export const givenOf = (fields: Readonly<Record<string, unknown>>, format: 'csv' | 'ndjson'): Given => {
  const entries = Object.entries(fields);
  if (format === 'ndjson') return new Map(entries.filter(([, value]) => value !== null));
  const cells = entries.filter(([, value]) => value !== null && value !== '');
  return new Map(cells.map(([name, value]) => [name, typeof value === 'string' ? fromSpreadsheet(value) : value]));
};

/** The text that a column gives, where it gives one. */
export const textIn = (given: Given, column: string): { readonly text?: string; readonly fault?: FieldFault } => {
  const value = given.get(column);
  if (value === undefined) return {};
  return typeof value === 'string' ? { text: value } : { fault: { column, what: 'should be text' } };
};

type Read = { readonly value: unknown } | { readonly fault: string };

/** A text is read as JSON; NDJSON has values of other types already. */
const readJson = (given: unknown): Read => {
  if (typeof given !== 'string') return { value: given };
  if (depthOf(given) > MAX_DEPTH) return { fault: `nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: parseExact(given) };
  } catch (thrown) {
    return { fault: `not JSON: ${reasonOf(thrown)}` };
  }
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);

type Member = readonly [key: string, value: unknown];

/** The members that the column of the name itself gives: those of an object. */
const membersOfObject = (given: unknown): readonly Member[] | string => {
  const read = readJson(given);
  if ('fault' in read) return read.fault;
  return isObject(read.value) ? Object.entries(read.value) : 'not a JSON object';
};

/** The member that a column gives by its name: `k` as it is, `k:` read as JSON. */
const memberNamed = (key: string, given: unknown): readonly Member[] | string => {
  const isJson = key.endsWith(':');
  const name = isJson ? key.slice(0, -1) : key;
  if (name === '') return 'no name after the dot';
  const read = isJson ? readJson(given) : { value: given };
  return 'fault' in read ? read.fault : [[name, read.value]];
};

/** What a column gives, or what is wrong with it; undefined where it is none of the name's. */
const membersOf = (column: string, given: unknown, name: string): readonly Member[] | string | undefined => {
  if (column === name) return membersOfObject(given);
  return column.startsWith(`${name}.`) ? memberNamed(column.slice(name.length + 1), given) : undefined;
};

/**
 * The one object that several columns give: `param.k` a text (in NDJSON any value), `param.k:` JSON, and `param` a whole
 * object. The same key twice is a fault, since one of the two would be lost.
 */
export const gather = (given: Given, name: string): Gathered => {
  const values = new Map<string, unknown>();
  const columns = new Map<string, string>();
  const faults: FieldFault[] = [];
  let found = false;
  for (const [column, value] of given) {
    const members = membersOf(column, value, name);
    if (members === undefined) continue;
    found = true;
    if (typeof members === 'string') {
      faults.push({ column, what: members });
      continue;
    }
    for (const [key, member] of members) {
      const first = columns.get(key);
      if (first !== undefined) faults.push({ column, what: `"${key}" is also set by the column "${first}"` });
      columns.set(key, first ?? column);
      values.set(key, member);
    }
  }
  return { values: found ? Object.fromEntries(values) : undefined, faults };
};
