import type { RowKind } from '../../bulk/kind.ts';
import { machineValue } from '../../core/charge.ts';
import { findColumn, listColumns } from '../fields.ts';
import { checkByHand, madeColumns, openMaker } from '../make.ts';
import type { Run } from '../run.ts';
import { BY_EMAIL } from './create.ts';
import type { CustomerBody, GivenFields } from './fields.ts';
import { NEW_FIELDS } from './fields-shared.ts';
import { flagBeside, updateFields, updateOptionsText } from './update-kind.ts';

const EMAIL_COLUMN = 'email';

/** Row kind for a file of new customers. Options give the fields for which the file has no column. */
export const customersKind = (fields: GivenFields, run: Run): RowKind<CustomerBody> => {
  const addressOf = (body: CustomerBody): string => BY_EMAIL.folded(machineValue(body[EMAIL_COLUMN]));
  const request = (body: CustomerBody) => ({ operation: 'onye.create', input: { body } }) as const;
  return {
    command: 'onye create',
    words: { verb: 'Create', one: 'customer', done: 'created', findOut: checkByHand(run.globals) },
    key: { name: EMAIL_COLUMN, aliases: ['e-mail', 'mail', 'onye.email'], missing: 'is missing' },
    keyOf: addressOf,
    columns: listColumns(NEW_FIELDS, EMAIL_COLUMN),
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
