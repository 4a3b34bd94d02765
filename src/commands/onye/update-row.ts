import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import { missingColumn } from '../../core/missing-column.ts';
import type { Given } from '../../core/row-fields.ts';
import { gather, givenOf } from '../../core/row-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

const UID = 'uid';
const TEXTS = ['email', 'ref', 'first_name', 'last_name'];
const OBJECTS = ['billing_address', 'meta'];

/** The field of the body that a column gives, or part of it. */
const fieldOf = (column: string): string | undefined => {
  if (TEXTS.includes(column)) return column;
  return OBJECTS.find((name) => column === name || column.startsWith(`${name}.`));
};

/** Whether a column is one that an update is made of; all others are carried along. */
export const isOnyeColumn = (column: string): boolean => column === UID || fieldOf(column) !== undefined;

/** Their names, as a "did you mean" is looked for among them; a dot at the end stands for all that begin so. */
export const ONYE_COLUMNS: readonly string[] = [UID, ...TEXTS, ...OBJECTS, ...OBJECTS.map((name) => `${name}.`)];

/** A field that an option gives to every row. */
export interface OptionField {
  readonly value: unknown;
  readonly flag: string;
}
/** By the field's name in the body. */
export type OptionFields = ReadonlyMap<string, OptionField>;

/** Refuses an option beside a column of the same field: which of the two would be meant is anybody's guess. */
export const checkOnyeColumns = (columns: readonly string[], options: OptionFields): void => {
  if (!columns.includes(UID)) {
    throw missingColumn(columns, {
      name: UID,
      prefix: 'ony.',
      aliases: ['onye', 'onye.uid'],
      all: 'uid, email, ref, first_name, last_name, billing_address.k, meta.k',
    });
  }
  for (const column of columns) {
    const option = options.get(fieldOf(column) ?? '');
    if (option === undefined) continue;
    throw usageError(`${option.flag} and the column ${JSON.stringify(column)} are of the same field`, {
      hint: 'give it in one of the two',
    });
  }
};

/** Something that is wrong with a row; undefined where it is the row as a whole. */
interface OnyeFault {
  readonly column: string | undefined;
  readonly what: string;
}

/** What is wrong with a row, all of it, or the update that it asks for. */
export type OnyeRow =
  | { readonly kind: 'faulty'; readonly faults: readonly OnyeFault[] }
  | { readonly kind: 'update'; readonly uid: string; readonly body: Record<string, unknown> };

const uidFaults = (given: Given, validate: boolean): OnyeFault[] => {
  const uid = given.get(UID);
  if (uid === undefined || uid === '') return [{ column: UID, what: 'is missing' }];
  if (typeof uid !== 'string') return [{ column: UID, what: 'should be a text' }];
  const problem = validate ? idProblem('ony', uid) : undefined;
  return problem === undefined ? [] : [{ column: UID, what: problem }];
};

/** The rows of NDJSON may differ in their names, so that the first of them does not tell all. */
const clashes = (fields: Fields, options: OptionFields): OnyeFault[] =>
  Object.keys(fields).flatMap((column) => {
    const option = options.get(fieldOf(column) ?? '');
    return option === undefined ? [] : [{ column, what: `is of the same field as ${option.flag}` }];
  });

/**
 * The update that a row asks for (interface.md 4.1): the fields that it gives, and those of the options. An empty cell of CSV
 * and null leave a field as it is; an empty text of NDJSON sets it. The contract is not asked here; `validate` is false with
 * --no-validate.
 */
export const onyeRow = (
  fields: Fields,
  format: 'csv' | 'ndjson',
  options: OptionFields,
  validate: boolean,
): OnyeRow => {
  const given = givenOf(fields, format);
  const gathered = OBJECTS.map((name) => ({ name, ...gather(given, name) }));
  const body = Object.fromEntries([
    ...[...options].map(([name, { value }]) => [name, value] as const),
    ...TEXTS.filter((name) => given.has(name)).map((name) => [name, given.get(name)] as const),
    ...gathered.flatMap(({ name, values }) => (values === undefined ? [] : [[name, values] as const])),
  ]);
  const faults: OnyeFault[] = [
    ...uidFaults(given, validate),
    ...clashes(fields, options),
    ...gathered.flatMap((one) => one.faults),
  ];
  if (Object.keys(body).length === 0) faults.push({ column: undefined, what: 'changes nothing: no field is given' });
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'update', uid: String(given.get(UID)), body };
};

/** The column among `columns` that a property of the body came from; undefined where it came from none. */
export const onyeColumnOf = (columns: readonly string[], path: string): string | undefined => {
  const parts = path.split('.');
  const paths = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  const candidates = paths.flatMap((some) => [some, `${some}:`]);
  return candidates.find((name) => columns.includes(name)) ?? columns.find((name) => name.startsWith(`${path}.`));
};
