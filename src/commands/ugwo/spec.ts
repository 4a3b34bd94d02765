import { BULK_OPTIONS, BULK_OUTPUT, type BulkInput, readBulk, refuseRowFields } from '../../cli/bulk-options.ts';
import {
  argument,
  defineCommand,
  type GivenOptions,
  ONCE_EXITS,
  READ_EXITS,
  rarely,
  WRITE_EXITS,
} from '../../cli/define.ts';
import {
  asId,
  DATA_OPTION,
  FILTER_OPTIONS,
  givenAmount,
  MONEY_FILTER_OPTIONS,
  readList,
  WALK_OPTIONS,
} from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { readSourceName, refuseSharedStdin } from '../../core/input.ts';
import type { GivenAmount } from '../../core/money.ts';
import { statusArgument } from '../../core/status.ts';
import { chargeCommand } from './charge-spec.ts';
import { REQUEST_FIELDS } from './create-shared.ts';

const requestInput = {
  ...REQUEST_FIELDS,
  ...DATA_OPTION,
  ...BULK_OPTIONS,
};

type Given = GivenOptions<typeof requestInput>;

export type UgwoCreateInput = { readonly given: Given } & (
  | { readonly kind: 'one'; readonly amount: GivenAmount; readonly currency: string }
  /** A file of payment requests. Options give the values for which the file has no column of that name. */
  | { readonly kind: 'file'; readonly bulk: BulkInput }
);

const readOneRequest = (given: Given): UgwoCreateInput => {
  const amount = givenAmount(given);
  if (amount === undefined) {
    throw usageError('no amount given', {
      hint: 'give one with --amount 5,000.00, or create many from a file: --from requests.csv',
    });
  }
  if (given.currency === undefined) throw usageError('no currency given', { hint: 'give one with --currency NGN' });
  return { kind: 'one', amount, currency: given.currency.toUpperCase(), given };
};

const requestArgument = argument('ugwo', 'the payment request, ugw.… or its ref', { completes: 'ugwo' }, asId('ugw'));

const REQUEST_OUTPUT = 'uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at';

/** Statuses of a payment request (docs/service.md, Payment requests). The service may add more. */
const REQUEST_STATUSES = [
  'requires_ugwo',
  'processing',
  'ugwo_successful',
  'partially_refunded',
  'refunded',
  'cancelled',
];

export const ugwoCommands = [
  defineCommand({
    path: ['ugwo', 'create'],
    danger: 'write',
    summary: 'create a payment request, or a file of them',
    description:
      'With --ref you can run the same command again after a lost answer: the service accepts a reference once, and ' +
      'paycli compares the existing payment request with yours. Without --ref the ledger remembers the request, and ' +
      'sends no equal one while the first is unknown.\n\n' +
      'With --from, each row of a file is one payment request. Columns, in any case, also with blanks: ref, amount (5,000.00, in CSV also 5000) or ' +
      'amount_minor (500000), currency, customer, description, checkout, metadata.k. Options apply to fields without ' +
      'a column. Other columns are copied to the report. The whole file is checked before anything is sent. Run the ' +
      'same command again to continue where it stopped: no row is sent twice.',
    input: requestInput,
    examples: {
      'ask a customer for 5,000 naira':
        'paycli ugwo create --amount 5,000.00 --currency NGN --customer ada@example.com --ref INV-2026-001',
      'in kobo, for a script that wants the identifier':
        'paycli ugwo create --amount-minor 500000 --currency NGN -o tsv --columns uid',
      'from a spreadsheet, with a report':
        "printf 'ref,amount,customer\\nINV-1,5000.00,ada@example.com\\nINV-2,750.50,obi@example.com\\n' > requests.csv\n" +
        'paycli ugwo create --from requests.csv --currency NGN --report result.csv',
    },
    output: `the payment request: ${REQUEST_OUTPUT}. ${BULK_OUTPUT}`,
    exits: ONCE_EXITS,
    previews: true,
    read: (_input, _how, given): UgwoCreateInput => {
      const bulk = readBulk(given);
      refuseSharedStdin([given.data, bulk && readSourceName(bulk.from)]);
      if (bulk === undefined) return readOneRequest(given);
      refuseRowFields(REQUEST_FIELDS, given);
      return { kind: 'file', bulk, given };
    },
    load: async () => ({
      run: (await import('./create.ts')).createRequests,
      view: (await import('./create.ts')).createdRequestsView,
    }),
  }),
  chargeCommand,
  defineCommand({
    path: ['ugwo', 'get'],
    danger: 'read',
    summary: 'show a payment request with every activity on it',
    input: { uid: requestArgument },
    examples: {
      'a payment request and its activities': `paycli ugwo get ${SEEDED.paid.ugwo}`,
      'its status, for a script': `paycli ugwo get ${SEEDED.paid.ugwo} -o tsv --columns status,amount`,
    },
    output: `${REQUEST_OUTPUT}; json: the same and activities`,
    exits: [...READ_EXITS, 'ledger'],
    previews: true,
    load: async () => ({ run: (await import('./ugwo.ts')).getRequest }),
  }),
  defineCommand({
    path: ['ugwo', 'list'],
    danger: 'read',
    summary: 'list payment requests, newest first',
    description:
      'The service has no filters, so paycli walks the list and shows the matches: the first ten, --max <n>, or ' +
      '--all. It says how many records it has read. It stops at --since, or when it has found ' +
      'the --ref.',
    input: rarely(['email'], {
      ...WALK_OPTIONS,
      ...FILTER_OPTIONS,
      status: { ...FILTER_OPTIONS.status, choices: REQUEST_STATUSES.map(statusArgument) },
      ...MONEY_FILTER_OPTIONS,
    }),
    examples: {
      'list the newest ten': 'paycli ugwo list',
      'list all, as JSON': 'paycli ugwo list --all --json',
      'find one by your reference': 'paycli ugwo list --ref INV-000120',
      'unpaid requests of the last week': 'paycli ugwo list --status not-paid --since 7d --all',
      'some columns, for a script': 'paycli ugwo list --all -o tsv --columns uid,status,amount',
    },
    output: `${REQUEST_OUTPUT}; json: {"data":[…],"next_cursor":…}`,
    exits: READ_EXITS,
    previews: true,
    read: (_input, how, given) => readList(given, how, REQUEST_STATUSES),
    load: async () => ({ run: (await import('./ugwo.ts')).listPaymentRequests }),
  }),
  defineCommand({
    path: ['ugwo', 'cancel'],
    danger: 'write',
    summary: 'cancel an unpaid payment request',
    description:
      'The service cancels only unpaid payment requests. paycli reads the payment request, shows it with the accounts ' +
      'and codes that can still be paid, and asks; a script needs --yes.',
    input: { uid: requestArgument },
    examples: {
      'cancel a payment request in a script': `paycli ugwo cancel ${SEEDED.ugwo} --yes`,
    },
    output: `the cancelled payment request: ${REQUEST_OUTPUT}`,
    exits: [...WRITE_EXITS, 'ledger'],
    confirms: true,
    previews: true,
    load: async () => ({ run: (await import('./ugwo.ts')).cancel, view: (await import('./view.ts')).wholeUgwoView }),
  }),
];
