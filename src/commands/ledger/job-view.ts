import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Column, View } from '../../core/result.ts';
import { ROW_STATES, type RowCounts } from '../../core/row.ts';
import { atom } from '../../core/time.ts';
import type { Approval } from '../../ledger/approval.ts';
import type { Job, Update, Worker } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Whether its rows are charges, of which the service shows what became. */
export const isOfCharges = ({ command }: Pick<Job, 'command'>): boolean => command === 'ugwo charge';

/** How the rows of a job stand: its entries as they are by now, and what its last run counted beside them. */
export const countsOf = async ({ jobs }: Ledger, job: Job): Promise<RowCounts> => {
  const [counts, { adjustments = {} }] = [await jobs.tally(job), job];
  return Object.fromEntries(
    // Another run may have begun a row since.
    ROW_STATES.map((state) => [state, Math.max(0, (counts[state] ?? 0) + (adjustments[state] ?? 0))]),
  );
};

/** How many rows have no end that anybody knows of. */
export const notStarted = ({ rows }: Job, counts: RowCounts): number =>
  Math.max(0, rows - Object.values(counts).reduce((total, count) => total + count, 0));

/** Whether somebody has said that the file may be sent. */
export const isApproved = ({ approvedBy }: Approval): boolean => approvedBy !== undefined;

/** A job as a row of output, with how its rows stand. */
export const jobRecordOf = (
  job: Job,
  counts: RowCounts,
  workers: readonly Worker[],
  approval: Approval | undefined,
): Received =>
  madeHere({
    id: job.id,
    command: job.command,
    file: job.name,
    rows: job.rows,
    accepted: counts.accepted ?? 0,
    failed: counts.failed ?? 0,
    rejected: counts.rejected ?? 0,
    not_sent: counts.not_sent ?? 0,
    unknown: counts.unknown ?? 0,
    not_created: counts.not_created ?? 0,
    sending: counts.sending ?? 0,
    not_started: notStarted(job, counts),
    created_at: atom(job.createdAt),
    run_at: atom(job.runAt),
    origin: job.origin,
    profile: job.profile ?? null,
    workers: workers.map(({ worker }) => worker),
    approval: approval === undefined ? null : isApproved(approval) ? 'approved' : 'waiting',
    asked_by: approval?.askedBy ?? null,
    approved_by: approval?.approvedBy ?? null,
    approved_at: approval?.approvedAt === undefined ? null : atom(approval.approvedAt),
    refused: counts.refused ?? 0,
    invalid: counts.invalid ?? 0,
  });

const created: Column = { path: 'created_at', kind: 'time', label: 'created' };
const lastRun: Column = { path: 'run_at', kind: 'time', label: 'last run' };
/** Columns that came later, and so are the last. */
const BESIDE: readonly Column[] = [
  { path: 'refused', kind: 'count' },
  { path: 'invalid', kind: 'count' },
];

/** Jobs in a list. What matters most at night comes first: a narrow terminal drops from the end. */
export const jobsView: View = {
  columns: [
    { path: 'id' },
    { path: 'unknown', kind: 'count' },
    { path: 'not_started', kind: 'count' },
    { path: 'failed', kind: 'count' },
    { path: 'rejected', kind: 'count' },
    { path: 'file', flexible: true },
    { path: 'rows', kind: 'count', always: true },
    { path: 'accepted', kind: 'count' },
    lastRun,
    { path: 'not_sent', kind: 'count' },
    { path: 'not_created', kind: 'count' },
    { path: 'sending', kind: 'count' },
    { path: 'command' },
    { ...created, machineOnly: true },
    { path: 'origin', machineOnly: true },
    { path: 'profile', machineOnly: true },
    { path: 'workers', label: 'at work now' },
    { path: 'approval' },
    { path: 'asked_by', machineOnly: true },
    { path: 'approved_by', machineOnly: true },
    { path: 'approved_at', machineOnly: true },
    ...BESIDE,
  ],
};

/** Jobs of every profile. */
export const everyJobsView: View = {
  columns: jobsView.columns.toSpliced(1, 0, { path: 'profile', peopleOnly: true }),
};

/** One job on a card. */
export const jobView: View = {
  columns: [
    { path: 'id' },
    { path: 'command' },
    { path: 'file' },
    { path: 'rows', kind: 'count', always: true },
    { path: 'accepted', kind: 'count' },
    { path: 'failed', kind: 'count' },
    { path: 'rejected', kind: 'count' },
    { path: 'not_sent', kind: 'count', label: 'not sent' },
    { path: 'unknown', kind: 'count' },
    { path: 'not_created', kind: 'count', label: 'not created' },
    { path: 'sending', kind: 'count' },
    { path: 'not_started', kind: 'count', label: 'not started' },
    created,
    lastRun,
    { path: 'origin' },
    { path: 'profile' },
    { path: 'workers', label: 'at work now' },
    { path: 'approval' },
    { path: 'asked_by', label: 'asked by' },
    { path: 'approved_by', label: 'approved by' },
    { path: 'approved_at', kind: 'time', label: 'approved' },
    ...BESIDE,
  ],
};

/** An update of a customer as a row of output. */
export const updateRecordOf = ({ job, row, onye, state, exitCode, message }: Update): Received =>
  madeHere({ job, row, uid: onye, state, exit_code: exitCode ?? null, message: message ?? null });

export const updatesView: View = {
  columns: ['job', 'row', 'uid', 'state', 'exit_code', 'message'].map((path) => ({ path })),
};
