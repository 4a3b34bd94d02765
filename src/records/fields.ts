import type { IdPrefix } from '../core/ids.ts';
import { pick, valueAt } from '../core/json.ts';
import type { CellKind, Column } from '../core/result.ts';
import { atom } from '../core/time.ts';

/** A field that may be null, or with `!` one that always has a value. */
type FieldType = CellKind | `${CellKind}!`;

interface FieldDetails extends Omit<Column, 'path' | 'kind'> {
  /** The only values that it may have. */
  readonly values?: readonly string[];
  /** Ids of the service have a prefix; those of the ledger are of a charge, any entry, or a job. */
  readonly of?: IdPrefix | 'chg' | 'entry' | 'job';
  /** In JSON and on a card, but no column of a list. */
  readonly unlisted?: true;
}

/** A field of a record of ours, and its column. Without a label, the words of its name are one. */
export interface RecordField extends Column, FieldDetails {
  readonly kind: CellKind;
  readonly nullable: boolean;
}

/** The fields of a kind of record, in the order of its JSON. */
export type RecordFields = Readonly<Record<string, RecordField>>;

export const describeFields = (
  described: Readonly<Record<string, FieldType | (FieldDetails & { readonly type: FieldType })>>,
): RecordFields =>
  Object.fromEntries(
    Object.entries(described).map(([path, one]) => {
      const { type, ...details } = typeof one === 'string' ? { type: one } : one;
      const kind = type.replace('!', '') as CellKind;
      return [path, { path, kind, nullable: kind === type, label: path.replaceAll('_', ' '), ...details }];
    }),
  );

/** Some of the fields. */
export const someFields = (fields: RecordFields, names: string): RecordFields => pick(fields, names.split(' '));

/** Columns for people or programs: of the named fields, and of other values. */
export const pickFields = (fields: RecordFields, ...parts: readonly (string | Column)[]): Column[] =>
  parts.flatMap((part) => (typeof part === 'string' ? part.split(' ').map((name) => fields[name] as Column) : part));

/** Columns of all fields of a list: the named ones, then the others in their order. */
export const columnsOfList = (fields: RecordFields, first: string): Column[] => {
  const named = pickFields(fields, first);
  const others = Object.values(fields).filter((field) => !field.unlisted && !named.includes(field));
  return [...named, ...others];
};

/** `paidAt` for `paid_at`. */
const inCamelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The record of a thing that has the fields under their names. What is undefined is null; milliseconds are a time. */
export const recordOf = (fields: RecordFields, thing: object) =>
  Object.fromEntries(
    Object.values(fields).map(({ path, kind }) => {
      const value = valueAt(thing, path) ?? valueAt(thing, inCamelCase(path));
      return [path, kind === 'time' && typeof value === 'number' ? atom(value) : (value ?? null)];
    }),
  );
