import { usageError } from '../../core/error.ts';
import type { ReadSource } from '../../core/input.ts';
import type { Field } from './spec.ts';

type Read = readonly [name: string, value: unknown];
type Placed = readonly [keys: readonly string[], value: unknown];

/** Reads the fields whose value is the text of a file, without its last line break. */
export const readFields = async (fields: readonly Field[], source: ReadSource): Promise<readonly Read[]> => {
  const read: Read[] = [];
  for (const { name, value } of fields) {
    const known = 'known' in value ? value.known : (await source(value.source)).replace(/\r?\n$/, '');
    read.push([name, known]);
  }
  return read;
};

/** The keys in the name of a field: `a[b][]` has `a`, `b` and an empty one. */
const keysOf = (name: string): readonly string[] => {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*(?:\[\])?)$/.exec(name) ?? [];
  if (first === '') throw usageError(`"${name}" is not the name of a field, such as a, a[b] or a[]`);
  return [first, ...[...rest.matchAll(/\[(.*?)\]/g)].map(([, key = '']) => key)];
};

const membersOf = (fields: readonly Placed[], name = ''): Readonly<Record<string, unknown>> => {
  const groups = Map.groupBy(fields, ([[key = '']]) => key);
  return Object.fromEntries(
    [...groups].map(([key, some]) => {
      const below = some.map(([[, ...keys], value]): Placed => [keys, value]);
      return [key, built(below, name === '' ? key : `${name}[${key}]`)];
    }),
  );
};

/** The value of the fields whose names start with this one: their only value, a list or an object. */
const built = (fields: readonly Placed[], name: string): unknown => {
  const [only] = fields;
  if (only?.[0].length === 0 && fields.length === 1) return only[1];
  if (fields.every(([[key]]) => key === '')) return fields.map(([, value]) => value);
  if (fields.every(([[key = '']]) => key !== '')) return membersOf(fields, name);
  throw usageError(`"${name}" is given twice; leave one out`);
};

/** The body of the fields. Throws a usage error if two of them contradict each other. */
export const bodyOf = (fields: readonly Read[]): Readonly<Record<string, unknown>> =>
  membersOf(fields.map(([name, value]) => [keysOf(name), value]));
