import { argument, defineCommand, READ_EXITS, WRITE_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { FILTER_OPTIONS, MONEY_FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../cli/list-options.ts';
import { SEEDED } from '../../core/local.ts';
import { chargeCommand } from './charge-spec.ts';
import { createCommand } from './create-spec.ts';

const getCommand = defineCommand({
  path: ['ugwo', 'get'],
  danger: 'read',
  summary: 'show a payment request with every activity on it',
  args: [argument('ugwo', 'the payment request, ugw.…', { completes: 'ugwo' })],
  examples: {
    'a payment request and its activities': `paycli ugwo get ${SEEDED.paid.ugwo}`,
    'how it stands, for a script': `paycli ugwo get ${SEEDED.paid.ugwo} -o tsv --columns status,amount`,
  },
  output:
    'uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at; json: the same and activities',
  exits: READ_EXITS,
  previews: true,
  read: (args, _given, { validate }) => ({ uid: readId('ugw', args[0], validate) }),
  load: () => import('./get.ts'),
});

/** Of a payment request (public material); the service may come to know more. */
const STATUSES = ['requires_ugwo', 'processing', 'ugwo_successful', 'partially_refunded', 'refunded', 'cancelled'];

const listCommand = defineCommand({
  path: ['ugwo', 'list'],
  danger: 'read',
  summary: 'list payment requests, newest first',
  description:
    'The service has no filters, so paycli walks the list and shows what matches: the first ten, --max <n>, or --all. It says ' +
    'how far it looked, and stops at --since, since the newest come first, and at the one request with a --ref.',
  options: {
    ...WALK_OPTIONS,
    ...FILTER_OPTIONS,
    status: { ...FILTER_OPTIONS.status, choices: STATUSES },
    ...MONEY_FILTER_OPTIONS,
  },
  examples: {
    'list the newest ten': 'paycli ugwo list',
    'list all, as JSON': 'paycli ugwo list --all --json',
    'find one by your reference': 'paycli ugwo list --ref INV-000120',
    'what was not paid in the last week': 'paycli ugwo list --status requires_ugwo --since 7d --all',
    'some columns, for a script': 'paycli ugwo list --all -o tsv --columns uid,status,amount',
  },
  output:
    'uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at; json: {"data":[…],"next_cursor":…}',
  exits: READ_EXITS,
  previews: true,
  read: (_args, given, how) => readList(given, how, STATUSES),
  load: () => import('./list.ts'),
});

const cancelCommand = defineCommand({
  path: ['ugwo', 'cancel'],
  danger: 'write',
  summary: 'cancel a payment request that nobody has begun to pay',
  description:
    'The service cancels only what is requires_ugwo. paycli reads the payment request, shows it and asks; a script needs --yes.',
  args: [argument('ugwo', 'the payment request, ugw.…', { completes: 'ugwo' })],
  examples: {
    'cancel a payment request in a script': `paycli ugwo cancel ${SEEDED.ugwo} --yes`,
  },
  output:
    'the cancelled payment request: uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at',
  exits: WRITE_EXITS,
  previews: true,
  read: (args, _given, { validate }) => ({ uid: readId('ugw', args[0], validate) }),
  load: () => import('./cancel.ts'),
});

export const ugwoCommands = [createCommand, chargeCommand, getCommand, listCommand, cancelCommand];
