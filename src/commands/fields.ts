import type { Cells } from '../bulk/cells.ts';
import type { BodyField, FieldTable } from '../cli/define.ts';
import { asFlag, type FlagOf } from '../core/input.ts';
import { definedIn, NumberText, namesAlong, pick } from '../core/json.ts';
import { type GivenAmount, readGiven } from '../core/money.ts';

/** Finds the option that sets the value of a column for every row. It has the same name. */
export const flagIn =
  (options: object): FlagOf =>
  (column) =>
    (options as Readonly<Record<string, unknown>>)[column] === undefined ? undefined : asFlag(column);

type FieldValues = Readonly<Record<string, unknown>>;

/** Columns that set a field; none without a column. */
const ownColumns = (name: string, { column = name }: BodyField): readonly string[] =>
  column === false ? [] : column.replace(/\.k$/, '').split(' or ');

/** Columns of a file for a body, as `RowKind.columns` writes them; without that of the key. */
export const listColumns = (fields: FieldTable, key?: string): readonly string[] =>
  Object.entries(fields).flatMap(([name, { column = name }]) => (column === false || column === key ? [] : [column]));

/** The values of the fields among the given options, in the order of the table. */
export const pickValues = (fields: FieldTable, given: object): FieldValues =>
  pick(given as FieldValues, Object.keys(fields));

/** Fields whose column has their name and one value. */
export const listTexts = (fields: FieldTable): readonly string[] =>
  listColumns(fields).filter((name) => Object.hasOwn(fields, name));

/** The texts of a row, without the key's. Options apply where the row has none. */
export const readTexts = <F extends FieldTable>(
  fields: F,
  key: string,
  cells: Cells,
  options: { readonly [K in keyof F]?: unknown },
): { readonly [K in keyof F]?: string } => ({
  ...options,
  ...definedIn(
    Object.fromEntries(listTexts(fields).flatMap((name) => (name === key ? [] : [[name, cells.text(name)]]))),
  ),
});

export const buildBody = (fields: FieldTable, values: FieldValues): FieldValues => {
  const body = new Map<string, unknown>();
  for (const [name, { property = name, value: turn = (given: unknown) => given }] of Object.entries(fields)) {
    const value = values[name] === undefined || property === false ? undefined : turn(values[name] as never);
    if (value === undefined) continue;
    for (const [path, one] of Object.entries(typeof property === 'string' ? { [property]: value } : Object(value))) {
      const [first = '', part] = path.split('.');
      body.set(first, part === undefined ? one : { ...Object(body.get(first)), [part]: one });
    }
  }
  return Object.fromEntries(body);
};

/** The column that sets a field, wholly or in part: `meta.a:` for `meta.a.b`. Undefined if none does. */
export const columnAmong = (columns: readonly string[], field: string): string | undefined => {
  const names = field.split('.');
  const paths = names.map((_, index) => names.slice(0, names.length - index).join('.'));
  const found = paths.flatMap((path) => [path, `${path}:`]).find((name) => columns.includes(name));
  return found ?? columns.find((name) => name.startsWith(`${field}.`));
};

/**
 * The field that sets a property, and the rest of the property's path. It shares the longest beginning with the path.
 * A field that is set comes first if the property is a part of it. A service may also call a field by its own name.
 * `known` are other names that occur in paths.
 */
const findField = (
  fields: FieldTable,
  path: string,
  isSet: (name: string, rest: readonly string[]) => boolean,
  known: readonly string[] = [],
) => {
  const properties = Object.entries(fields).flatMap(([name, { property = name }]) =>
    [property || name, name].flat().map((own) => ({ name, own: own.split('.') })),
  );
  const names = namesAlong(path, [...properties.flatMap(({ own }) => own), ...known]);
  const ranked = properties.flatMap(({ name, own }) => {
    const other = own.findIndex((one, index) => one !== names[index]);
    const shared = other === -1 ? own.length : other;
    const rest = names.slice(shared);
    const more = isSet(name, rest) ? (other === -1 ? names.length : 0.5) : 0;
    return shared === 0 ? [] : [{ name, rest, rank: shared + more }];
  });
  return ranked.sort((one, next) => next.rank - one.rank)[0];
};

/** Finds the option that sets a property: a given one, or --data. Undefined if neither does. */
export const findGivenFlag =
  (fields: FieldTable, given: FieldValues, data: FieldValues): FlagOf =>
  (path) => {
    const name = findField(fields, path, (one) => given[one] !== undefined)?.name ?? '';
    const { clear } = given;
    if (Array.isArray(clear) && clear.includes(name)) return `--clear ${name}`;
    if (given[name] !== undefined && fields[name]?.flags !== undefined) return asFlag(name);
    return Object.hasOwn(data, namesAlong(path, Object.keys(data))[0] ?? '') ? '--data' : undefined;
  };

/** Finds the option that sets a property, or could set it. */
export const findFlag =
  (fields: FieldTable, given: FieldValues, data: FieldValues = {}): FlagOf =>
  (path) => {
    const name = findField(fields, path, (one) => given[one] !== undefined)?.name ?? '';
    return findGivenFlag(fields, given, data)(path) ?? (fields[name]?.flags && asFlag(name));
  };

/** Names what sets a property for a row: a column, else an option, else the column that could. */
export const findColumn = (
  fields: FieldTable,
  columns: readonly string[],
  given: FieldValues,
  data: FieldValues = {},
): FlagOf => {
  const parts = columns.flatMap((name) => name.replace(/:$/, '').split('.'));
  const among = (name: string, rest: readonly string[]): string | undefined =>
    ownColumns(name, fields[name] ?? {})
      .map((column) => columnAmong(columns, [column, ...rest].join('.')))
      .find((column) => column !== undefined);
  return (path) => {
    const isSet = (name: string, rest: readonly string[]) =>
      given[name] !== undefined || among(name, rest) !== undefined;
    const { name, rest } = findField(fields, path, isSet, parts) ?? { name: '', rest: [] };
    const [column] = ownColumns(name, fields[name] ?? {});
    const could = column ? [column, ...rest].join('.') : path;
    return among(name, rest) ?? findGivenFlag(fields, given, data)(path) ?? could;
  };
};

/**
 * The text of an amount, or its number in NDJSON. In the minor unit it may be a number there. With decimals it must be a
 * text, which keeps its zeros.
 */
const amountCell = (cells: Cells, column: string): string | undefined => {
  const given = cells.given.get(column);
  if (typeof given !== 'number' && !(given instanceof NumberText)) return cells.text(column);
  if (column === 'amount_minor') return String(given);
  cells.fault(column, 'should be text, such as "7000.00"; a number belongs in amount_minor');
  return undefined;
};

const givenIn = (cells: Cells): GivenAmount | undefined => {
  const [amount, minor] = [amountCell(cells, 'amount'), amountCell(cells, 'amount_minor')];
  if (amount !== undefined && minor !== undefined) cells.fault('amount', "can't be used together with amount_minor");
  // In CSV every number is text: a spreadsheet drops the decimals of 7000.00.
  if (amount !== undefined) return { flag: '--amount', text: amount, isMajor: cells.format === 'csv' };
  return minor === undefined ? undefined : { flag: '--amount-minor', text: minor };
};

/**
 * Amount of a row in the minor unit, and its currency. Undefined if the row has none, or if it is wrong (reported as a
 * fault).
 */
export const amountIn = (
  cells: Cells,
  currency: string | undefined,
): { readonly minor: number; readonly currency: string } | undefined => {
  const given = givenIn(cells);
  if (given === undefined) return undefined;
  if (currency === undefined) {
    cells.fault('currency', 'is missing: the currency of the amount, such as NGN');
    return undefined;
  }
  const read = readGiven(given, currency);
  if ('minor' in read) return { minor: read.minor, currency };
  const column = given.flag === '--amount' ? 'amount' : 'amount_minor';
  cells.fault(
    column,
    `${read.problem}; ${read.hint.replace(/--(amount(?:-minor)?) /g, (_, name: string) => `${name.replace('-', '_')} `)}`,
  );
  return undefined;
};
