import { argument, defineCommand, flag, type InputOf, option, optional, rarely, repeated } from '../../cli/define.ts';
import { asMoment, asOneOf, asText, EVERY_PROFILE, momentIn } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import type { RequestedTime } from '../../core/record.ts';
import type { Zone } from '../../core/time.ts';

export const keepingCommands = [
  defineCommand({
    path: ['ledger', 'backup'],
    summary: 'copy the ledger of this machine into a file, while it is in use',
    description:
      'The copy shows one moment, is checked, and only you can read it. An existing file or link is never ' +
      'overwritten. Keep the copy on another disk. For a ledger in PostgreSQL, the message says how to back up its ' +
      'server.',
    danger: 'write',
    input: { file: argument('file', 'where to write the copy', { completes: 'file' }) },
    examples: {
      'make a copy': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer\npaycli ledger backup "ledger-$(date +%F-%s).sqlite"`,
    },
    output: 'file, bytes, entries',
    exits: ['usage', 'ledger'],
    read: (input) => {
      if (input.file === '') throw usageError('name the file to write');
      return input;
    },
    load: async () => ({ run: (await import('./keeping.ts')).backUpLedger }),
  }),
  defineCommand({
    path: ['ledger', 'verify'],
    summary: 'check that the ledger is undamaged',
    description:
      'Checks the database and its indexes, the checksum and the state of every entry, the columns that reports and searches ' +
      'read, and the counts of each file. It changes nothing. Exit 10 if anything is wrong.',
    danger: 'read',
    examples: { 'check it every night': 'paycli ledger verify --json' },
    output: 'ok, entries, jobs, faults (a sentence each)',
    exits: ['ledger', 'usage', 'auth', 'interrupted'],
    load: async () => ({ run: (await import('./keeping.ts')).verifyLedger }),
  }),
  defineCommand({
    path: ['ledger', 'prune'],
    summary: 'remove details of old charges; paycli still prevents double charges',
    description:
      'Removes references, customers, account details, requests and evidence of charges that started before --before ' +
      'and have ended. Open and unknown charges stay whole. Amounts, states and activities always stay, so no charge ' +
      "can be made twice and reports don't change. It also removes the events of that age from the queues of this machine, " +
      'for all profiles, even if they wait (see `webhook prune`). It asks first. For a ledger in PostgreSQL, run it as the owner of ' +
      'the database.',
    danger: 'write',
    input: {
      ...EVERY_PROFILE,
      before: option(
        '--before <time>',
        'charges that started before: 90d, 2026-01-31 or a full timestamp',
        asMoment('first'),
      ),
    },
    examples: { 'keep the details of a year': 'paycli ledger prune --before 365d --yes' },
    output:
      'before, pruned, open (not pruned: still open or unknown), events (removed from the queues of this machine)',
    exits: ['usage', 'auth', 'ledger', 'interrupted'],
    read: ({ before, allProfiles }) => {
      if (before === undefined) throw usageError('--before is required: it prunes older charges');
      return { before, allProfiles };
    },
    load: async () => ({ run: (await import('./keeping.ts')).pruneLedger }),
  }),
];

const WHERE = 'PAYCLI_LEDGER, or `paycli ledger use`, says where it is';

export const useInput = {
  url: optional('url', 'postgres://USER@HOST[:PORT]/DATABASE', { type: 'url' }),
  file: flag('--file', 'use the file of this machine again'),
  passwordCommand: option(
    '--password-command <command>',
    'a command that prints the password; it runs without a shell',
    asText,
    { type: 'command' },
  ),
};

export const sharedCommands = [
  defineCommand({
    path: ['ledger', 'status'],
    danger: 'read',
    summary: 'show where the ledger is, and warnings about its safety',
    examples: { 'show where the ledger is': 'paycli ledger status' },
    output:
      'kind (file, postgres), at, from, schema; of a shared one also version, user, owner, clock_ahead_ms, standbys, ' +
      'settings, warnings',
    exits: ['usage', 'auth', 'ledger'],
    load: async () => ({ run: (await import('./keeping.ts')).showLedgerStatus }),
  }),
  defineCommand({
    path: ['ledger', 'use'],
    danger: 'write',
    summary: 'choose the ledger of a profile: a shared one in PostgreSQL, or the file of this machine',
    description:
      'Stored with the current profile. PAYCLI_LEDGER overrides it for one call. The address never contains the ' +
      'password. It comes from a password file (PGPASSFILE, ~/.pgpass) or a command, or a client certificate replaces it (sslcert, sslkey).',
    input: useInput,
    examples: {
      'share a ledger':
        "paycli ledger use postgres://ada@db.example/payments --password-command 'op read op://payments/ledger'",
    },
    output: 'name, ledger',
    exits: ['usage', 'auth'],
    read: (input) => {
      if (input.file && input.passwordCommand !== undefined) {
        throw usageError('--password-command is for a shared ledger: the file has no password');
      }
      if ((input.url === undefined) === input.file) return input;
      throw usageError('give the address of a ledger, or --file', {
        hint: 'paycli ledger use postgres://USER@HOST/DATABASE',
      });
    },
    load: async () => ({ run: (await import('./keeping.ts')).useLedger }),
  }),
  defineCommand({
    path: ['ledger', 'init'],
    danger: 'write',
    summary: 'create the tables of a shared ledger, as the owner of its database',
    description: `${WHERE}. Run it again to grant another role an operator's rights.`,
    input: {
      operators: repeated(
        '--operator <role>',
        "grant this database role an operator's rights: no DDL, no DELETE",
        asText,
      ),
    },
    examples: {
      'create it, and let the role ada use it (exit 2 if none is set)': 'paycli ledger init --operator ada',
    },
    output: 'at, made, schema, operators',
    exits: ['usage', 'auth', 'ledger'],
    load: async () => ({ run: (await import('./keeping.ts')).initSharedLedger }),
  }),
  defineCommand({
    path: ['ledger', 'migrate'],
    danger: 'write',
    summary: "update a shared ledger's tables to this version of paycli, as the owner of its database",
    description: `${WHERE}. It first waits until no charge is being sent, for minutes if a process died; meanwhile, nobody can begin one. An older paycli refuses it afterwards.`,
    examples: { 'after an update of paycli (exit 2 if none is set)': 'paycli ledger migrate' },
    output: 'at, from, to',
    exits: ['usage', 'auth', 'ledger'],
    load: async () => ({ run: (await import('./keeping.ts')).migrateSharedLedger }),
  }),
  defineCommand({
    path: ['ledger', 'push'],
    danger: 'write',
    summary: "copy this machine's ledger into the shared one",
    description: `${WHERE}. Run it on each machine before it uses the shared ledger. The local file stays as it is. Running it again does no harm.`,
    examples: { 'before the first charge with it (exit 2 if none is set)': 'paycli ledger push' },
    output: 'at, charges, jobs, updates, known, kept (charges whose payment request has another open one there)',
    exits: ['usage', 'auth', 'ledger', 'refused'],
    load: async () => ({ run: (await import('./keeping.ts')).pushLedger }),
  }),
];

const REPORT_GROUPS = ['day', 'medium', 'profile', 'job', 'operator'] as const;
export type Group = (typeof REPORT_GROUPS)[number];

const momentFor = (zone: Zone, end: 'first' | 'last', name: string, text: string): RequestedTime => {
  try {
    return momentIn(zone, end, text);
  } catch (thrown) {
    throw usageError(`${name}: ${(thrown as Error).message}`);
  }
};

const reportInput = rarely(['utc'], {
  since: option('--since <time>', 'charged since: yesterday, 2h, 7d, 1w, 2026-11-20 or a full timestamp', asText, {
    type: 'time',
  }),
  until: option('--until <time>', 'charged until (the same formats); includes the whole day', asText, {
    type: 'time',
  }),
  today: flag('--today', 'charged today'),
  byPaymentTime: flag('--by-payment-time', 'payments in that time, whenever they were charged'),
  by: option('--by <group>', `one group per ${REPORT_GROUPS.join(', ')}`, asOneOf(REPORT_GROUPS)),
  ...EVERY_PROFILE,
  utc: flag('--utc', "days of UTC instead of this machine's time zone"),
});

const readReport = ({ since, until, utc, ...input }: InputOf<typeof reportInput>) => {
  if (input.today && (since !== undefined || until !== undefined)) {
    throw usageError("--today can't be used with --since or --until");
  }
  const zone: Zone = utc ? 'utc' : 'local';
  return {
    ...input,
    zone,
    since: since === undefined ? undefined : momentFor(zone, 'first', '--since', since),
    until: until === undefined ? undefined : momentFor(zone, 'last', '--until', until),
  };
};
export type ReportInput = ReturnType<typeof readReport>;

export const ledgerReportCommand = defineCommand({
  path: ['ledger', 'report'],
  summary: 'sum the charges of this ledger by result',
  description:
    'Reads only the ledger: run `paycli ledger sync` first to find out who has paid. "charged" is the sum of all ' +
    'payments. It excludes "unknown", which may have been charged. A refund has its line once the service has accepted it; `status` shows one that is unknown. Days are those of this machine\'s time zone, or ' +
    'of UTC with --utc. With --by-payment-time each payment counts on the day of its money. A reversal of all of it takes the money off on ' +
    'the day on which it was seen. Other changes, such as a later part, change the first day. The report covers the service and workspace of the profile. --local covers practice; --all-profiles ' +
    'lists each profile.',
  danger: 'read',
  input: reportInput,
  examples: {
    'the charges of today, by result': 'paycli ledger report --today',
    'a month, day by day, for a spreadsheet':
      'paycli ledger report --since 2026-11-01 --until 2026-11-30 --by day -o csv',
    'how each file went': 'paycli ledger report --by job',
  },
  output:
    'profile (with --all-profiles), day, medium, profile, job or operator (with --by), reported (charged, a payment such as paid, underpaid or reversed, unknown, sending, paid_back, refund_open, too_much), ' +
    'currency, count, amount, without_amount (charges whose amount is not known), since, until, zone, received, ' +
    'without_received; ' +
    'json: {"data":[…],"next_cursor":null}',
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: readReport,
  load: async () => ({ run: (await import('./report.ts')).reportLedger }),
});
