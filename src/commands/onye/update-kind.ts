import type { Cells } from '../../bulk/cells.ts';
import type { Repeatable, RowKind } from '../../bulk/kind.ts';
import type { Client } from '../../client/client.ts';
import { usageError } from '../../core/error.ts';
import type { FlagOf } from '../../core/input.ts';
import { definedIn, namesAlong, printExact } from '../../core/json.ts';
import { columnAmong } from '../fields.ts';
import {
  bodyOf,
  changeFlag,
  customerToMerge,
  flagOf,
  type MetaChange,
  mergedBody,
  metaOf,
  readCustomer,
} from './fields.ts';
import { OBJECTS, TEXTS } from './fields-shared.ts';
import type { GivenFields } from './update.ts';
import { isApplied, isMerged } from './update-seen.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The update of one row. */
export interface UpdateItem {
  readonly uid: string;
  readonly body: Fields;
  /** The part that the row and the options give; the rest comes from a read. */
  readonly typed: Fields;
  /** Change of metadata keys, which needs a read first. */
  readonly change: MetaChange | undefined;
}

const UID = 'uid';
const META = 'meta';
/** Column that sets some metadata keys; the others stay. */
const MERGE = 'merge_meta';
const PARTED = [...OBJECTS, MERGE];

/** Names of fields in the question. Other fields use their own name. */
const WORDS: Readonly<Record<string, string>> = { [META]: 'all metadata', [MERGE]: 'keys of metadata' };

/** The body field that a column sets, wholly or in part. `merge_meta` counts as its own field. */
const fieldOf = (column: string): string | undefined => {
  if (TEXTS.some((name) => name === column)) return column;
  return PARTED.find((name) => column === name || column.startsWith(`${name}.`));
};

/** The flag that sets the same field as a column, or the metadata in another way. */
export const flagBeside =
  ({ fields, change }: GivenFields): FlagOf =>
  (column) => {
    const field = fieldOf(column) ?? '';
    if (field === META && change !== undefined) return changeFlag(change);
    if (field !== MERGE) return fields.get(field)?.flag;
    return Object.keys(change?.set ?? {}).length > 0 ? '--merge-meta' : fields.get(META)?.flag;
  };

const isOf = (field: string) => (column: string) => fieldOf(column) === field;

/** Throws a usage error if columns replace the metadata and others merge into it. */
const checkColumns = (columns: readonly string[]): void => {
  const [whole, part] = [columns.find(isOf(META)), columns.find(isOf(MERGE))];
  if (whole === undefined || part === undefined) return;
  throw usageError(`the columns ${JSON.stringify(whole)} and ${JSON.stringify(part)} can't be used together`, {
    hint: `${META} replaces all metadata, ${MERGE} keeps the other keys: use one of them`,
  });
};

/** The fields that a row sets. The contract judges a value that is no text. */
export const fieldsOf = (cells: Cells): Fields =>
  definedIn<unknown>({
    ...Object.fromEntries(TEXTS.map((name) => [name, cells.given.get(name)])),
    ...Object.fromEntries(OBJECTS.map((name) => [name, cells.object(name)])),
  });

/** Metadata changes of a row: those of its columns and those of the options. */
const changeOf = (cells: Cells, { change }: GivenFields): MetaChange | undefined => {
  const own = cells.object(MERGE) ?? {};
  const unset = change?.unset ?? [];
  for (const name of Object.keys(own).filter((one) => unset.includes(one))) {
    cells.fault(columnAmong([...cells.given.keys()], `${MERGE}.${name}`), `"${name}" is also in --unset-meta`);
  }
  const set = { ...change?.set, ...own };
  return unset.length + Object.keys(set).length === 0 ? undefined : { set, unset };
};

/**
 * Reads a row's update (interface.md 4.1): its own fields and those of the options. An empty CSV cell and null leave a
 * field unchanged; an empty NDJSON text sets it. Does not check the contract.
 */
const readRow = (cells: Cells, uid: string, options: GivenFields): UpdateItem => {
  const columns = [...cells.given.keys()];
  const both = columns.some(isOf(META)) ? columns.find(isOf(MERGE)) : undefined;
  if (both !== undefined) cells.fault(both, `can't be used together with ${META}`);
  const body = { ...bodyOf(options.fields), ...fieldsOf(cells) };
  const before = cells.faults.length;
  const change = changeOf(cells, options);
  if (Object.keys(body).length === 0 && change === undefined && cells.faults.length === before) {
    cells.fault(undefined, 'changes nothing: no field is set');
  }
  return { uid, body, typed: { ...body, ...(change && { [META]: change.set }) }, change };
};

/** The column that set a property of the body, else the flag. */
export const columnOf =
  ({ fields }: GivenFields, columns: readonly string[]): FlagOf =>
  (path) => {
    const known = [...TEXTS, ...OBJECTS, ...columns.flatMap((name) => name.replace(/:$/, '').split('.'))];
    const field = namesAlong(path, known).join('.');
    const merges = fieldOf(field) === META ? columnAmong(columns, `merge_${field}`) : undefined;
    return columnAmong(columns, field) ?? merges ?? flagOf(fields)(path) ?? path;
  };

/** The options as a text, for the id of the job. */
export const optionsText = ({ fields, change }: GivenFields): string => {
  const given = [...fields].map(([name, { value }]) => [name, value]);
  return printExact(change === undefined ? given : [...given, change]);
};

const sending = (client: Client): Repeatable<UpdateItem> => ({
  kind: 'repeatable',
  readsFirst: ({ change }) => change !== undefined,
  look: async (item) => {
    const { uid, body, typed, change } = item;
    if (change === undefined) {
      return { applied: isApplied((await readCustomer(uid, client)).exact, body), item };
    }
    const { exact } = await customerToMerge(uid, client);
    const whole = mergedBody(body, exact, change);
    return {
      applied: isMerged(metaOf(exact) ?? {}, change) && isApplied(exact, body),
      item: Object.keys(whole).length === 0 ? undefined : { uid, body: whole, typed, change: undefined },
    };
  },
});

/** Row kind for a file of updates. Options give the fields for which the file has no column. */
export const updateKind = (options: GivenFields, client: Client): RowKind<UpdateItem> => ({
  command: 'onye update',
  words: {
    verb: 'Update',
    one: 'customer',
    done: 'updated',
    findOut: 'run the same command again: it checks customers whose update is unknown before it sends anything',
  },
  key: {
    name: UID,
    prefix: 'ony',
    aliases: ['onye', 'onye.uid'],
    missing: 'is missing',
    wrong: (_text, problem) => problem,
  },
  columns: [...TEXTS, ...PARTED.map((name) => `${name}.k`)],
  report: [],
  options: optionsText(options),
  flagOf: flagBeside(options),
  checkColumns,
  read: (cells, uid) => readRow(cells, uid, options),
  request: ({ uid, body, typed }) => ({ operation: 'onye.update', input: { params: { uid }, body, typed } }),
  columnOf: (_item, columns) => columnOf(options, columns),
  counts: ({ body, change }) =>
    [...Object.keys(body), ...(change === undefined ? [] : [MERGE])].map((name) => WORDS[name] ?? name),
  check: async ({ uid }) => {
    await client.call('onye.get', { params: { uid } });
    return [];
  },
  sending: sending(client),
});
