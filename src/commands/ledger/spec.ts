import { PAYMENT_NAMES } from '../../charge/payment.ts';
import {
  argument,
  defineCommand,
  flag,
  type GivenOptions,
  type HowToRead,
  type InputOf,
  listed,
  option,
  several,
} from '../../cli/define.ts';
import {
  asMoment,
  asOneOf,
  asStatus,
  asText,
  checkIdOption,
  EVERY_PROFILE,
  PAGE_OPTIONS,
  STORED_LIST,
} from '../../cli/options.ts';
import { CHARGE, CHARGE_STATES, NOT_CREATED_AFTER_MS } from '../../core/charge.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { asFlag } from '../../core/input.ts';
import { statusArgument } from '../../core/status.ts';
import { MINUTE_MS } from '../../core/time.ts';
import { keepingCommands, ledgerReportCommand, sharedCommands } from './keeping-spec.ts';
import { ledgerMatchCommand } from './match-spec.ts';

const ROW =
  'id, state, ugwo, medium, origin, profile, activity, status, amount, currency, ref, customer, next_action, job, row, ' +
  'created_at, recorded_at, exit_code, evidence, provider, phone, payment, kind, about, request, ' +
  'received, received_assumed, missing, excess, refunded, paid_at, customer_email, operator, paid_twice, account_last4, disputed';

const JOB_OUTPUT =
  'id, command, file, rows, accepted, failed, rejected, not_sent, unknown, not_created, sending, not_started, created_at, ' +
  'run_at, origin, profile, workers, approval (waiting, approved), asked_by, approved_by, approved_at, refused, invalid, expired';

const LOST = `paycli ugwo charge ${SEEDED.losing} --medium bank_transfer`;
const FILE = `printf 'ugwo\\n${SEEDED.ugwo}\\n' | paycli ugwo charge --from - --medium bank_transfer`;
const LAST_CHARGE = '"$(paycli ledger list --max 1 -o tsv --columns id)"';
const LAST_UNKNOWN = '"$(paycli ledger list --state unknown --max 1 -o tsv --columns id)"';
const LAST_JOB = '"$(paycli ledger jobs --max 1 -o tsv --columns id)"';

/** Sentence of the descriptions about the charges that a command covers by default. */
const FOLLOWS =
  'It shows entries of the service and workspace of the profile; --local shows practice with the built-in service.';

/** Kinds of entries: the kind of the object that each creates, or all of them. */
const LISTED_KINDS = [CHARGE, 'refund', 'payment_request', 'customer', 'all'] as const;

const asAccountNumber = (text: string): string => {
  if (!/\d/.test(text)) throw usageError('has no digits');
  return text;
};

const entryOptions = {
  payment: listed(
    '--payment <a,b>',
    `only charges that are ${PAYMENT_NAMES.map(statusArgument).join(', ')}`,
    asStatus(PAYMENT_NAMES),
  ),
  kind: option('--kind <kind>', `which entries: ${LISTED_KINDS.join(', ')}`, asOneOf(LISTED_KINDS), {
    default: CHARGE,
  }),
  state: listed(
    '--state <a,b>',
    `only these states: ${CHARGE_STATES.map(statusArgument).join(', ')}`,
    asStatus(CHARGE_STATES),
  ),
  since: option(
    '--since <time>',
    'started since: today, yesterday, 2h, 7d, 1w, 2026-11-20 or a full timestamp',
    asMoment('first'),
  ),
  until: option('--until <time>', 'started until: the same; a day counts to its end', asMoment('last')),
  ref: option('--ref <text>', 'only charges of the payment request with this reference', asText),
  customer: option('--customer <onye|email>', 'only charges of this customer, by ony.… or e-mail', asText, {
    completes: 'onye',
  }),
  ugwo: option('--ugwo <ugwo>', 'only charges of this payment request, ugw.… or its ref', asText, {
    completes: 'ugwo',
  }),
  job: option('--job <job>', 'only the rows of this file, job-…, of any kind', asText, { completes: 'job' }),
  paidTwice: flag('--paid-twice', 'only charges of payment requests that were paid twice'),
  operator: option('--operator <name>', 'only charges that this operator sent', asText),
  accountNumber: option('--account-number <number>', 'only charges with this whole account number', asAccountNumber),
  pspReference: option('--psp-reference <text>', 'only the charge with this reference of the provider', asText),
  ...PAGE_OPTIONS,
  ...EVERY_PROFILE,
};

type ListGiven = GivenOptions<typeof entryOptions>;
export type EntryOptions = ListGiven & Pick<InputOf<typeof entryOptions>, 'kind' | 'allProfiles'>;

const CHARGE_FILTERS = ['payment', 'ref', 'customer', 'paidTwice', 'accountNumber', 'pspReference'] as const;

const checkKind = (given: ListGiven): void => {
  const name = CHARGE_FILTERS.find((one) => given[one] !== undefined);
  if (given.kind === CHARGE || given.kind === 'all' || name === undefined) return;
  throw usageError(`${asFlag(name)} works with charges only, not with --kind ${given.kind}`);
};

const LONGEST_REASON = 1000;

const asReason = (text: string): string => {
  if (text.trim() === '') throw usageError('is empty');
  if (text.length <= LONGEST_REASON) return text;
  throw usageError(`is longer than ${LONGEST_REASON} characters`);
};

/** Answers of a person: about an unknown entry, a disputed charge, and a refund without a known end. */
const RESOLUTIONS = ['created', 'not-created', 'paid', 'reversed', 'paid-back', 'failed'] as const;

const resolveInput = {
  id: argument('id', 'the charge, chg-…, or the refund, refund-…; or a ref or an e-mail address', {
    completes: 'charge',
  }),
  as: option(
    '--as <what>',
    'created or not-created; of a disputed charge: paid or reversed; of a refund without a known end: paid-back or failed',
    asOneOf(RESOLUTIONS),
  ),
  activity: option('--activity <activity>', 'the activity that was created, act.…', asText, {
    completes: 'activity',
  }),
  reason: option('--reason <text>', 'how you know; kept with the charge', asReason),
};

const readResolve = (input: InputOf<typeof resolveInput>, { validate }: HowToRead) => {
  const { as, activity } = input;
  if (as === undefined) throw usageError(`--as is required: ${RESOLUTIONS.join(', ')}`);
  if (as !== 'created' && activity !== undefined) throw usageError(`--activity can't be used with --as ${as}`);
  if (validate) checkIdOption('--activity', 'act', activity);
  return { ...input, as };
};
export type ResolveInput = ReturnType<typeof readResolve>;

/** Approval of a file by a second person before it is sent. */
export const approveCommand = defineCommand({
  path: ['approve'],
  danger: 'money',
  summary: "approve another person's file, or an agent's charge",
  description:
    'In a shared ledger, a file of charges above the policy of its profile (`paycli policy set --approve-above`) needs a second ' +
    'person. Shows the sum of the file and who wants to send it, and asks you to type the sum on a terminal; --yes ' +
    "does not answer that question. The person who ran the file can't approve it. The approval is for this file, " +
    'these options, and at most these rows and this sum. It sends nothing.\n\n' +
    'An agent that charges at a live service with `paycli mcp --allow money` names its plan, plan-…. Any person can ' +
    'approve a plan, within ten minutes.',
  input: {
    id: argument('job', 'the job, job-…, that the refused command named, or the plan, plan-…', { completes: 'job' }),
  },
  examples: {
    'the newest file (exit 2 without a shared ledger)':
      `printf 'ugwo\\n${SEEDED.ugwo}\\n' | paycli ugwo charge --from - --medium bank_transfer\n` +
      'paycli approve "$(paycli ledger jobs --max 1 -o tsv --columns id)"',
  },
  output: 'the job, as in `paycli ledger show`',
  exits: ['usage', 'refused', 'ledger', 'interrupted'],
  load: async () => ({
    run: (await import('./jobs.ts')).approve,
    view: (await import('../../records/job.ts')).jobView,
  }),
});

export const ledgerCommands = [
  defineCommand({
    path: ['ledger', 'list'],
    danger: 'read',
    summary: 'list charges sent from here, newest first',
    description:
      'It reads only the ledger: `paycli ledger sync` finds out who has paid. Use --kind to list refunds, and the ' +
      `payment requests and customers created from here. ${FOLLOWS}`,
    input: entryOptions,
    examples: {
      'list all charges': 'paycli ledger list',
      'see who has paid today': 'paycli ledger list --payment paid --since today',
      'list everything that may have been made': 'paycli ledger list --kind all --state unknown',
      'list the last five, as JSON': 'paycli ledger list --max 5 --json',
      'export everything': 'paycli ledger list --kind all -o ndjson',
      'export the last file': `${FILE}\npaycli ledger list --job ${LAST_JOB} -o ndjson`,
    },
    output:
      'id, state, ugwo, medium, activity, status, created_at, origin, profile, job, row, recorded_at, exit_code, amount, ' +
      'currency, ref, customer, payment, kind, about, received, received_assumed, missing, excess, refunded, paid_at, ' +
      'customer_email, operator, paid_twice, account_last4, disputed; ' +
      'json: {"data":[…],"next_cursor":…}, whose records hold next_action, evidence, provider, phone and request too',
    exits: ['usage', 'auth', 'ledger', 'read_failed', 'interrupted'],
    read: (_input, { validate }, all): EntryOptions => {
      const isNamed = validate && all.ref === undefined && canBeName('ugw', all.ugwo ?? '');
      const given = isNamed ? { ...all, ref: all.ugwo, ugwo: undefined } : all;
      if (validate) checkIdOption('--ugwo', 'ugw', given.ugwo);
      if (validate && given.customer?.includes('@') !== true) checkIdOption('--customer', 'ony', given.customer);
      const { kind = given.job === undefined ? CHARGE : 'all', allProfiles = false, ...filters } = given;
      checkKind({ kind, ...filters });
      return { kind, allProfiles, ...filters };
    },
    load: async () => ({ run: (await import('./entries.ts')).listEntries }),
  }),
  defineCommand({
    path: ['ledger', 'jobs'],
    danger: 'read',
    summary: 'list files charged or updated from here, newest first, with row counts',
    description:
      'A job is a file given to --from, together with the options that change what is sent. Running the same command again ' +
      'continues the same job. `not_started`: rows that never started. `refused`, `invalid`: as counted by the last run. ' +
      FOLLOWS,
    input: STORED_LIST,
    examples: {
      'list all jobs': 'paycli ledger jobs',
      'list the last one, as JSON': 'paycli ledger jobs --max 1 --json',
    },
    output: `${JOB_OUTPUT}; json: {"data":[…],"next_cursor":…}`,
    exits: ['usage', 'auth', 'ledger', 'read_failed', 'interrupted'],
    load: async () => ({ run: (await import('./jobs.ts')).listJobs }),
  }),
  defineCommand({
    path: ['ledger', 'show'],
    danger: 'read',
    summary: 'show a charge with its evidence, or a job with its row counts',
    input: {
      id: argument('id', 'the charge, chg-…, its ref or e-mail address, or the job, job-…', { completes: 'entry' }),
    },
    examples: {
      'show the last charge': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer\npaycli ledger show ${LAST_CHARGE}`,
      'show the last file and how to continue': `${FILE}\npaycli ledger show ${LAST_JOB}`,
    },
    output: `a charge: ${ROW}; a job: ${JOB_OUTPUT}`,
    exits: ['usage', 'ledger', 'read_failed'],
    load: async () => ({ run: (await import('./entries.ts')).showEntry }),
  }),
  defineCommand({
    path: ['ledger', 'sync'],
    danger: 'read',
    summary: 'find out who has paid, and whether unknown charges were made',
    description:
      'Reads the payment request of each unknown or open charge, and records the outcome. It sends no charge and changes ' +
      'nothing at the service. An unknown charge becomes accepted if its activity is there. It becomes not_created ' +
      "when two reads, a minute or more apart, don't find it. The second must be at least " +
      `${NOT_CREATED_AFTER_MS / MINUTE_MS} minutes after the charge. ` +
      'Otherwise it stays unknown, and the exit code is 6. Without an id it checks the whole profile. With a job it checks the charges of that ' +
      'file. It also finds money that came within a day after an account expired, and reversals and refunds within three ' +
      'days after the payment. Any other charge that has ended is checked again only if you name it or its job.\n\n' +
      'A charge is disputed if it was paid, and a later answer shows less money, but not that it is newer. The payment then ' +
      'stays, disputed charges are read first, and the exit code is 14 until an answer shows the money again, or you say ' +
      'what is so with `paycli ledger resolve`.',
    input: {
      ids: several('id', 'charges, chg-…, by ref or e-mail address, or jobs, job-… (default: all of the profile)', {
        completes: 'entry',
      }),
    },
    examples: {
      'see who has paid': 'paycli ledger sync',
      'for a script': 'paycli ledger sync --json',
      'check one unknown charge (exit 6: its answer was lost)': `${LOST}\npaycli ledger sync ${LAST_UNKNOWN}`,
    },
    output:
      'one line per outcome and currency: payment (paid, overpaid, underpaid, open, expired, failed, reversed, refunded, ' +
      'partially_refunded, unknown; not_created for unknown charges that this run found not created), currency, count, ' +
      'amount, received, paid_twice (how many of them belong to a payment request that was paid twice)',
    exits: ['usage', 'auth', 'unknown', 'read_failed', 'ledger', 'interrupted', 'attention'],
    reminds: false,
    load: async () => ({ run: (await import('./sync.ts')).syncLedger }),
  }),
  defineCommand({
    path: ['ledger', 'resolve'],
    danger: 'money',
    summary: 'record by hand whether an unknown charge was made, or a disputed one is paid',
    description:
      'For charges that `paycli ledger sync` leaves unknown. Check the payment request at the service first: once its ' +
      'charge is recorded as not created, it can be charged again. --as paid and --as reversed are for charges that it ' +
      'leaves disputed, --as paid-back and --as failed for refunds that are open or disputed. Asks first; a script needs ' +
      '--reason and --yes.',
    input: resolveInput,
    examples: {
      'the charge was made (exit 6: its answer was lost)': `${LOST}\npaycli ledger resolve ${LAST_UNKNOWN} --as created --reason 'seen in the dashboard' --yes`,
      'the charge was not made (exit 6: its answer was lost)': `${LOST}\npaycli ledger resolve ${LAST_UNKNOWN} --as not-created --reason 'not in the dashboard' --yes`,
    },
    output: ROW,
    exits: ['usage', 'ledger', 'interrupted'],
    read: readResolve,
    load: async () => ({
      run: (await import('./resolve.ts')).resolveEntry,
      view: (await import('../../records/entry.ts')).anyEntryView,
    }),
  }),
  ledgerReportCommand,
  ledgerMatchCommand,
  ...keepingCommands,
  ...sharedCommands,
];
