import { argument, defineCommand } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export interface GetInput {
  readonly uid: string;
}

export const getCommand = defineCommand({
  path: ['ugwo', 'get'],
  danger: 'read',
  summary: 'show a payment request with every activity on it',
  args: [argument('ugwo', 'the payment request, ugw.…', { completes: 'ugwo' })],
  options: {},
  examples: [
    { about: 'a payment request and its activities', line: `paycli ugwo get ${SEEDED.paid.ugwo}` },
    {
      about: 'how it stands, for a script',
      line: `paycli ugwo get ${SEEDED.paid.ugwo} -o tsv --columns status,amount`,
    },
  ],
  output:
    'uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at; json: the same and activities',
  exits: ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'],
  previews: true,
  read: (args, _given, { validate }): GetInput => ({ uid: readId('ugw', args[0], validate) }),
  load: () => import('./get.ts'),
});
