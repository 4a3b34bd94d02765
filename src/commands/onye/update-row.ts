import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import { missingColumn } from '../../core/missing-column.ts';
import { namesAlong } from '../../core/property-path.ts';
import type { Given } from '../../core/row-fields.ts';
import { gather, givenOf } from '../../core/row-fields.ts';
import type { MetaChange } from './meta.ts';
import { changeFlag } from './meta.ts';

type Fields = Readonly<Record<string, unknown>>;

const UID = 'uid';
const TEXTS = ['email', 'ref', 'first_name', 'last_name'];
const META = 'meta';
/** Gives keys of the metadata, the others kept. */
const MERGE = 'merge_meta';
const OBJECTS = ['billing_address', META];
const PARTED = [...OBJECTS, MERGE];

/** The field of the body that a column gives, or part of it; `merge_meta` of its own. */
const fieldOf = (column: string): string | undefined => {
  if (TEXTS.includes(column)) return column;
  return PARTED.find((name) => column === name || column.startsWith(`${name}.`));
};

/** Whether a column is one that an update is made of; all others are carried along. */
export const isOnyeColumn = (column: string): boolean => column === UID || fieldOf(column) !== undefined;

/** Their names, as a "did you mean" is looked for among them; a dot at the end stands for all that begin so. */
export const ONYE_COLUMNS: readonly string[] = [UID, ...TEXTS, ...PARTED, ...PARTED.map((name) => `${name}.`)];

/** A field that an option gives to every row. */
export interface OptionField {
  readonly value: unknown;
  readonly flag: string;
}
/** By the field's name in the body. */
export type OptionFields = ReadonlyMap<string, OptionField>;

/** All that the options give to every row; `change` is of the metadata, key by key. */
export interface RowOptions {
  readonly fields: OptionFields;
  readonly change: MetaChange | undefined;
}

/** The flag of an option beside which a column can't stand: it gives the same, or the metadata in another way. */
const flagBeside = (column: string, { fields, change }: RowOptions): string | undefined => {
  const field = fieldOf(column) ?? '';
  if (field === META && change !== undefined) return changeFlag(change);
  if (field !== MERGE) return fields.get(field)?.flag;
  return Object.keys(change?.set ?? {}).length > 0 ? '--merge-meta' : fields.get(META)?.flag;
};

const isOf = (field: string) => (column: string) => fieldOf(column) === field;

/** Refuses what can't stand together: which of the two would be meant is anybody's guess. */
export const checkOnyeColumns = (columns: readonly string[], options: RowOptions): void => {
  if (!columns.includes(UID)) {
    throw missingColumn(columns, {
      name: UID,
      prefix: 'ony.',
      aliases: ['onye', 'onye.uid'],
      all: 'uid, email, ref, first_name, last_name, billing_address.k, meta.k, merge_meta.k',
    });
  }
  for (const column of columns) {
    const flag = flagBeside(column, options);
    if (flag === undefined) continue;
    throw usageError(`${flag} and the column ${JSON.stringify(column)} set the same field`, {
      hint: 'use one of them',
    });
  }
  const [whole, part] = [columns.find(isOf(META)), columns.find(isOf(MERGE))];
  if (whole === undefined || part === undefined) return;
  throw usageError(`the columns ${JSON.stringify(whole)} and ${JSON.stringify(part)} can't be used together`, {
    hint: `${META} replaces all metadata, ${MERGE} keeps the other keys: use one of them`,
  });
};

/** Something that is wrong with a row; undefined where it is the row as a whole. */
interface OnyeFault {
  readonly column: string | undefined;
  readonly what: string;
}

/** What is wrong with a row, all of it, or the update that it asks for. */
export type OnyeRow =
  | { readonly kind: 'faulty'; readonly faults: readonly OnyeFault[] }
  | {
      readonly kind: 'update';
      readonly uid: string;
      readonly body: Record<string, unknown>;
      readonly change?: MetaChange;
    };

const uidFaults = (given: Given, validate: boolean): OnyeFault[] => {
  const uid = given.get(UID);
  if (uid === undefined || uid === '') return [{ column: UID, what: 'is missing' }];
  if (typeof uid !== 'string') return [{ column: UID, what: 'should be text' }];
  const problem = validate ? idProblem('ony', uid) : undefined;
  return problem === undefined ? [] : [{ column: UID, what: problem }];
};

/** The rows of NDJSON may differ in their names, so that the first of them does not tell all. */
const clashes = (fields: Fields, given: Given, options: RowOptions): OnyeFault[] => {
  const both = [...given.keys()].some(isOf(META)) ? [...given.keys()].find(isOf(MERGE)) : undefined;
  const beside = Object.keys(fields).flatMap((column) => {
    const flag = flagBeside(column, options);
    return flag === undefined ? [] : [{ column, what: `sets the same field as ${flag}` }];
  });
  return both === undefined ? beside : [...beside, { column: both, what: `can't be used together with ${META}` }];
};

/** What a row changes of the metadata key by key: what its columns set, and what the options do. */
const changeOf = (set: Fields, { change }: RowOptions): MetaChange | undefined => {
  const unset = change?.unset ?? [];
  const all = { ...change?.set, ...set };
  return unset.length + Object.keys(all).length === 0 ? undefined : { set: all, unset };
};

const unsetToo = (set: Fields, given: Given, { change }: RowOptions): OnyeFault[] =>
  Object.keys(set)
    .filter((name) => change?.unset.includes(name))
    .map((name) => ({
      column: onyeColumnOf([...given.keys()], `${MERGE}.${name}`),
      what: `"${name}" is also in --unset-meta`,
    }));

/**
 * The update that a row asks for (interface.md 4.1): the fields that it gives, and those of the options. An empty cell of CSV
 * and null leave a field as it is; an empty text of NDJSON sets it. The contract is not asked here; `validate` is false with
 * --no-validate.
 */
export const onyeRow = (fields: Fields, format: 'csv' | 'ndjson', options: RowOptions, validate: boolean): OnyeRow => {
  const given = givenOf(fields, format);
  const { values: set = {}, faults: unmerged } = gather(given, MERGE);
  const change = changeOf(set, options);
  const gathered = OBJECTS.map((name) => ({ name, ...gather(given, name) }));
  const body = Object.fromEntries([
    ...[...options.fields].map(([name, { value }]) => [name, value] as const),
    ...TEXTS.filter((name) => given.has(name)).map((name) => [name, given.get(name)] as const),
    ...gathered.flatMap(({ name, values }) => (values === undefined ? [] : [[name, values] as const])),
  ]);
  const faults: OnyeFault[] = [
    ...uidFaults(given, validate),
    ...clashes(fields, given, options),
    ...gathered.flatMap((one) => one.faults),
    ...unmerged,
    ...unsetToo(set, given, options),
  ];
  if (Object.keys(body).length === 0 && change === undefined && unmerged.length === 0) {
    faults.push({ column: undefined, what: 'changes nothing: no field is set' });
  }
  if (faults.length > 0) return { kind: 'faulty', faults };
  return { kind: 'update', uid: String(given.get(UID)), body, ...(change === undefined ? {} : { change }) };
};

/** The column among `columns` that a property of the body came from; undefined where it came from none. */
export const onyeColumnOf = (columns: readonly string[], path: string): string | undefined => {
  const parts = namesAlong(path, [
    ...TEXTS,
    ...OBJECTS,
    ...columns.flatMap((name) => name.replace(/:$/, '').split('.')),
  ]);
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  const candidates = paths.flatMap((some) => [some, `${some}:`]);
  const found =
    candidates.find((name) => columns.includes(name)) ?? columns.find((name) => name.startsWith(`${parts.join('.')}.`));
  if (found !== undefined || parts[0] !== META) return found;
  return onyeColumnOf(columns, [MERGE, ...parts.slice(1)].join('.'));
};
