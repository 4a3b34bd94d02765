import type { RowKind } from '../../bulk/kind.ts';
import type { Cells } from '../../bulk/reading/cells.ts';
import type { Client } from '../../client/client.ts';
import { usageError } from '../../core/error.ts';
import { printExact } from '../../core/json.ts';
import { machineValue } from '../../core/medium.ts';
import type { Deps } from '../deps.ts';
import { findOutByHand, madeColumns, rowsMade } from '../make-rows.ts';
import type { Body } from './create-body.ts';
import { BY_EMAIL } from './create-body.ts';
import type { Fields } from './fields.ts';
import { bodyOf, flagOf } from './fields.ts';
import { columnAmong } from './update-kind.ts';

const EMAIL = 'email';
const TEXTS = ['ref', 'first_name', 'last_name'];
const OBJECTS = ['billing_address', 'meta'];

/** The flag of an option that gives what a column gives. */
const flagBeside = (column: string, fields: Fields): string | undefined => fields.get(column.split('.')[0] ?? '')?.flag;

const checkColumns = (columns: readonly string[], fields: Fields): void => {
  for (const column of columns.filter((name) => name === EMAIL || isRead(name))) {
    const flag = flagBeside(column, fields);
    if (flag === undefined) continue;
    throw usageError(`${flag} and the column ${JSON.stringify(column)} set the same field`, {
      hint: 'use one of them',
    });
  }
};

const isRead = (column: string): boolean =>
  TEXTS.includes(column) || OBJECTS.some((name) => column === name || column.startsWith(`${name}.`));

const readRow = (cells: Cells, email: string, fields: Fields): Body => {
  // The rows of NDJSON may differ in their names, so that the first of them does not tell all.
  for (const column of [...cells.given.keys()].filter(isRead)) {
    const flag = flagBeside(column, fields);
    if (flag !== undefined) cells.fault(column, `sets the same field as ${flag}`);
  }
  const own = [
    ...TEXTS.map((name) => [name, cells.text(name)] as const),
    ...OBJECTS.map((name) => [name, cells.object(name)] as const),
  ];
  return { ...bodyOf(fields), email, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
};

/** The rows of a file of new customers; the options give what the file has no column for. */
export const createKind = (fields: Fields, client: Client, deps: Deps): RowKind<Body> => {
  const addressOf = (body: Body): string => BY_EMAIL.folded(machineValue(body[EMAIL]));
  const request = (body: Body) => ({ operation: 'onye.create', input: { body } }) as const;
  return {
    command: 'onye create',
    words: { verb: 'Create', one: 'customer', done: 'created', findOut: findOutByHand(deps.globals) },
    key: { name: EMAIL, aliases: ['e-mail', 'mail', 'onye.email'], missing: 'is missing' },
    keyOf: addressOf,
    columns: [...TEXTS, ...OBJECTS, ...OBJECTS.map((name) => `${name}.`)],
    allColumns: 'email, ref, first_name, last_name, billing_address.k, meta.k',
    report: madeColumns('uid'),
    options: printExact([...fields].map(([name, { value }]) => [name, value])),
    checkColumns: (columns) => checkColumns(columns, fields),
    read: (cells, email) => readRow(cells, email, fields),
    request,
    columnOf: (_body, columns) => (path) => columnAmong(columns, path) ?? flagOf(fields)(path) ?? path,
    counts: (body) => Object.keys(body).filter((name) => name !== EMAIL),
    sending: rowsMade({ request, about: addressOf, unique: BY_EMAIL, uidColumn: 'uid' }, client, deps),
  };
};
