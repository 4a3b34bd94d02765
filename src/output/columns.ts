import { memo } from '../core/async.ts';
import { BOUNDS } from '../core/bounds.ts';
import { type PayError, usageError } from '../core/error.ts';
import { isJsonObject, valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { CellKind, Column, OutputOptions, View } from '../core/result.ts';
import { didYouMean } from '../core/text.ts';
import { exactValue, isBlank, kindOfName, valueIn } from './cell.ts';

const firstSegment = (path: string): string => path.split('.', 1)[0] ?? path;

/** The number of columns to list after an unknown name. */
const MOST_PATHS = 200;

const addPaths = (value: unknown, prefix: string, paths: Set<string>): void => {
  if ((!isJsonObject(value) && !Array.isArray(value)) || prefix.length > BOUNDS.path) return;
  for (const [name, member] of Object.entries(value)) {
    if (paths.size >= MOST_PATHS) return;
    paths.add(prefix + name);
    addPaths(member, `${prefix}${name}.`, paths);
  }
};

/** The dotted paths present in any of the values, through objects and list elements. */
const pathsIn = (values: readonly unknown[]): Set<string> => {
  const paths = new Set<string>();
  for (const value of values) addPaths(value, '', paths);
  return paths;
};

const withKind = (column: Column): Column => {
  const kind = column.kind ?? kindOfName(column.path);
  return kind === undefined ? column : { ...column, kind };
};

/** A column that no view describes. */
export const columnAt = (path: string): Column => withKind({ path });

/** The columns for programs, which `--columns` can name. */
const contractColumns = ({ columns }: View): readonly Column[] =>
  columns.filter(({ peopleOnly }) => peopleOnly !== true).map(withKind);

/** The column at a path, as the view describes it. */
export const columnFor = (path: string, { columns }: View): Column =>
  withKind(columns.find((one) => one.path === path) ?? { path });

const viewPaths = (view: View): string[] => contractColumns(view).map(({ path }) => path);

const unknownColumn = (name: string, known: readonly string[]): PayError => {
  const meant = didYouMean(name, known);
  const listed = `known columns: ${known.join(', ')}`;
  return usageError(`no column ${JSON.stringify(name)}`, {
    hint: meant === undefined ? listed : `did you mean ${meant}?\n${listed}`,
  });
};

const MINOR = '_minor';

/**
 * The name of a column in tsv and csv. Amounts there are in the minor unit (kobo), and their name says so; with
 * --decimal, they are not.
 */
export const machineName = (
  { path, kind }: Column,
  { decimal = false }: Pick<OutputOptions, 'decimal'> = {},
): string => (kind === 'money' && !decimal ? `${path}${MINOR}` : path);

/** The column that a name means in tables, or in tsv and csv. */
const namedColumn = (name: string): Column => {
  const money = columnAt(name.endsWith(MINOR) ? name.slice(0, -MINOR.length) : name);
  return money.kind === 'money' ? money : columnAt(name);
};

/** The column of each name, as tables or as tsv and csv give it. A count that was named is shown even where it is 0. */
export const namedColumns = (names: readonly string[], view: View): readonly Column[] => {
  const columns = contractColumns(view);
  return names.map((name) => {
    const known = columns.find((column) => name === column.path || name === machineName(column));
    return known?.kind === 'count' ? { ...known, always: true } : (known ?? namedColumn(name));
  });
};

/**
 * The columns for `--columns` as far as the view alone can tell: the first segment must be known. Called before a
 * write, whose answer must not be lost because of a misspelt name. A view without columns accepts every name.
 */
export const checkColumnsAhead = (names: readonly string[], view: View): readonly Column[] => {
  const [columns, known] = [namedColumns(names, view), viewPaths(view)];
  const roots = new Set(known.map(firstSegment));
  for (const { path } of columns) {
    if (known.length > 0 && !roots.has(firstSegment(path))) throw unknownColumn(path, known);
  }
  return columns;
};

/**
 * The columns for `--columns`. Known are the view's paths, their first segments, and every path in `records` (the first
 * page of a list). Without records, only the view is checked. Throws a usage error that lists the known columns.
 */
export const readColumns = (
  names: readonly string[],
  view: View,
  records: readonly ApiRecord[] = [],
): readonly Column[] => {
  if (records.length === 0) return checkColumnsAhead(names, view);
  const columns = namedColumns(names, view);
  const known = new Set([...viewPaths(view), ...viewPaths(view).map(firstSegment)]);
  const values = memo(() => records.map(exactValue));
  for (const { path } of columns) {
    if (known.has(path) || values().some((value) => valueAt(value, path) !== undefined)) continue;
    const named = [...viewPaths(view), ...pathsIn(values())].filter((one) => !/(?:^|\.)\d+(?:\.|$)/.test(one));
    throw unknownColumn(path, [...new Set(named)]);
  }
  return columns;
};

/**
 * Like `readColumns`, for the single record of a command. It may be the answer to a completed write, so every name that
 * passed `checkColumnsAhead` passes here, too, and is empty where the record lacks it.
 */
export const checkRecordColumns = (names: readonly string[], view: View, record: ApiRecord): readonly Column[] => {
  const columns = namedColumns(names, view);
  const roots = new Set(viewPaths(view).map(firstSegment));
  const others = columns.map(({ path }) => path).filter((path) => !roots.has(firstSegment(path)));
  readColumns(others, view, [record]);
  return columns;
};

/** The columns of tsv and csv: the view's, or every top-level field of `records` where the view has none. */
export const machineColumns = (view: View, records: readonly ApiRecord[]): readonly Column[] => {
  if (view.columns.length > 0) return contractColumns(view);
  const names = new Set(records.flatMap(({ value }) => (isJsonObject(value) ? Object.keys(value) : [])));
  return [...names].map(columnAt);
};

const isWorthShowing = (value: unknown, kind: CellKind | undefined): boolean =>
  !isBlank(value) && !(kind === 'count' && value === 0);

/**
 * The columns of a table: those with a value in one of `records`, and those that are always shown. If no column has a
 * value, all of them. Excludes columns that are for cards or programs only.
 */
export const tableColumns = (view: View, records: readonly ApiRecord[]): readonly Column[] => {
  const all = view.table ?? (view.columns.length > 0 ? view.columns : machineColumns(view, records));
  const candidates = all.filter(({ machineOnly, cardOnly }) => machineOnly !== true && cardOnly !== true);
  const used = candidates.filter(
    (column) =>
      column.always === true || records.some(({ value }) => isWorthShowing(valueIn(value, column), column.kind)),
  );
  return used.length > 0 ? used : candidates;
};
