import { AMOUNT_OPTIONS, givenAmount } from '../../cli/amount-options.ts';
import { defineCommand, option, repeated } from '../../cli/define.ts';
import { asText } from '../../cli/options.ts';
import type { GivenAmount } from '../../core/amount.ts';
import { usageError } from '../../core/error.ts';
import type { Pair } from '../../core/pairs.ts';
import { parsePair } from '../../core/pairs.ts';
import type { Source } from '../../core/source.ts';
import { sourceOf } from '../../core/source.ts';

/** What a payment request is made of, as texts. */
export interface CreateWords {
  readonly amount: GivenAmount;
  readonly currency: string;
  /** An identifier or an e-mail address. */
  readonly customer: string | undefined;
  readonly ref: string | undefined;
  readonly description: string | undefined;
  readonly checkout: string | undefined;
  readonly metadata: readonly Pair[];
}

export interface CreateInput {
  readonly words: CreateWords;
  readonly data: Source | undefined;
}

export const createCommand = defineCommand({
  path: ['ugwo', 'create'],
  summary: 'create a payment request',
  description:
    'With --ref the same command can be run again after a lost answer: the service takes a reference once, and paycli then ' +
    'compares what exists with what was asked for. Without --ref the ledger remembers the request, and sends nothing like it ' +
    'again while it is unknown.',
  args: [],
  options: {
    ...AMOUNT_OPTIONS,
    currency: option('--currency <code>', 'currency, such as NGN', asText),
    customer: option(
      '--customer <onye|email>',
      'customer by ony.… or e-mail; a new e-mail makes a new customer',
      asText,
    ),
    ref: option('--ref <text>', 'your reference, unique, at most 150 characters', asText),
    description: option('--description <text>', 'what it is for, at most 150 characters', asText),
    checkout: option('--checkout <chk>', 'checkout, chk.…; else the service chooses one', asText),
    metadata: repeated('--metadata <k=v>', 'metadata, keys with texts', parsePair),
    data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', sourceOf),
  },
  examples: [
    {
      about: 'ask a customer for 5,000 naira',
      line: 'paycli ugwo create --amount 5,000.00 --currency NGN --customer ada@example.com --ref INV-2026-001',
    },
    {
      about: 'in kobo, for a script that wants the identifier',
      line: 'paycli ugwo create --amount-minor 500000 --currency NGN -o tsv --columns uid',
    },
  ],
  output: 'the payment request: uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at',
  exits: [
    'usage',
    'rejected',
    'auth',
    'not_sent',
    'unknown',
    'unrecorded',
    'read_failed',
    'refused',
    'ledger',
    'interrupted',
  ],
  previews: true,
  read: (_args, given): CreateInput => {
    const amount = givenAmount(given);
    if (amount === undefined) throw usageError('no amount given', { hint: 'give one with --amount 5,000.00' });
    if (given.currency === undefined) throw usageError('no currency given', { hint: 'give one with --currency NGN' });
    const { currency, customer, ref, description, checkout, metadata = [], data } = given;
    const words = { amount, currency: currency.toUpperCase(), customer, ref, description, checkout, metadata };
    return { words, data };
  },
  load: () => import('./create.ts'),
});
