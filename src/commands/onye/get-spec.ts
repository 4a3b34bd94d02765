import { argument, defineCommand, READ_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export const getCommand = defineCommand({
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
