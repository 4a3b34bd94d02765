import { argument, defineCommand, READ_EXITS, WRITE_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../cli/list-options.ts';
import { SEEDED } from '../../core/local.ts';
import { createCommand } from './create-spec.ts';
import { updateCommand } from './update-spec.ts';

const getCommand = defineCommand({
  path: ['onye', 'get'],
  danger: 'read',
  summary: 'show a customer',
  args: [argument('onye', 'the customer, ony.…', { completes: 'onye' })],
  examples: {
    'a customer': `paycli onye get ${SEEDED.onye}`,
    'the metadata, for a script': `paycli onye get ${SEEDED.onye} -o tsv --columns meta`,
  },
  output: 'the customer: uid, email, first_name, last_name, ref, status, billing_address, meta, created_at',
  exits: READ_EXITS,
  previews: true,
  read: (args, _given, { validate }) => ({ uid: readId('ony', args[0], validate) }),
  load: () => import('./get.ts'),
});

/** Of a customer (public material); the service may come to know more. */
const STATUSES = ['active'];

const listCommand = defineCommand({
  path: ['onye', 'list'],
  danger: 'read',
  summary: 'list customers',
  description:
    'The service has no filters, so paycli walks the list and shows what matches: the first ten, --max <n>, or --all. It says ' +
    'how far it looked.',
  options: { ...WALK_OPTIONS, ...FILTER_OPTIONS, status: { ...FILTER_OPTIONS.status, choices: STATUSES } },
  examples: {
    'ten customers': 'paycli onye list',
    'find one by e-mail address': 'paycli onye list --email ada.bello20@example.com',
    'all, as CSV': 'paycli onye list --all -o csv',
  },
  output:
    'uid, email, first_name, last_name, ref, status, billing_address, meta, created_at; json: {"data":[…],"next_cursor":…}',
  exits: READ_EXITS,
  previews: true,
  read: (_args, given, how) => readList(given, how, STATUSES),
  load: () => import('./list.ts'),
});

const deleteCommand = defineCommand({
  path: ['onye', 'delete'],
  danger: 'write',
  summary: 'delete a customer; their payment requests stay',
  description:
    'Reads the customer, names what will be lost and asks; a script needs --yes. What was deleted is printed as it was.',
  args: [argument('onye', 'the customer, ony.…', { completes: 'onye' })],
  examples: {
    'delete a customer, and keep what was stored': `paycli onye delete ${SEEDED.onye} --yes --json`,
  },
  output: 'the customer as it was: uid, email, first_name, last_name, ref, status, billing_address, meta, created_at',
  exits: WRITE_EXITS,
  previews: true,
  read: (args, _given, { validate }) => ({ uid: readId('ony', args[0], validate) }),
  load: () => import('./delete.ts'),
});

export const onyeCommands = [createCommand, getCommand, listCommand, updateCommand, deleteCommand];
