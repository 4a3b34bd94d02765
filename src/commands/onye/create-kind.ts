import type { Cells } from '../../bulk/cells.ts';
import type { RowKind } from '../../bulk/kind.ts';
import type { Client } from '../../client/client.ts';
import { machineValue } from '../../core/charge.ts';
import { definedIn, printExact } from '../../core/json.ts';
import type { Deps } from '../deps.ts';
import { findOutByHand, madeColumns, rowsMade } from '../make.ts';
import { BY_EMAIL, type OnyeBody } from './create.ts';
import { bodyOf, flagOf, type OnyeFields } from './fields.ts';
import { checkColumns, columnAmong, flagBeside, isCreated } from './update-kind.ts';

const EMAIL = 'email';
const TEXTS = ['ref', 'first_name', 'last_name'];
const OBJECTS = ['billing_address', 'meta'];

const readRow = (cells: Cells, email: string, fields: OnyeFields): OnyeBody => {
  // NDJSON rows may have different names, so the first row is not enough.
  for (const column of [...cells.given.keys()].filter((name) => name !== EMAIL && isCreated(name))) {
    const flag = flagBeside(column, { fields, change: undefined });
    if (flag !== undefined) cells.fault(column, `sets the same field as ${flag}`);
  }
  const texts = TEXTS.map((name) => [name, cells.text(name)]);
  const objects = OBJECTS.map((name) => [name, cells.object(name)]);
  return { ...bodyOf(fields), email, ...definedIn<unknown>(Object.fromEntries([...texts, ...objects])) };
};

/** Row kind for a file of new customers. Options give the fields for which the file has no column. */
export const createKind = (fields: OnyeFields, client: Client, deps: Deps): RowKind<OnyeBody> => {
  const addressOf = (body: OnyeBody): string => BY_EMAIL.folded(machineValue(body[EMAIL]));
  const request = (body: OnyeBody) => ({ operation: 'onye.create', input: { body } }) as const;
  return {
    command: 'onye create',
    words: { verb: 'Create', one: 'customer', done: 'created', findOut: findOutByHand(deps.globals) },
    key: { name: EMAIL, aliases: ['e-mail', 'mail', 'onye.email'], missing: 'is missing' },
    keyOf: addressOf,
    columns: [...TEXTS, ...OBJECTS, ...OBJECTS.map((name) => `${name}.`)],
    allColumns: 'email, ref, first_name, last_name, billing_address.k, meta.k',
    report: madeColumns('uid'),
    options: printExact([...fields].map(([name, { value }]) => [name, value])),
    checkColumns: (columns) => checkColumns(columns.filter(isCreated), { fields, change: undefined }),
    read: (cells, email) => readRow(cells, email, fields),
    request,
    columnOf: (_body, columns) => (path) => columnAmong(columns, path) ?? flagOf(fields)(path) ?? path,
    counts: (body) => Object.keys(body).filter((name) => name !== EMAIL),
    sending: rowsMade({ request, about: addressOf, unique: BY_EMAIL, uidColumn: 'uid' }, client, deps),
  };
};
