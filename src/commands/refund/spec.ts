import { BULK_OPTIONS, BULK_OUTPUT, type BulkInput, readBulk, refuseRowFields } from '../../cli/bulk-options.ts';
import {
  argument,
  defineCommand,
  flag,
  type GivenOptions,
  type HowToRead,
  ONCE_EXITS,
  optional,
  pickOptions,
  READ_EXITS,
  rarely,
} from '../../cli/define.ts';
import { givenAmount, readId, STORED_LIST } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import type { GivenAmount } from '../../core/money.ts';
import { REFUND_FIELDS } from './fields-shared.ts';

const refundInput = rarely(['again', 'allOfIt'], {
  activity: optional('activity', 'the paid activity, act.…, or the ref of its payment request; or --from', {
    completes: 'activityOrRef',
  }),
  ...pickOptions(REFUND_FIELDS),
  allOfIt: flag('--all-of-it', 'with --from: pay back the whole payment in each row of a file without amounts'),
  again: flag('--again', 'refund once more, although a refund of this activity was made'),
  ...BULK_OPTIONS,
});

type Given = GivenOptions<typeof refundInput>;

export type RefundCreateInput = { readonly given: Given } /** Without an amount, the whole payment is paid back. */ & (
  | { readonly kind: 'one'; readonly activity: string; readonly amount: GivenAmount | undefined }
  | { readonly kind: 'file'; readonly bulk: BulkInput }
);

const readOneRefund = (activity: string | undefined, given: Given, how: HowToRead): RefundCreateInput => {
  if (activity === undefined) {
    throw usageError("missing required argument 'activity': the paid activity, act.…", {
      hint: 'or pay back many from a file: --from refunds.csv',
    });
  }
  if (given.allOfIt === true) {
    throw usageError('--all-of-it needs --from', { hint: 'without an amount, the whole payment is paid back' });
  }
  const isName = how.validate && canBeName('ugw', activity);
  if (!isName) readId('act', activity, how);
  if (isName && given.ugwo !== undefined) throw usageError(`--ugwo needs the activity, act.…, not "${activity}"`);
  const about = given.ugwo === undefined ? given : { ...given, ugwo: readId('ugw', given.ugwo, how) };
  if ((given.provider === undefined) !== (given.account_number === undefined)) {
    throw usageError('--provider and --account-number belong together', { hint: 'give both, or neither' });
  }
  return { kind: 'one', activity, amount: givenAmount(given), given: about };
};

const REFUND_ONE = `paycli refund create ${SEEDED.paid.activity} --ugwo ${SEEDED.paid.ugwo} --amount 1,000.00 --provider gtb --account-number 0123456789 --yes`;

const REFUND_OUTPUT =
  'id, state, uid, status (when it was sent), activity, ugwo, amount (null if not known), currency, ref, reason, ' +
  'created_at, recorded_at, origin, profile, job, row, exit_code, refund (refund_open, paid_back, refund_failed, ' +
  'refund_disputed), refund_at, ugwo_ref, customer_email';

const FROM_LEDGER =
  'The service documents no read of refunds, so this comes from the ledger: it has the refunds sent from here.';

export const refundCommands = [
  defineCommand({
    path: ['refund', 'create'],
    danger: 'money',
    summary: 'pay back a paid activity, or a part of it, or a file of them',
    description:
      'Shows the refund and asks; a script needs --yes. The ledger remembers each refund. While one is unknown, no ' +
      'other is sent for the same activity. While one is open, none is sent either: `paycli ledger resolve` ends it. ' +
      'After a successful one, the next needs --again. A ref means the one activity that was paid; if there are several, exit 2 lists them. A refund of a bank transfer needs --provider and ' +
      "--account-number; a terminal asks for them. If this ledger doesn't know the charge, give " +
      'its payment request with --ugwo. --dry-run reads the payment request and the ledger, asks nothing and writes ' +
      'nothing.\n\n' +
      'With --from, each row of a file is one refund. Columns, in any case, also with blanks: activity, ugwo (an id or a ref), amount (5,000.00, in CSV also 5000) or ' +
      'amount_minor (500000), currency, ref, reason, provider, account_number. An amount `all` pays back the whole ' +
      'payment; a row without an amount is invalid. If the payment request is known, each row is compared with it ' +
      'before it is sent. The whole file is checked first, and the question shows the sum of all rows. Run the same ' +
      'command again to continue where it stopped: no row is sent twice.',
    input: refundInput,
    examples: {
      'pay back a part': REFUND_ONE,
      'from a spreadsheet, with a report':
        `printf 'activity,ugwo,amount,currency,provider,account_number\\n${SEEDED.paid.activity},${SEEDED.paid.ugwo},1000.00,NGN,gtb,0123456789\\n' > refunds.csv\n` +
        'paycli refund create --from refunds.csv --report result.csv --yes',
    },
    output: `the refund: uid, status, amount, currency, ugwo_activity, ref, reason, error.message, created_at. ${BULK_OUTPUT}`,
    exits: [...ONCE_EXITS, 'charge_failed'],
    confirms: true,
    previews: true,
    read: ({ activity }, how, given): RefundCreateInput => {
      const bulk = readBulk(given, activity, 'an activity');
      if (bulk === undefined) return readOneRefund(activity, given, how);
      refuseRowFields(REFUND_FIELDS, given);
      return { kind: 'file', bulk, given };
    },
    load: async () => ({
      run: (await import('./create.ts')).createRefunds,
      view: (await import('./create.ts')).refundsMadeView,
    }),
  }),
  defineCommand({
    path: ['refund', 'list'],
    danger: 'read',
    summary: 'list refunds sent from here, newest first',
    description: `${FROM_LEDGER} It covers the service and workspace of the profile.`,
    input: STORED_LIST,
    examples: {
      'list all refunds': 'paycli refund list',
      'list the last five, as JSON': 'paycli refund list --max 5 --json',
    },
    output: `${REFUND_OUTPUT}; json: {"data":[…],"next_cursor":…}`,
    exits: ['usage', 'auth', 'ledger', 'read_failed', 'interrupted'],
    load: async () => ({ run: (await import('./sent.ts')).listRefunds }),
  }),
  defineCommand({
    path: ['refund', 'get'],
    danger: 'read',
    summary: 'show a refund sent from here, and what its payment request shows of it now',
    description:
      `${FROM_LEDGER} paycli then reads the payment request: it shows the status of the activity, and that of the refund if the ` +
      'payment request has it. This needs the charge of the activity in the ledger.',
    input: {
      id: argument('id', 'the refund: refund-… in the ledger, or rfd.… at the service', { completes: 'refund' }),
    },
    examples: {
      'show the last refund': `${REFUND_ONE}\npaycli refund get "$(paycli refund list --max 1 -o tsv --columns id)"`,
    },
    output: `${REFUND_OUTPUT}, evidence, now (refund, activity, ugwo: their statuses at the service, null if not shown)`,
    exits: [...READ_EXITS, 'ledger'],
    load: async () => ({ run: (await import('./sent.ts')).getRefund }),
  }),
];
