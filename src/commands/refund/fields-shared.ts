import { option } from '../../cli/define.ts';
import { AMOUNT_OPTIONS, asText } from '../../cli/options.ts';

export const REFUND_FIELDS = {
  activity: { property: 'ugwo_activity' },
  ugwo: option('--ugwo <ugw>', 'payment request of the activity, ugw.… or its ref', asText, {
    completes: 'ugwo',
    property: false,
    own: true,
  }),
  ...AMOUNT_OPTIONS,
  currency: { property: false },
  ref: option('--ref <text>', 'your reference, at most 150 characters', asText, { own: true }),
  reason: option('--reason <text>', 'why, at most 255 characters', asText),
  provider: option('--provider <code>', 'bank code to pay to, where the service asks for a destination', asText, {
    completes: 'bank',
    property: 'destination.provider',
  }),
  account_number: option('--account-number <number>', 'account to pay to, 10 digits', asText, {
    property: 'destination.account_number',
  }),
} as const;
