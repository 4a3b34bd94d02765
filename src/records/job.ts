import type { RowCounts } from '../core/charge.ts';
import { type ApiRecord, madeHere } from '../core/record.ts';
import type { View } from '../core/result.ts';
import type { Job, Worker } from '../ledger/job.ts';
import type { Approval } from '../ledger/policy.ts';
import { columnsOfList, describeFields, pickFields, recordOf } from './fields.ts';

/** Number of rows without a known end. */
export const notStarted = ({ rows }: Job, counts: RowCounts): number =>
  Math.max(0, rows - Object.values(counts).reduce((total, count) => total + count, 0));

export const isApproved = ({ approvedBy }: Approval): boolean => approvedBy !== undefined;

/** New fields come last. */
export const JOB = describeFields({
  id: { type: 'id!', of: 'job' },
  command: 'text!',
  file: { type: 'text!', flexible: true },
  rows: { type: 'count!', always: true },
  accepted: 'count!',
  failed: 'count!',
  rejected: 'count!',
  not_sent: 'count!',
  unknown: 'count!',
  not_created: 'count!',
  sending: 'count!',
  not_started: 'count!',
  created_at: { type: 'time!', label: 'created' },
  run_at: { type: 'time!', label: 'last run' },
  origin: 'text!',
  profile: 'text',
  workers: { type: 'any!', label: 'at work now' },
  approval: { type: 'text', values: ['waiting', 'approved'] },
  asked_by: 'text',
  approved_by: 'text',
  approved_at: { type: 'time', label: 'approved' },
  refused: 'count!',
  invalid: 'count!',
  expired: 'count!',
});

export const jobRecordOf = (
  job: Job,
  counts: RowCounts,
  workers: readonly Worker[],
  approval: Approval | undefined,
): ApiRecord => {
  const fields = {
    ...approval,
    ...job,
    ...counts,
    // The text of a plan names a customer.
    file: job.id.startsWith('plan-') ? 'plan' : job.name,
    not_started: notStarted(job, counts),
    workers: workers.map(({ worker }) => worker),
    approval: approval && (isApproved(approval) ? 'approved' : 'waiting'),
  };
  return madeHere(recordOf(JOB, fields));
};

export const jobView: View = { columns: columnsOfList(JOB, 'id') };

const IMPORTANT = 'unknown not_started failed rejected file rows accepted run_at not_sent not_created sending command';
const BESIDE = 'workers approval refused invalid expired';

/** Jobs of one profile, or of all. The most important columns come first: a narrow terminal drops columns from the end. */
export const jobsView = (allProfiles: boolean): View => ({
  columns: columnsOfList(JOB, `id ${IMPORTANT}`),
  table: pickFields(JOB, allProfiles ? 'id profile' : 'id', IMPORTANT, BESIDE),
});
