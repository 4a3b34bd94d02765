import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import { argument, defineCommand, type InputOf, option, READ_EXITS } from '../../cli/define.ts';
import { asId, asOneOf, refuseTypo } from '../../cli/options.ts';
import { CHECKOUT_STATUSES } from '../../core/charge.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';

/** A currency's code, in any case. */
const asCurrency = (text: string): string => {
  if (/^[A-Za-z]{3}$/.test(text)) return text;
  throw usageError(`"${text}" is not a currency code of three letters, such as NGN`);
};

const CHECKOUT_OUTPUT = 'uid, name, currency, status, mediums';

const checkoutArgument = argument('checkout', 'the checkout, chk.…', { completes: 'checkout' }, asId('chk'));

const listInput = {
  status: option('--status <status>', `only ${CHECKOUT_STATUSES.join(' or ')}`, asOneOf(CHECKOUT_STATUSES)),
  currency: option('--currency <code>', 'only of this currency, such as NGN', asCurrency),
};
export type CheckoutFilter = InputOf<typeof listInput>;

export const checkoutCommands = [
  defineCommand({
    path: ['checkout', 'list'],
    danger: 'read',
    summary: 'list checkouts: each has a currency and the mediums that it offers',
    input: listInput,
    examples: {
      'all checkouts': 'paycli checkout list',
      'checkouts that take naira now': 'paycli checkout list --status active --currency NGN',
    },
    output: CHECKOUT_OUTPUT,
    exits: READ_EXITS,
    previews: true,
    load: async () => ({ run: (await import('./checkout.ts')).showCheckouts }),
  }),
  defineCommand({
    path: ['checkout', 'get'],
    danger: 'read',
    summary: 'show a checkout',
    input: { uid: checkoutArgument },
    examples: {
      'a checkout with its mediums': `paycli checkout get ${SEEDED.checkout}`,
    },
    output: CHECKOUT_OUTPUT,
    exits: READ_EXITS,
    previews: true,
    load: async () => ({ run: (await import('./checkout.ts')).showCheckout }),
  }),
  defineCommand({
    path: ['checkout', 'providers'],
    danger: 'read',
    summary: 'list the banks or networks that a checkout offers for a medium',
    input: {
      uid: checkoutArgument,
      medium: argument('medium', MEDIUM_NAMES.join(', '), { choices: MEDIUM_NAMES }, (text, { validate }) => {
        if (validate) refuseTypo(text, MEDIUM_NAMES);
        return text;
      }),
    },
    examples: {
      'the codes for --provider': `paycli checkout providers ${SEEDED.checkout} ussd`,
    },
    output: 'a line per bank: code, name, psp; a provider without banks is shown as the service sends it',
    exits: READ_EXITS,
    previews: true,
    load: async () => ({ run: (await import('./checkout.ts')).showProviders }),
  }),
];
