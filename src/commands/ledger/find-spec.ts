import { defineCommand, flag, type InputOf, option, READ_EXITS, several } from '../../cli/define.ts';
import { asInteger, EVERY_PROFILE } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { PAGE_DEFAULT } from '../../core/record.ts';

const findInput = {
  words: { ...several('text', 'what the customer tells you'), required: true },
  service: flag('--service', 'look also at the newest 2,000 payment requests of the service'),
  max: option('--max <n>', 'show the newest <n> hits (10)', asInteger(1, 1_000_000_000), {
    default: String(PAGE_DEFAULT),
  }),
  ...EVERY_PROFILE,
};

export const readFind = ({ words, ...input }: InputOf<typeof findInput>) => {
  const text = words.join(' ').trim();
  if (text === '') throw usageError('the text to find is empty');
  if (input.service && input.allProfiles) throw usageError("--service and --all-profiles can't be used together");
  return { ...input, text };
};

export const findCommand = defineCommand({
  path: ['find'],
  danger: 'read',
  summary: 'find the payment of a receipt or of a customer',
  description:
    'TEXT is an account number or a phone number with its country code, the last four digits of either, ' +
    "the provider's reference, a ref or its beginning, an e-mail address, an amount (5,000.00) or an id. Shows the newest charges " +
    'that match, each with its payment and the command to go on with. It reads only the ledger, without a key. The ' +
    'ledger stores no names, little of pruned charges and nothing of requests that were never charged from here. ' +
    'Another case and the beginning of a ref count only if nothing in the ledger has the text itself. Add --service for ' +
    'names and other phone numbers.',
  input: findInput,
  examples: {
    'find a transfer by its account number': 'paycli find 9900000001',
    'find an amount': 'paycli find NGN 5,000.00',
    'find a customer by name': 'paycli find Ada Obi --service',
  },
  output:
    'the columns of `paycli ledger list`, then source (ledger, or service: state is then the status of the payment ' +
    'request), found_by (what the text is), command; json: {"data":[…],"next_cursor":null}',
  exits: [...READ_EXITS, 'ledger'],
  read: readFind,
  load: async () => ({ run: (await import('./find.ts')).findPayments }),
});
