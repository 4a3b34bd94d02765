import { MEDIUM_NAMES } from '../../charge/mediums.ts';
import {
  type ArgumentSpec,
  defineCommand,
  flag,
  type GivenOptions,
  option,
  optional,
  repeated,
} from '../../cli/define.ts';
import { asInteger, asMoney, asOneOf, type CurrencyAmount } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';

const POLICY_OUTPUT =
  'profile (* stands for all others), max_charges, charges_today, mediums, amounts (currency, max_amount, amount_today, ' +
  'approve_above, max_refund_amount, refund_amount_today; in the minor unit), unknown_amounts_today, set_by, set_at, ' +
  'max_refunds, refunds_today, unknown_refund_amounts_today';

const PROFILE: readonly ArgumentSpec[] = [
  optional('profile', 'the profile (default: the current one)', { completes: 'profile' }),
];
const others = flag('--others', 'all profiles without a policy of their own, and charges without a profile');

const SET = 'paycli policy set --max-charges 100';

/** Identifies the owner of a policy. */
export interface PolicyOf {
  /** Undefined means the current profile. */
  readonly profile: string | undefined;
  readonly others: boolean;
}

const policyOwner = ([profile]: readonly string[], given: { readonly others?: boolean }): PolicyOf => {
  if (profile !== undefined && given.others === true) throw usageError("--others and a profile can't be used together");
  return { profile, others: given.others === true };
};

const policyListCommand = defineCommand({
  path: ['policy', 'list'],
  danger: 'read',
  summary: 'list the policies of all profiles',
  examples: {
    'list all policies': 'paycli policy list',
  },
  output: `a list; each ${POLICY_OUTPUT}`,
  exits: ['usage', 'ledger', 'interrupted'],
  load: async () => ({ run: (await import('./policies.ts')).listPolicies }),
});

const policyShowCommand = defineCommand({
  path: ['policy', 'show'],
  danger: 'read',
  summary: 'show what a profile may charge and refund, and what it has today',
  description: 'Shows the policy of a profile: its own, or else the one for all others.',
  args: PROFILE,
  options: { others },
  examples: {
    'what the profile may still charge today': `${SET}\npaycli policy show`,
  },
  output: POLICY_OUTPUT,
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: policyOwner,
  load: async () => ({ run: (await import('./policies.ts')).showPolicy }),
});

const setOptions = {
  maxCharges: option('--max-charges <n>', 'maximum number of charges a day (UTC)', asInteger(0, 1_000_000_000)),
  maxAmount: repeated(
    '--max-amount <NGN 5,000.00>',
    'maximum amount a day (UTC), once per currency; other currencies are then refused',
    asMoney,
  ),
  medium: repeated('--medium <medium>', `only these mediums: ${MEDIUM_NAMES.join(', ')}`, asOneOf(MEDIUM_NAMES)),
  approveAbove: repeated(
    '--approve-above <NGN 5,000.00>',
    'a file above this sum needs `paycli approve` by another person, in a shared ledger; once per currency',
    asMoney,
  ),
  maxRefunds: option('--max-refunds <n>', 'maximum number of refunds a day (UTC)', asInteger(0, 1_000_000_000)),
  maxRefundAmount: repeated(
    '--max-refund-amount <NGN 5,000.00>',
    'maximum amount of refunds a day (UTC), once per currency; other currencies are then refused',
    asMoney,
  ),
  others,
} as const;

export interface SetInput extends PolicyOf {
  readonly maxCharges: number | undefined;
  readonly maxAmount: readonly CurrencyAmount[] | undefined;
  readonly mediums: readonly string[] | undefined;
  readonly approveAbove: readonly CurrencyAmount[] | undefined;
  readonly maxRefunds: number | undefined;
  readonly maxRefundAmount: readonly CurrencyAmount[] | undefined;
}

const refuseTwice = (flag: string, amounts: readonly CurrencyAmount[] = []): void => {
  const twice = amounts.find(({ currency }, at) => amounts.findIndex((one) => one.currency === currency) < at);
  if (twice !== undefined) throw usageError(`${flag}: ${twice.currency} is given twice`);
};

const readPolicyInput = (args: readonly string[], given: GivenOptions<typeof setOptions>): SetInput => {
  const { maxCharges, maxAmount, medium: mediums, approveAbove, maxRefunds, maxRefundAmount } = given;
  const limits = { maxCharges, maxAmount, mediums, approveAbove, maxRefunds, maxRefundAmount };
  if (Object.values(limits).every((limit) => limit === undefined)) {
    throw usageError('no limit given', {
      hint: 'give --max-charges, --max-amount, --medium, --approve-above, --max-refunds or --max-refund-amount',
    });
  }
  refuseTwice('--max-amount', maxAmount);
  refuseTwice('--approve-above', approveAbove);
  refuseTwice('--max-refund-amount', maxRefundAmount);
  return { ...policyOwner(args, given), ...limits };
};

const policySetCommand = defineCommand({
  path: ['policy', 'set'],
  danger: 'money',
  summary: 'limit what a profile may charge and refund in a day, and how',
  description:
    'Changes the given limits and leaves the others. To drop one limit, remove the policy and set it again. A ' +
    'charge or refund beyond a limit is refused (exit 9) and nothing is sent; --again does not override a limit. Those ' +
    'that failed or were never made do not count. The policy is part of the ledger, so it applies to everyone who shares ' +
    'it.',
  args: PROFILE,
  options: setOptions,
  examples: {
    'at most 100 charges and NGN 500,000.00 a day, by bank transfer only':
      "paycli policy set --max-charges 100 --max-amount 'NGN 500,000.00' --medium bank_transfer",
    'two people for a file above NGN 1,000,000.00 (exit 2 without a shared ledger)':
      "paycli policy set --approve-above 'NGN 1,000,000.00'",
    'at most NGN 50,000.00 of refunds a day': "paycli policy set --max-refund-amount 'NGN 50,000.00'",
    'for a CI job that has a key and no profile': 'paycli policy set --others --max-charges 20',
  },
  output: POLICY_OUTPUT,
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: readPolicyInput,
  load: async () => ({ run: (await import('./policies.ts')).setPolicy }),
});

const policyRemoveCommand = defineCommand({
  path: ['policy', 'remove'],
  danger: 'money',
  summary: "remove a profile's policy; then the one for all others applies, if there is one",
  args: PROFILE,
  options: { others },
  examples: {
    'no limits any more': `${SET}\npaycli policy remove --yes`,
  },
  output: `the policy that was removed: ${POLICY_OUTPUT}`,
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: policyOwner,
  load: async () => ({ run: (await import('./policies.ts')).removePolicy }),
});

export const policyCommands = [policyListCommand, policyShowCommand, policySetCommand, policyRemoveCommand];
