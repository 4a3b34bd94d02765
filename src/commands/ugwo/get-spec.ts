import { argument, defineCommand, READ_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export const getCommand = defineCommand({
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
