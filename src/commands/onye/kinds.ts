import type { Cells } from '../../bulk/cells.ts';
import type { RowJob, RowKind } from '../../bulk/kind.ts';
import { type Repeatable, RepeatableRows } from '../../bulk/send-row.ts';
import type { Client } from '../../client/client.ts';
import { counted } from '../../core/bounds.ts';
import { machineValue, textAt } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import type { FlagOf } from '../../core/input.ts';
import { definedIn, printExact } from '../../core/json.ts';
import { columnAmong, findColumn, findGivenFlag, listColumns, listTexts } from '../fields.ts';
import { CHECK_BY_HAND, madeColumns, openMaker } from '../make.ts';
import { refuseRenamed } from '../record.ts';
import { BY_EMAIL } from './create.ts';
import {
  type CustomerBody,
  customerShown,
  customerToMerge,
  type GivenFields,
  keyNames,
  keysLost,
  type MetaChange,
  mergedBody,
  metaOf,
  readCustomer,
} from './fields.ts';
import { CHANGED_FIELDS, NEW_FIELDS } from './fields-shared.ts';
import { isApplied, isMerged } from './update-seen.ts';

interface UpdateItem {
  readonly uid: string;
  /** The e-mail address by which the customer was found; undefined if the row has the id. */
  readonly name: string | undefined;
  readonly body: CustomerBody;
  /** The part that the row and the options give; the rest comes from a read. */
  readonly typed: CustomerBody;
  /** Change of metadata keys, which needs a read first. */
  readonly change: MetaChange | undefined;
}

const EMAIL_COLUMN = 'email';
const EXAMPLE_EMAIL = 'EXAMPLE@example.com';
const UID = 'uid';
const META_COLUMN = 'meta';
const ADDRESS = 'billing_address';
/** Column that sets some metadata keys; the others stay. */
const MERGE = 'merge_meta';

type Replacing = Pick<GivenFields, 'replaceMeta'>;

const isColumnOf = (column: string, object: string): boolean => column.startsWith(`${object}.`);

/** True for a column whose values replace all metadata. */
const replaces = (column: string, { replaceMeta = false }: Replacing): boolean =>
  column === META_COLUMN || (replaceMeta && isColumnOf(column, META_COLUMN));

const merges = (column: string): boolean => column === MERGE || isColumnOf(column, MERGE);

/** Names of fields in the question. Other fields use their own name. */
const WORDS_FOR_META: Readonly<Record<string, string>> = { [META_COLUMN]: 'all metadata', [MERGE]: 'keys of metadata' };

/** The flag that sets the same field as a column, or the metadata in another way. */
const flagBeside =
  ({ given, body, ...options }: GivenFields): FlagOf =>
  (column) => {
    const [field = ''] = column.split('.');
    if (merges(column) || (field === META_COLUMN && !replaces(column, options))) {
      return findGivenFlag(CHANGED_FIELDS, { ...given, unset_meta: undefined }, body)(META_COLUMN);
    }
    return findGivenFlag(CHANGED_FIELDS, given, body)(field);
  };

/** Throws a usage error if columns replace the metadata and others merge into it. */
const checkUpdateColumns = (columns: readonly string[], options: Replacing): void => {
  const [whole, part] = [columns.find((column) => replaces(column, options)), columns.find(merges)];
  if (whole === undefined || part === undefined) return;
  throw usageError(`the columns ${JSON.stringify(whole)} and ${JSON.stringify(part)} can't be used together`, {
    hint: `${JSON.stringify(whole)} replaces all metadata, ${JSON.stringify(part)} keeps the other keys: use one of them`,
  });
};

/** The fields that a row sets. The contract judges a value that is no text. */
const updateFields = (cells: Cells, objects: readonly string[] = [ADDRESS, META_COLUMN]): CustomerBody =>
  definedIn<unknown>({
    ...Object.fromEntries(listTexts(CHANGED_FIELDS).map((name) => [name, cells.given.get(name)])),
    ...Object.fromEntries(objects.map((name) => [name, cells.object(name)])),
  });

/** Metadata changes of a row: `own`, those of its columns, and those of the options. */
const changeOf = (cells: Cells, own: CustomerBody, { change }: GivenFields): MetaChange | undefined => {
  const unset = change?.unset ?? [];
  for (const name of Object.keys(own).filter((one) => unset.includes(one))) {
    const columns = [...cells.given.keys()];
    const column = columnAmong(columns, `${META_COLUMN}.${name}`) ?? columnAmong(columns, `${MERGE}.${name}`);
    cells.fault(column, `"${name}" is also in --unset-meta`);
  }
  const set = { ...change?.set, ...own };
  return unset.length + Object.keys(set).length === 0 ? undefined : { set, unset };
};

/**
 * Reads a row's update (docs/service.md, Customers): its own fields and those of the options. An empty CSV cell and null
 * leave a field unchanged. An empty NDJSON text sets it. Single keys of the metadata are merged, unless the row also
 * replaces it. Does not check the contract.
 */
const readUpdateRow = (cells: Cells, uid: string, name: string | undefined, options: GivenFields): UpdateItem => {
  const columns = [...cells.given.keys()];
  const isWhole = columns.some((column) => replaces(column, options));
  const both = isWhole ? columns.find(merges) : undefined;
  if (both !== undefined) cells.fault(both, `can't be used together with ${META_COLUMN}`);
  const body = { ...options.body, ...updateFields(cells, isWhole ? [ADDRESS, META_COLUMN] : [ADDRESS]) };
  const before = cells.faults.length;
  const change = changeOf(cells, (isWhole ? undefined : cells.object(META_COLUMN, MERGE)) ?? {}, options);
  if (Object.keys(body).length === 0 && change === undefined && cells.faults.length === before) {
    cells.fault(undefined, 'changes nothing: no field is set');
  }
  return { uid, name, body, typed: { ...body, ...(change && { [META_COLUMN]: change.set }) }, change };
};

/** The options as a text, for the id of the job. */
const updateOptionsText = ({ body, change }: GivenFields): string =>
  printExact([...Object.entries(body), ...(change === undefined ? [] : [change])]);

const updateSending = ({ client }: Pick<RowJob<UpdateItem>, 'client'>): Omit<Repeatable<UpdateItem>, 'request'> => ({
  readsFirst: ({ name, change }) => name !== undefined || change !== undefined,
  look: async (item) => {
    const { uid, name, body, typed, change } = item;
    const { exact } = await (change === undefined ? readCustomer : customerToMerge)(uid, client);
    const applied = isApplied(exact, body) && (change === undefined || isMerged(metaOf(exact) ?? {}, change));
    // An update that is in effect may have changed the e-mail address.
    if (!applied) refuseRenamed('ony', { uid, name }, textAt(exact, EMAIL_COLUMN));
    if (change === undefined) return { applied, item };
    const whole = mergedBody(body, exact, change);
    return {
      applied,
      item: Object.keys(whole).length === 0 ? undefined : { ...item, body: whole, typed, change: undefined },
    };
  },
});

/** The metadata keys and parts of the address that an update would remove; undefined if the service doesn't show them. */
const lostBy = (body: CustomerBody, customer: unknown): readonly string[] | undefined => {
  const [meta, { [ADDRESS]: address }] = [metaOf(Object(customer)), Object(customer)];
  if (customer === undefined || (META_COLUMN in body && meta === undefined)) return undefined;
  const parts = ADDRESS in body ? keysLost(address, body[ADDRESS]).filter((part) => address[part]) : [];
  return [
    ...(META_COLUMN in body ? keysLost(meta, body[META_COLUMN]) : []),
    ...parts.map((part) => `${ADDRESS}.${part}`),
  ];
};

/** Collects what rows remove by replacing metadata or an address as a whole. */
const openLosses = () => {
  const lost = new Set<string>();
  let [losing, unseen] = [0, 0];
  return {
    add: (names: readonly string[] | undefined): void => {
      if (names === undefined) unseen += 1;
      else if (names.length > 0) losing += 1;
      for (const name of names ?? []) lost.add(name);
    },
    warnings: (): readonly string[] => [
      ...(losing === 0
        ? []
        : [
            `Metadata or addresses are replaced as a whole. ${counted(losing, 'row')} would remove: ${keyNames([...lost])}. ` +
              'Columns such as meta.tier (without --replace-meta) keep the other keys; give an address all its parts.',
          ]),
      ...(unseen === 0 ? [] : [`The service doesn't show what ${counted(unseen, 'row')} would remove.`]),
    ],
  };
};

/**
 * Row kind for a file of updates. Options give the fields for which the file has no column. `reader` opens the client
 * for reads before anything is sent: a dry run has none without need.
 */
export const updateKind = (options: GivenFields, reader?: () => Promise<Client>): RowKind<UpdateItem> => {
  const { add, warnings } = openLosses();
  const request: RowKind<UpdateItem>['request'] = ({ uid, body, typed }) => ({
    operation: 'onye.update',
    input: { params: { uid }, body, typed },
  });
  return {
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
    named: [UID, 'ony'],
    columns: listColumns(CHANGED_FIELDS),
    example: { [UID]: 'ony.EXAMPLE', [EMAIL_COLUMN]: EXAMPLE_EMAIL },
    report: [],
    options: `${updateOptionsText(options)}${options.replaceMeta === true ? ' replace-meta' : ''}`,
    flagOf: flagBeside(options),
    checkColumns: (columns) => checkUpdateColumns(columns, options),
    read: (cells, uid, name) => readUpdateRow(cells, uid, name, options),
    request,
    columnOf: (_item, columns) => findColumn(CHANGED_FIELDS, columns, options.given, options.body),
    counts: ({ body, change }) =>
      [...Object.keys(body), ...(change === undefined ? [] : [MERGE])].map((name) => WORDS_FOR_META[name] ?? name),
    compares: ({ body }) => META_COLUMN in body || ADDRESS in body,
    check: async ({ uid, body }, { check, client }) => {
      const read = (await reader?.())?.paced(client.pace ?? {}) ?? client;
      add(lostBy(body, check ? (await readCustomer(uid, read)).exact : await customerShown(uid, read)));
      return [];
    },
    warnings,
    openSender: (job) => new RepeatableRows({ request, ...updateSending(job) }, job),
  };
};

/** Row kind for a file of new customers. Options give the fields for which the file has no column. */
export const customersKind = (fields: GivenFields): RowKind<CustomerBody> => {
  const addressOf = (body: CustomerBody): string => BY_EMAIL.folded(machineValue(body[EMAIL_COLUMN]));
  const request = (body: CustomerBody) => ({ operation: 'onye.create', input: { body } }) as const;
  return {
    command: 'onye create',
    words: { verb: 'Create', one: 'customer', done: 'created', findOut: CHECK_BY_HAND },
    key: { name: EMAIL_COLUMN, aliases: ['e-mail', 'mail', 'onye.email'], missing: 'is missing' },
    keyOf: addressOf,
    columns: listColumns(NEW_FIELDS, EMAIL_COLUMN),
    example: { [EMAIL_COLUMN]: EXAMPLE_EMAIL, first_name: 'Ada', last_name: 'Obi' },
    report: madeColumns('uid'),
    options: updateOptionsText(fields),
    flagOf: flagBeside(fields),
    read: (cells) => ({ ...fields.body, ...updateFields(cells) }),
    request,
    columnOf: (_body, columns) => findColumn(NEW_FIELDS, columns, fields.given, fields.body),
    counts: (body) => Object.keys(body).filter((name) => name !== EMAIL_COLUMN),
    openSender: (job) => openMaker({ request, about: addressOf, unique: BY_EMAIL, uidColumn: 'uid' }, job),
  };
};
