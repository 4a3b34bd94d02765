import { ask, canAsk, plain } from '../../core/asking.ts';
import { PayError, usageError } from '../../core/error.ts';
import { declined } from '../../core/interrupt.ts';
import { sumsText } from '../../core/money.ts';
import type { Result } from '../../core/result.ts';
import { visible } from '../../core/sanitize.ts';
import { formatLocal } from '../../core/time.ts';
import type { Approval } from '../../ledger/approval.ts';
import type { Job } from '../../ledger/job.ts';
import type { Deps } from '../deps.ts';
import { findJob } from './find.ts';
import { countsOf, jobRecordOf, jobView } from './job-view.ts';

const rowsText = ({ rows, unknown }: Approval['total']): string =>
  `${rows} ${rows === 1 ? 'charge' : 'charges'}${unknown === 0 ? '' : `, ${unknown} of them without a known amount`}`;

/** What is approved, in lines. */
const linesOf = (job: Job, { total, askedBy, askedAt }: Approval, now: number): string[] => [
  `${job.name}: ${rowsText(total)}`,
  `for ${sumsText(total.amounts) ?? 'an unknown sum'}`,
  `at ${job.origin}${job.profile === undefined ? '' : `, profile ${job.profile}`}`,
  `asked for by ${askedBy}, ${formatLocal(askedAt, now)}`,
];

/** Shows what is approved, and asks for the sum, so that it has been read. */
const askFor = async (job: Job, approval: Approval, { io, globals }: Deps): Promise<void> => {
  const { total } = approval;
  const sum = visible(sumsText(total.amounts) ?? rowsText(total));
  if (!canAsk(io, globals)) {
    throw usageError('an approval is typed by a person on a terminal', { hint: "--yes doesn't give it" });
  }
  const lines = linesOf(job, approval, io.clock.now()).map(visible);
  const typed = await ask(io.stdin, [...lines, `Type ${sum} to approve: `].join('\n'));
  if (plain(typed) !== plain(sum)) throw declined();
};

/** One person's word that what another one wants to send may be sent. */
export const run = async ({ id }: { readonly id: string }, deps: Deps): Promise<Result> => {
  const ledger = await deps.ledger();
  const job = await findJob(ledger, id);
  const approval = await ledger.policies.approval(id);
  if (approval === undefined) {
    throw usageError(`${id} needs no approval`, {
      hint: 'a file asks for it when it is run under a policy that wants it',
    });
  }
  const me = await deps.operator();
  const { mayBeSame, sameHint } = await deps.protocol();
  const same = mayBeSame(me, approval.askedBy);
  if (same !== undefined) {
    throw new PayError('refused', `${id} was not approved: it was asked for by ${same}`, {
      hint: sameHint(me, approval.askedBy, 'another person has to approve it'),
      ledgerId: id,
    });
  }
  await askFor(job, approval, deps);
  const approved = { ...approval, approvedBy: me, approvedAt: ledger.moment().at };
  await ledger.policies.approve(approved);
  return {
    kind: 'record',
    record: jobRecordOf(job, await countsOf(ledger, job), [], approved),
    view: jobView,
    notice: `${approval.askedBy} can now run the same command again.`,
  };
};
