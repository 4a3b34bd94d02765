import { argument, defineCommand } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export interface GetInput {
  readonly uid: string;
}

export const getCommand = defineCommand({
  path: ['onye', 'get'],
  danger: 'read',
  summary: 'show a customer',
  args: [argument('onye', 'the customer, ony.…', { completes: 'onye' })],
  options: {},
  examples: [
    { about: 'a customer', line: `paycli onye get ${SEEDED.onye}` },
    { about: 'the metadata, for a script', line: `paycli onye get ${SEEDED.onye} -o tsv --columns meta` },
  ],
  output: 'the customer: uid, email, first_name, last_name, ref, status, billing_address, meta, created_at',
  exits: ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'],
  previews: true,
  read: (args, _given, { validate }): GetInput => ({ uid: readId('ony', args[0], validate) }),
  load: () => import('./get.ts'),
});
