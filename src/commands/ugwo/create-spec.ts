import { AMOUNT_OPTIONS, givenAmount } from '../../cli/amount-options.ts';
import type { BulkInput } from '../../cli/bulk-options.ts';
import { BULK_OPTIONS, BULK_OUTPUT, readBulk, refuseBeside } from '../../cli/bulk-options.ts';
import type { GivenOptions } from '../../cli/define.ts';
import { defineCommand, ONCE_EXITS, option, repeated } from '../../cli/define.ts';
import { asPair, asSource, asText } from '../../cli/options.ts';
import type { GivenAmount } from '../../core/amount.ts';
import { usageError } from '../../core/error.ts';
import type { Pair } from '../../core/pairs.ts';
import type { Source } from '../../core/source.ts';
import { refuseSharedStdin, sourceOf } from '../../core/source.ts';

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

export type OtherWords = Omit<CreateWords, 'amount'>;

/** A file of payment requests, whose rows the options fill where it has no column. */
export interface FileOfRequests {
  readonly bulk: BulkInput;
  readonly words: Readonly<Record<'currency' | 'customer' | 'description' | 'checkout', string | undefined>>;
}

export type CreateInput =
  | { readonly kind: 'one'; readonly words: CreateWords; readonly data: Source | undefined }
  | ({ readonly kind: 'file'; readonly data: Source | undefined } & FileOfRequests);

const options = {
  ...AMOUNT_OPTIONS,
  currency: option('--currency <code>', 'currency, such as NGN', asText),
  customer: option(
    '--customer <onye|email>',
    'customer by ony.… or e-mail; a new e-mail makes a new customer',
    asText,
    {
      completes: 'onye',
    },
  ),
  ref: option('--ref <text>', 'your reference, unique, at most 150 characters', asText),
  description: option('--description <text>', 'what it is for, at most 150 characters', asText),
  checkout: option('--checkout <chk>', 'checkout, chk.…; else the service chooses one', asText),
  metadata: repeated('--metadata <k=v>', 'metadata, keys with texts', asPair),
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', asSource),
  ...BULK_OPTIONS,
} as const;

const readOne = (given: GivenOptions<typeof options>): CreateInput => {
  const amount = givenAmount(given);
  if (amount === undefined) {
    throw usageError('no amount given', {
      hint: 'give one with --amount 5,000.00, or create many from a file: --from requests.csv',
    });
  }
  if (given.currency === undefined) throw usageError('no currency given', { hint: 'give one with --currency NGN' });
  const { currency, customer, ref, description, checkout, metadata = [], data } = given;
  const words = { amount, currency: currency.toUpperCase(), customer, ref, description, checkout, metadata };
  return { kind: 'one', words, data };
};

const readFile = (bulk: BulkInput, given: GivenOptions<typeof options>): CreateInput => {
  refuseBeside(options, given, ['amount', 'amountMinor', 'ref', 'metadata']);
  const { currency, customer, description, checkout, data } = given;
  return { kind: 'file', bulk, words: { currency, customer, description, checkout }, data };
};

export const createCommand = defineCommand({
  path: ['ugwo', 'create'],
  danger: 'write',
  summary: 'create a payment request, or a file of them',
  description:
    'With --ref the same command can be run again after a lost answer: the service takes a reference once, and paycli then ' +
    'compares what exists with what was asked for. Without --ref the ledger remembers the request, and sends nothing like it ' +
    'again while it is unknown.\n\n' +
    'With --from, each row of a file is one payment request. Column names, in any case: ref, amount (5,000.00) or ' +
    'amount_minor (500000), currency, customer, description, checkout, metadata.k. Options apply to fields without a column, ' +
    'and other columns are copied to the report. The whole file is checked before anything is sent. Run the same command ' +
    'again to continue where it stopped: a row that was sent is never sent twice.',
  options,
  examples: {
    'ask a customer for 5,000 naira':
      'paycli ugwo create --amount 5,000.00 --currency NGN --customer ada@example.com --ref INV-2026-001',
    'in kobo, for a script that wants the identifier':
      'paycli ugwo create --amount-minor 500000 --currency NGN -o tsv --columns uid',
    'from a spreadsheet, with a report':
      "printf 'ref,amount,customer\\nINV-1,5000.00,ada@example.com\\nINV-2,750.50,obi@example.com\\n' > requests.csv\n" +
      'paycli ugwo create --from requests.csv --currency NGN --report result.csv',
  },
  output:
    'the payment request: uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at. ' +
    BULK_OUTPUT,
  exits: ONCE_EXITS,
  previews: true,
  read: (_args, given): CreateInput => {
    const bulk = readBulk(given);
    refuseSharedStdin([given.data, bulk && sourceOf(bulk.from)]);
    return bulk === undefined ? readOne(given) : readFile(bulk, given);
  },
  load: () => import('./create.ts'),
});
