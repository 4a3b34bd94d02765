import { argument, defineCommand, option } from '../../cli/define.ts';
import { readId } from '../../cli/id-argument.ts';
import { asOneOf, asText, refuseTypo } from '../../cli/options.ts';
import { CHECKOUT_STATUSES } from '../../core/checkout.ts';
import { SEEDED } from '../../core/local.ts';
import { MEDIUMS } from '../../core/medium.ts';

const exits = ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'] as const;
const checkoutArgument = argument('checkout', 'the checkout, chk.…');

export interface GetInput {
  readonly uid: string;
}
export interface ListInput {
  readonly status: (typeof CHECKOUT_STATUSES)[number] | undefined;
  readonly currency: string | undefined;
}
export interface ProvidersInput extends GetInput {
  readonly medium: string;
}

const list = defineCommand({
  path: ['checkout', 'list'],
  danger: 'read',
  summary: 'list checkouts: each has a currency and the mediums that it offers',
  args: [],
  options: {
    status: option('--status <status>', `only ${CHECKOUT_STATUSES.join(' or ')}`, asOneOf(CHECKOUT_STATUSES)),
    currency: option('--currency <code>', 'only of this currency, such as NGN', asText),
  },
  examples: [
    { about: 'all checkouts', line: 'paycli checkout list' },
    { about: 'those that take naira now', line: 'paycli checkout list --status active --currency NGN' },
  ],
  output: 'uid, name, currency, status, mediums',
  exits,
  previews: true,
  read: (_args, { status, currency }): ListInput => ({ status, currency }),
  load: () => import('./list.ts'),
});

const get = defineCommand({
  path: ['checkout', 'get'],
  danger: 'read',
  summary: 'show a checkout',
  args: [checkoutArgument],
  options: {},
  examples: [{ about: 'a checkout with its mediums', line: `paycli checkout get ${SEEDED.checkout}` }],
  output: 'uid, name, currency, status, mediums',
  exits,
  previews: true,
  read: (args, _given, { validate }): GetInput => ({ uid: readId('chk', args[0], validate) }),
  load: () => import('./get.ts'),
});

const providers = defineCommand({
  path: ['checkout', 'providers'],
  danger: 'read',
  summary: 'list the banks or networks that a checkout offers for a medium',
  args: [checkoutArgument, argument('medium', MEDIUMS.join(', '), { choices: MEDIUMS })],
  options: {},
  examples: [{ about: 'the codes for --provider', line: `paycli checkout providers ${SEEDED.checkout} ussd` }],
  output: 'a line per bank: code, name, psp; where a provider has no banks, the provider as the service shows it',
  exits,
  previews: true,
  read: ([uid, medium = ''], _given, { validate }): ProvidersInput => {
    if (validate) refuseTypo(medium, MEDIUMS);
    return { uid: readId('chk', uid, validate), medium };
  },
  load: () => import('./providers.ts'),
});

export const checkoutCommands = [list, get, providers];
