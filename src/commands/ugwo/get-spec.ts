import { argument, defineCommand } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import { SEEDED } from '../../core/local.ts';

export interface GetInput {
  readonly uid: string;
}

export const getCommand = defineCommand({
  path: ['ugwo', 'get'],
  summary: 'show a payment request with every activity on it',
  args: [argument('ugwo', 'the payment request, ugw.…')],
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
  read: (args, _given, { validate }) => {
    const uid = args[0] ?? '';
    const problem = validate ? idProblem('ugw', uid) : undefined;
    if (problem !== undefined) throw usageError(`"${uid}" ${problem}`);
    return { uid };
  },
  load: () => import('./get.ts'),
});
