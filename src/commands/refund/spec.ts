import { AMOUNT_OPTIONS, givenAmount } from '../../cli/amount-options.ts';
import { argument, defineCommand, flag, option } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { asText } from '../../cli/options.ts';
import type { GivenAmount } from '../../core/amount.ts';
import { usageError } from '../../core/error.ts';
import { SEEDED } from '../../core/local.ts';

export interface CreateInput {
  readonly activity: string;
  /** The payment request of the activity, where the ledger does not know it. */
  readonly ugwo: string | undefined;
  /** undefined: all that was paid. */
  readonly amount: GivenAmount | undefined;
  readonly ref: string | undefined;
  readonly reason: string | undefined;
  readonly destination: { readonly provider: string; readonly account_number: string } | undefined;
  readonly again: boolean;
}

const destinationOf = (provider: string | undefined, number: string | undefined): CreateInput['destination'] => {
  if (provider === undefined && number === undefined) return undefined;
  if (provider === undefined || number === undefined) {
    throw usageError('--provider and --account-number belong together', { hint: 'give both, or neither' });
  }
  return { provider, account_number: number };
};

const create = defineCommand({
  path: ['refund', 'create'],
  summary: 'pay back what was paid by an activity, or a part of it',
  description:
    'Shows what would be paid back and asks; a script needs --yes. The ledger remembers each refund: while one is unknown no ' +
    'other is sent for the same activity, and a second one needs --again. The payment request is known where the charge was ' +
    'made from here; else give it with --ugwo.',
  args: [argument('activity', 'the paid activity, act.…')],
  options: {
    ugwo: option('--ugwo <ugw>', 'payment request of the activity, ugw.…', asText),
    ...AMOUNT_OPTIONS,
    ref: option('--ref <text>', 'your reference, at most 150 characters', asText),
    reason: option('--reason <text>', 'why, at most 255 characters', asText),
    provider: option('--provider <code>', 'bank code to pay to, where the service asks for a destination', asText),
    accountNumber: option('--account-number <number>', 'account to pay to, 10 digits', asText),
    again: flag('--again', 'refund once more, although a refund of this activity was made'),
  },
  examples: [
    {
      about: 'pay back a part',
      line: `paycli refund create ${SEEDED.paid.activity} --ugwo ${SEEDED.paid.ugwo} --amount 1,000.00 --provider gtb --account-number 0123456789 --yes`,
    },
  ],
  output: 'the refund: uid, status, amount, currency, ugwo_activity, ref, reason, error.message, created_at',
  exits: [
    ...(['usage', 'rejected', 'auth', 'not_sent', 'unknown', 'unrecorded', 'read_failed', 'refused'] as const),
    ...(['ledger', 'charge_failed', 'interrupted'] as const),
  ],
  previews: true,
  read: (args, given, { validate }): CreateInput => ({
    activity: readId('act', args[0], validate),
    ugwo: given.ugwo === undefined ? undefined : readId('ugw', given.ugwo, validate),
    amount: givenAmount(given),
    ref: given.ref,
    reason: given.reason,
    destination: destinationOf(given.provider, given.accountNumber),
    again: given.again === true,
  }),
  load: () => import('./create.ts'),
});

export const refundCommands = [create];
