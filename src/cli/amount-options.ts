import type { GivenAmount } from '../core/amount.ts';
import { readAmount, splitMoney } from '../core/amount.ts';
import { usageError } from '../core/error.ts';
import type { GivenOptions, Parse } from './define.ts';
import { option, taking } from './define.ts';
import { asText } from './options.ts';

/** An amount of money, in one of two ways. */
export const AMOUNT_OPTIONS = {
  amount: option('--amount <5,000.00>', "amount with the currency's decimals", asText, { type: 'amount' }),
  amountMinor: option('--amount-minor <n>', 'amount in the minor unit (kobo for NGN), in place of --amount', asText, {
    type: 'integer',
  }),
} as const;

/** What was given as an amount; undefined where nothing was. Throws a usage error for both ways at once. */
export const givenAmount = ({ amount, amountMinor }: GivenOptions<typeof AMOUNT_OPTIONS>): GivenAmount | undefined => {
  if (amount !== undefined && amountMinor !== undefined) {
    throw usageError("--amount and --amount-minor can't be used together");
  }
  if (amount !== undefined) return { flag: '--amount', text: amount };
  return amountMinor === undefined ? undefined : { flag: '--amount-minor', text: amountMinor };
};

/** An amount with its currency, in the minor unit. */
export interface Money {
  readonly currency: string;
  readonly minor: number;
}

/** `NGN 5,000.00`, as amounts are printed. */
export const asMoney: Parse<Money> = taking({ type: 'amount' }, (text) => {
  const { currency, amount } = splitMoney(text);
  if (currency === undefined) {
    throw usageError(`"${text}" is not an amount with its currency, such as 'NGN 5,000.00'`);
  }
  const read = readAmount(amount, currency);
  if ('minor' in read) return { currency, minor: read.minor };
  throw usageError(read.problem, { hint: `write it with its decimals, such as 'NGN 5,000.00'` });
});
