import { argument, defineCommand, WRITE_EXITS } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { SEEDED } from '../../core/local.ts';

export const cancelCommand = defineCommand({
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
  read: (args, _given, { validate }): { readonly uid: string } => ({ uid: readId('ugw', args[0], validate) }),
  load: () => import('./cancel.ts'),
});
