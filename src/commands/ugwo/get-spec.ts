import { argument, defineCommand } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';

export interface GetInput {
  readonly uid: string;
}

export const getCommand = defineCommand<GetInput, Record<never, never>>({
  path: ['ugwo', 'get'],
  summary: 'show a payment request with every activity on it',
  args: [argument('ugwo', 'the payment request, ugw.…')],
  options: {},
  examples: [
    { about: 'a payment request and its activities', line: 'paycli ugwo get ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l' },
    {
      about: 'how each activity stands, for a script',
      line: `paycli ugwo get ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --json | jq -r '.activities[] | [.uid, .status] | @tsv'`,
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
