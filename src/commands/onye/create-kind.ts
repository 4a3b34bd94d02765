import type { RowKind } from '../../bulk/kind.ts';
import type { Client } from '../../client/client.ts';
import { machineValue } from '../../core/charge.ts';
import { checkByHand, madeColumns, rowsMade } from '../make.ts';
import type { Run } from '../run.ts';
import { BY_EMAIL, type OnyeBody } from './create.ts';
import { bodyOf, type OnyeFields } from './fields.ts';
import { OBJECTS, TEXTS } from './fields-shared.ts';
import { ADDRESS_COLUMNS, columnOf, fieldsOf, flagBeside, optionsText } from './update-kind.ts';

const EMAIL = 'email';

/** Row kind for a file of new customers. Options give the fields for which the file has no column. */
export const createKind = (fields: OnyeFields, client: Client, run: Run): RowKind<OnyeBody> => {
  const given = { fields, change: undefined, replaceMeta: true };
  const addressOf = (body: OnyeBody): string => BY_EMAIL.folded(machineValue(body[EMAIL]));
  const request = (body: OnyeBody) => ({ operation: 'onye.create', input: { body } }) as const;
  return {
    command: 'onye create',
    words: { verb: 'Create', one: 'customer', done: 'created', findOut: checkByHand(run.globals) },
    key: { name: EMAIL, aliases: ['e-mail', 'mail', 'onye.email'], missing: 'is missing' },
    keyOf: addressOf,
    columns: [...TEXTS.filter((name) => name !== EMAIL), ...OBJECTS.map((name) => `${name}.k`), ...ADDRESS_COLUMNS],
    report: madeColumns('uid'),
    options: optionsText(given),
    flagOf: flagBeside(given),
    read: (cells) => ({ ...bodyOf(fields), ...fieldsOf(cells) }),
    request,
    columnOf: (_body, columns) => columnOf(given, columns),
    counts: (body) => Object.keys(body).filter((name) => name !== EMAIL),
    sending: rowsMade({ request, about: addressOf, unique: BY_EMAIL, uidColumn: 'uid' }, client, run),
  };
};
