import { LOCAL_PROFILE } from '../../core/local.ts';
import { placeWords } from '../../core/place-words.ts';
import type { RowCounts } from '../../core/row.ts';
import { shellLine } from '../../core/shell.ts';
import type { Approval } from '../../ledger/approval.ts';
import type { Job } from '../../ledger/job.ts';
import { isApproved, isOfCharges, notStarted } from './job-view.ts';

const placeOf = ({ profile, origin }: Job): string[] =>
  placeWords({
    local: profile === LOCAL_PROFILE,
    profile: profile === LOCAL_PROFILE ? undefined : profile,
    baseUrl: profile === undefined ? origin : undefined,
  });

/**
 * Charges are looked for at the service, what else was made by a person; to send an update again does no harm once its
 * customer was looked at.
 */
const unknownStep = (job: Job): string => {
  if (job.kind === 'update') return 'run the same command again: it checks each customer first';
  return isOfCharges(job)
    ? `run \`${shellLine(['paycli', 'ledger', 'reconcile', ...placeOf(job)])}\``
    : 'look for each at the service, then record what you found with `paycli ledger resolve`';
};

/** What is to be done first where another person has to approve it. */
export const approvalStep = (approval: Approval | undefined): string[] =>
  approval === undefined || isApproved(approval)
    ? []
    : [`it waits for approval: somebody else than ${approval.askedBy} has to run \`paycli approve ${approval.job}\``];

/** How to go on with a job: a line for each kind of row that is not done; none where all are. */
export const stepsOf = (job: Job, counts: RowCounts): string[] => {
  const { unknown = 0, rejected = 0, failed = 0, not_sent = 0, not_created = 0, refused = 0, invalid = 0 } = counts;
  const steps: readonly (readonly [rows: number, are: string, step: string])[] = [
    [unknown, 'unknown', unknownStep(job)],
    [rejected + failed + not_created, 'rejected, failed or not made', 'run the same command again with --retry-failed'],
    [not_sent, 'not sent', 'run the same command again'],
    [refused, 'refused', 'run the same command again: it checks them again, and says why'],
    // The whole file, changed, is another job, in which rows of some commands would be sent again.
    [invalid, 'invalid', 'send a new file of these rows alone, corrected'],
    [notStarted(job, counts), 'not started', 'run the same command again'],
  ];
  return steps
    .filter(([rows]) => rows > 0)
    .map(([rows, are, step]) => `${rows === 1 ? '1 row is' : `${rows} rows are`} ${are}: ${step}`);
};
