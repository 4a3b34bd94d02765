import { CHARGE, ROW_STATES, type RowCounts, readNextAction } from '../../core/charge.ts';
import { NumberText, valueAt } from '../../core/json.ts';
import { type ApiRecord, madeExactly, madeHere } from '../../core/record.ts';
import {
  amountColumn,
  type Column,
  columnsNamed,
  createdColumn,
  emailColumn,
  type InnerList,
  refColumn,
  type View,
} from '../../core/result.ts';
import type { StatusWords } from '../../core/status.ts';
import { atom } from '../../core/time.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Job, Worker } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Approval } from '../../ledger/policy.ts';
import type { Sum, Synced } from '../../ledger/report.ts';

/** Columns headed by their words: "not sent" for `not_sent`. */
const columnsWorded = (names: string, more: Partial<Column> = {}): Column[] =>
  columnsNamed(names, more).map((column) => ({ ...column, label: column.path.replaceAll('_', ' ') }));

const recorded: Column = { path: 'recorded_at', kind: 'time', label: 'recorded' };
const exitCode: Column = { path: 'exit_code', label: 'exit code' };

/** The payment of an accepted charge, else the state of the entry. */
const statusColumn: Column = {
  path: 'payment',
  or: 'state',
  kind: 'state',
  label: 'status',
  needed: true,
  peopleOnly: true,
};

const TABLE: readonly Column[] = [
  refColumn,
  emailColumn,
  amountColumn,
  statusColumn,
  createdColumn,
  { path: 'received', kind: 'money' },
  ...columnsNamed('id customer medium ugwo activity'),
  { path: 'origin', flexible: true },
];

/** Columns of the table of other kinds, or of all of them. */
const KINDS_TABLE: readonly Column[] = [
  { path: 'kind', needed: true },
  amountColumn,
  statusColumn,
  { path: 'about' },
  createdColumn,
  { path: 'id' },
  { path: 'origin', flexible: true },
];

/** Columns for programs, in a stable order. New ones come last. */
const FOR_PROGRAMS: readonly Column[] = [
  { path: 'id' },
  { path: 'state', kind: 'state' },
  ...columnsNamed('ugwo medium'),
  createdColumn,
  { path: 'status', kind: 'state' },
  ...columnsNamed('activity origin profile job row'),
  recorded,
  exitCode,
  amountColumn,
  ...columnsNamed('currency ref customer'),
  { path: 'payment', kind: 'state' },
  ...columnsNamed('kind about'),
  { path: 'received', kind: 'money' },
  { path: 'received_assumed' },
  ...columnsNamed('missing excess refunded', { kind: 'money' }),
  { path: 'paid_at', kind: 'time' },
  ...columnsNamed('customer_email operator paid_twice account_last4 disputed'),
];

/** Entries of one kind or of all, of one profile or of all. */
export const viewFor = (kind: string, allProfiles: boolean): View => {
  const table = kind === CHARGE ? TABLE : KINDS_TABLE;
  return { columns: FOR_PROGRAMS, table: allProfiles ? table.toSpliced(6, 0, { path: 'profile' }) : table };
};

const seen: InnerList = {
  path: 'evidence',
  heading: 'evidence',
  columns: [
    { path: 'at', kind: 'time' },
    ...columnsNamed('kind found'),
    { path: 'status', kind: 'state' },
    ...columnsNamed('message why', { flexible: true }),
    { path: 'as' },
    ...columnsNamed('by reason', { flexible: true }),
  ],
};

/** Activities that the last check showed, possible matches first. */
const lastLook = ({ evidence }: Entry): InnerList[] => {
  const index = evidence.findLastIndex(({ kind }) => kind === 'look');
  const listOf = (name: string, heading: string, reason: string): InnerList => ({
    path: `evidence.${index}.${name}`,
    heading,
    columns: [
      { path: 'uid' },
      { path: 'status', kind: 'state' },
      { path: 'medium' },
      { path: 'created_at', kind: 'time' },
      { path: reason, flexible: true },
    ],
  });
  const lists = [
    listOf('candidates', 'possible activities', 'doubt'),
    listOf('excluded', 'excluded activities', 'why'),
  ];
  return lists.filter(({ path }) => valueAt({ evidence }, `${path}.0`) !== undefined);
};

const chargeView: View = {
  columns: [
    { path: 'id' },
    { path: 'state', kind: 'state' },
    { path: 'ugwo', label: 'payment request' },
    ...columnsNamed('medium provider phone activity'),
    ...columnsNamed('status payment', { kind: 'state' }),
    ...columnsNamed('amount received', { kind: 'money' }),
    { path: 'received_assumed', label: 'received assumed' },
    ...columnsNamed('missing excess refunded', { kind: 'money' }),
    { path: 'paid_at', kind: 'time', label: 'paid' },
    { path: 'paid_twice', label: 'paid twice' },
    { path: 'disputed' },
    { path: 'currency', machineOnly: true },
    { path: 'ref' },
    { path: 'customer_email', label: 'customer' },
    { path: 'customer', label: 'customer id' },
    { path: 'account_last4', label: 'account ends in' },
    ...columnsNamed('operator origin profile job row'),
    createdColumn,
    recorded,
    exitCode,
    ...columnsNamed('next_action evidence', { machineOnly: true }),
  ],
  nextAction: (value) => (valueAt(value, 'payment') === 'open' ? readNextAction(value) : undefined),
};

const otherView: View = {
  columns: [
    ...columnsNamed('id kind'),
    { path: 'state', kind: 'state' },
    { path: 'about' },
    { path: 'request.path', label: 'path' },
    { path: 'request.body', label: 'body' },
    ...columnsNamed('origin profile'),
    createdColumn,
    recorded,
    exitCode,
    { path: 'evidence', machineOnly: true },
  ],
};

/** View of one entry with all its evidence. */
export const entryView = (entry: Entry): View => ({
  ...(entry.kind === CHARGE ? chargeView : otherView),
  lists: entry.evidence.length === 0 ? [] : [seen, ...lastLook(entry)],
});

/** Output row of a sum. The amount keeps all its digits. */
export const sumRecord = ({ payment, currency, count, amount, received }: Sum<Synced>): ApiRecord => {
  const exact = (sum: bigint | undefined) => (sum === undefined ? null : new NumberText(String(sum)));
  return madeExactly({ payment, currency: currency ?? null, count, amount: exact(amount), received: exact(received) });
};

export const paymentSumsView: View = {
  columns: [
    { path: 'payment', kind: 'state' },
    { path: 'currency', machineOnly: true },
    { path: 'count', kind: 'count' },
    ...columnsNamed('amount received', { kind: 'money' }),
  ],
};

/** Rows of a job by state: its entries as they are now, plus the counts of its last run. */
export const countRows = async ({ jobs }: Ledger, job: Job): Promise<RowCounts> => {
  const [counts, { adjustments = {} }] = [await jobs.tally(job), job];
  return Object.fromEntries(
    // Another run may have begun a row since.
    ROW_STATES.map((state) => [state, Math.max(0, (counts[state] ?? 0) + (adjustments[state] ?? 0))]),
  );
};

/** Number of rows without a known end. */
export const notStarted = ({ rows }: Job, counts: RowCounts): number =>
  Math.max(0, rows - Object.values(counts).reduce((total, count) => total + count, 0));

export const isApproved = ({ approvedBy }: Approval): boolean => approvedBy !== undefined;

export const jobRecordOf = (
  job: Job,
  counts: RowCounts,
  workers: readonly Worker[],
  approval: Approval | undefined,
): ApiRecord => {
  // These came later, and so are the last.
  const { refused = 0, invalid = 0, expired = 0, ...others } = counts;
  return madeHere({
    id: job.id,
    command: job.command,
    // The text of a plan names a customer.
    file: job.id.startsWith('plan-') ? 'plan' : job.name,
    rows: job.rows,
    ...others,
    not_started: notStarted(job, counts),
    created_at: atom(job.createdAt),
    run_at: atom(job.runAt),
    origin: job.origin,
    profile: job.profile ?? null,
    workers: workers.map(({ worker }) => worker),
    approval: approval === undefined ? null : isApproved(approval) ? 'approved' : 'waiting',
    asked_by: approval?.askedBy ?? null,
    approved_by: approval?.approvedBy ?? null,
    approved_at: atom(approval?.approvedAt),
    refused,
    invalid,
    expired,
  });
};
const lastRun: Column = { path: 'run_at', kind: 'time', label: 'last run' };
const BESIDE: readonly Column[] = columnsNamed('refused invalid expired', { kind: 'count' });

/** List of jobs. The most important columns come first: a narrow terminal drops columns from the end. */
export const jobsView: View = {
  columns: [
    { path: 'id' },
    ...columnsNamed('unknown not_started failed rejected', { kind: 'count' }),
    { path: 'file', flexible: true },
    { path: 'rows', kind: 'count', always: true },
    { path: 'accepted', kind: 'count' },
    lastRun,
    ...columnsNamed('not_sent not_created sending', { kind: 'count' }),
    { path: 'command' },
    { ...createdColumn, machineOnly: true },
    ...columnsNamed('origin profile', { machineOnly: true }),
    { path: 'workers', label: 'at work now' },
    { path: 'approval' },
    ...columnsNamed('asked_by approved_by approved_at', { machineOnly: true }),
    ...BESIDE,
  ],
};

export const everyJobsView: View = {
  columns: jobsView.columns.toSpliced(1, 0, { path: 'profile', peopleOnly: true }),
};

export const jobView: View = {
  columns: [
    ...columnsNamed('id command file'),
    { path: 'rows', kind: 'count', always: true },
    ...columnsWorded('accepted failed rejected not_sent unknown not_created sending not_started', { kind: 'count' }),
    createdColumn,
    lastRun,
    ...columnsNamed('origin profile'),
    { path: 'workers', label: 'at work now' },
    ...columnsWorded('approval asked_by approved_by'),
    { path: 'approved_at', kind: 'time', label: 'approved' },
    ...BESIDE,
  ],
};

/** Kinds of cases that need a person, the gravest first. */
export const CASES = [
  'disputed',
  'paid_twice',
  'overpaid',
  'underpaid',
  'reversed',
  'refund_disputed',
  'refund_failed',
  'unknown',
  'approval',
  'webhooks',
  'not_shared',
  'expires_soon',
] as const;

const caseKind: Column = { path: 'kind', kind: 'state' };
const command: Column = { path: 'command', needed: true };

/** View of the cases. `what` says in a few words what happened. */
export const caseView: View = {
  columns: [
    caseKind,
    ...columnsNamed('ugwo ref'),
    amountColumn,
    { path: 'currency' },
    { path: 'since', kind: 'time' },
    command,
  ],
  table: [caseKind, { path: 'ref', or: 'ugwo' }, { path: 'what', peopleOnly: true }, command],
};

/** View of compared lines and payments. `expected` is what the ledger has. */
export const matchView: View = {
  columns: [
    { path: 'result', kind: 'state' },
    ...columnsNamed('by row day'),
    ...columnsNamed('amount fee', { kind: 'money' }),
    { path: 'currency' },
    ...columnsNamed('difference expected', { kind: 'money' }),
    ...columnsNamed('kind id ugwo ref'),
    { path: 'paid_at', kind: 'time' },
    ...columnsNamed('profile text'),
  ],
  table: [
    { path: 'result', kind: 'state', needed: true },
    { path: 'day', needed: true },
    { path: 'amount', or: 'expected', kind: 'money', needed: true },
    { path: 'ref', or: 'text', label: 'what', flexible: true, needed: true, least: 6, peopleOnly: true },
    { path: 'difference', kind: 'money' },
    { path: 'row' },
  ],
};

const FOUND_WORDS: StatusWords = {
  customer_email: 'e-mail address',
  account_number: 'account number',
  psp_reference: 'psp reference',
  ugwo: 'payment request',
  // The service's own names.
  email: 'e-mail address',
  psp_external_id: 'psp reference',
};

/** A row of a view: what is undefined is null. */
export const rowOf = ({ columns }: View, value: object) =>
  Object.fromEntries(columns.map(({ path }) => [path, valueAt(value, path) ?? null]));

/** View of what `find` finds: charges, or payment requests of the service. On a narrow terminal they are stacked. */
export const hitView: View = {
  columns: [...FOR_PROGRAMS, ...columnsNamed('source found_by command')],
  table: [
    ...TABLE.slice(0, 4),
    { path: 'received', kind: 'money' },
    { path: 'paid_at', kind: 'time', label: 'paid' },
    command,
    createdColumn,
    { path: 'found_by', kind: 'state', words: FOUND_WORDS, label: 'found by' },
    ...columnsNamed('ugwo profile'),
  ],
};
