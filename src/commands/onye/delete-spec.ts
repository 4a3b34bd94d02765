import { argument, defineCommand, WRITE_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export const deleteCommand = defineCommand({
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
  read: (args, _given, { validate }): { readonly uid: string } => ({ uid: readId('ony', args[0], validate) }),
  load: () => import('./delete.ts'),
});
