import type { GivenAmount } from '../core/amount.ts';
import { usageError } from '../core/error.ts';
import type { GivenOptions } from './define.ts';
import { option } from './define.ts';
import { asText } from './options.ts';

/** An amount of money, in one of two ways. */
export const AMOUNT_OPTIONS = {
  amount: option('--amount <5,000.00>', "amount with the currency's decimals", asText),
  amountMinor: option('--amount-minor <n>', 'amount in the minor unit (kobo for NGN), in place of --amount', asText),
} as const;

/** What was given as an amount; undefined where nothing was. Throws a usage error for both ways at once. */
export const givenAmount = ({ amount, amountMinor }: GivenOptions<typeof AMOUNT_OPTIONS>): GivenAmount | undefined => {
  if (amount !== undefined && amountMinor !== undefined) {
    throw usageError("--amount and --amount-minor can't be used together");
  }
  if (amount !== undefined) return { flag: '--amount', text: amount };
  return amountMinor === undefined ? undefined : { flag: '--amount-minor', text: amountMinor };
};
