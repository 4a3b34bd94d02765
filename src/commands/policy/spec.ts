import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import { defineCommand, flag, type GivenOptions, type InputOf, option, optional, repeated } from '../../cli/define.ts';
import { asInteger, asMoney, asOneOf, type CurrencyAmount } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';

const POLICY_OUTPUT =
  'profile (* stands for all others), max_charges, charges_today, mediums, amounts (currency, max_amount, amount_today, ' +
  'approve_above, max_refund_amount, refund_amount_today; in the minor unit), unknown_amounts_today, set_by, set_at, ' +
  'max_refunds, refunds_today, unknown_refund_amounts_today';

/** The owner of a policy. */
const ownerInput = {
  profile: optional('profile', 'the profile (default: the current one)', { completes: 'profile' }),
  others: flag('--others', 'all profiles without a policy of their own, and charges without a profile'),
};
export type PolicyOwner = InputOf<typeof ownerInput>;

const SET = 'paycli policy set --max-charges 100';

const oneOwner = <T extends PolicyOwner>(input: T): T => {
  if (input.profile === undefined || !input.others) return input;
  throw usageError("--others and a profile can't be used together");
};

const setInput = {
  maxCharges: option('--max-charges <n>', 'maximum number of charges a day (UTC)', asInteger(0, 1_000_000_000)),
  maxAmount: repeated(
    '--max-amount <NGN 5,000.00>',
    'maximum amount a day (UTC), once per currency; other currencies are then refused',
    asMoney,
  ),
  medium: repeated('--medium <medium>', `only these mediums: ${MEDIUM_NAMES.join(', ')}`, asOneOf(MEDIUM_NAMES)),
  approveAbove: repeated(
    '--approve-above <NGN 5,000.00>',
    'a file of charges above this sum needs `paycli approve` by another person, in a shared ledger; once per currency',
    asMoney,
  ),
  maxRefunds: option('--max-refunds <n>', 'maximum number of refunds a day (UTC)', asInteger(0, 1_000_000_000)),
  maxRefundAmount: repeated(
    '--max-refund-amount <NGN 5,000.00>',
    'maximum amount of refunds a day (UTC), once per currency; other currencies are then refused',
    asMoney,
  ),
  ...ownerInput,
};
export type PolicyInput = InputOf<typeof setInput>;

const refuseTwice = (flag: string, amounts: readonly CurrencyAmount[]): void => {
  const twice = amounts.find(({ currency }, at) => amounts.findIndex((one) => one.currency === currency) < at);
  if (twice !== undefined) throw usageError(`${flag}: ${twice.currency} is given twice`);
};

const readLimits = (input: PolicyInput, _how: unknown, { others, ...limits }: GivenOptions<typeof setInput>) => {
  if (Object.keys(limits).length === 0) {
    throw usageError('no limit given', {
      hint: 'give --max-charges, --max-amount, --medium, --approve-above, --max-refunds or --max-refund-amount',
    });
  }
  refuseTwice('--max-amount', input.maxAmount);
  refuseTwice('--approve-above', input.approveAbove);
  refuseTwice('--max-refund-amount', input.maxRefundAmount);
  return oneOwner(input);
};

export const policyCommands = [
  defineCommand({
    path: ['policy', 'list'],
    danger: 'read',
    summary: 'list the policies of all profiles',
    examples: {
      'list all policies': 'paycli policy list',
    },
    output: `a list; each ${POLICY_OUTPUT}`,
    exits: ['usage', 'ledger', 'interrupted'],
    load: async () => ({ run: (await import('./policies.ts')).listPolicies }),
  }),
  defineCommand({
    path: ['policy', 'show'],
    danger: 'read',
    summary: 'show what a profile may charge and refund, and what it has today',
    description: 'Shows the policy of a profile: its own, or else the one for all others.',
    input: ownerInput,
    examples: {
      'what the profile may still charge today': `${SET}\npaycli policy show`,
    },
    output: POLICY_OUTPUT,
    exits: ['usage', 'auth', 'ledger', 'interrupted'],
    read: oneOwner,
    load: async () => ({ run: (await import('./policies.ts')).showPolicy }),
  }),
  defineCommand({
    path: ['policy', 'set'],
    danger: 'money',
    summary: 'limit what a profile may charge and refund in a day, and how',
    description:
      'Changes the given limits and leaves the others. To drop one limit, remove the policy and set it again. A ' +
      'charge or refund beyond a limit is refused (exit 9) and nothing is sent; --again does not override a limit. Those ' +
      'that failed or were never made do not count. The policy is part of the ledger, so it applies to everyone who shares ' +
      'it.',
    input: setInput,
    examples: {
      'at most 100 charges and NGN 500,000.00 a day, by bank transfer only':
        "paycli policy set --max-charges 100 --max-amount 'NGN 500,000.00' --medium bank_transfer",
      'two people for a file of charges above NGN 1,000,000.00 (exit 2 without a shared ledger)':
        "paycli policy set --approve-above 'NGN 1,000,000.00'",
      'at most NGN 50,000.00 of refunds a day': "paycli policy set --max-refund-amount 'NGN 50,000.00'",
      'for a CI job that has a key and no profile': 'paycli policy set --others --max-charges 20',
    },
    output: POLICY_OUTPUT,
    exits: ['usage', 'auth', 'ledger', 'interrupted'],
    read: readLimits,
    load: async () => ({
      run: (await import('./policies.ts')).setPolicy,
      view: (await import('./policies.ts')).policyView,
    }),
  }),
  defineCommand({
    path: ['policy', 'remove'],
    danger: 'money',
    summary: "remove a profile's policy; then the one for all others applies, if there is one",
    input: ownerInput,
    examples: {
      'no limits any more': `${SET}\npaycli policy remove --yes`,
    },
    output: `the policy that was removed: ${POLICY_OUTPUT}`,
    exits: ['usage', 'auth', 'ledger', 'interrupted'],
    read: oneOwner,
    load: async () => ({
      run: (await import('./policies.ts')).removePolicy,
      view: (await import('./policies.ts')).policyView,
    }),
  }),
];
