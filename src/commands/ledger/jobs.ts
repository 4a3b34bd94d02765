import { NEXT_STEP } from '../../charge/words.ts';
import type { InputOf } from '../../cli/define.ts';
import type { STORED_LIST } from '../../cli/options.ts';
import { scopeOf } from '../../compose/client.ts';
import { counted } from '../../core/bounds.ts';
import { declinedError, PayError, usageError } from '../../core/error.ts';
import { askText, canAsk, codeWord } from '../../core/input.ts';
import { sumsText } from '../../core/money.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { visible } from '../../core/text.ts';
import { formatLocal } from '../../core/time.ts';
import type { Scope } from '../../ledger/entry.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Approval, isPlan, PLAN_VALID_MS, textOfPlan } from '../../ledger/policy.ts';
import { operatorOf } from '../../ledger/sender.ts';
import { jobRecordOf, jobsView, jobView } from '../../records/job.ts';
import { foreignCursor, listedPages, type StoredList } from '../list.ts';
import { continueCommand } from '../record.ts';
import type { Run } from '../run.ts';
import { findApproval } from './entries.ts';
import { findJob } from './named.ts';
import { countRows } from './view.ts';

/** Jobs per page. Counting a million rows takes a good part of a second, so pages are small. */
const JOBS_PER_PAGE = 10;

const cursorOf = (id: string): string => Buffer.from(id).toString('base64url');

/** Decodes a cursor to its job id. Throws a usage error for a foreign text. */
const placeBehind = async ({ jobs }: Ledger, cursor: string): Promise<string> => {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (cursorOf(id) !== cursor || (await jobs.get(id)) === undefined) throw foreignCursor(cursor);
  return id;
};

const jobsOf = (ledger: Ledger, scope: Scope): StoredList<Job, string> => ({
  find: (before, limit) => ledger.jobs.list({ ...scope, before, limit }),
  placeOf: ({ id }) => id,
  cursorOf,
  recordsOf: async (found) => {
    const records: ApiRecord[] = [];
    for (const job of found) {
      const counts = await countRows(ledger, job);
      const [workers, approval] = [await ledger.jobs.workers(job.id), await findApproval(ledger, job, counts)];
      records.push(jobRecordOf(job, counts, workers, approval));
    }
    return records;
  },
  size: JOBS_PER_PAGE,
});

/** Lists the jobs in the ledger, newest first. */
export const listJobs = async (
  { max, cursor, allProfiles }: InputOf<typeof STORED_LIST>,
  run: Run,
): Promise<Result> => {
  const ledger = await run.ledger();
  const from = cursor === undefined ? undefined : await placeBehind(ledger, cursor);
  return {
    kind: 'list',
    pages: listedPages(run, jobsOf(ledger, allProfiles ? {} : await scopeOf(run)), { from, max }),
    view: jobsView(allProfiles),
    goOn: (at) => continueCommand(at, ['ledger', 'jobs'], { max, allProfiles }, run.globals),
    max,
  };
};

const approvedRowsText = ({ rows, unknown }: Approval['total'], kind: Job['kind']): string =>
  `${counted(rows, kind)}${unknown === 0 ? '' : `, ${unknown} of them without a known amount`}`;

const approvalLines = (job: Job, what: string, { total, askedBy, askedAt }: Approval, now: number): string[] => [
  `${what}: ${approvedRowsText(total, job.kind)}`,
  ...(job.kind === 'charge' ? [`for ${sumsText(total.amounts) ?? 'an unknown sum'}`] : []),
  `at ${job.origin}${job.profile === undefined ? '' : `, profile ${job.profile}`}`,
  `asked for by ${askedBy}, ${formatLocal(askedAt, now)}`,
];

/** Shows what is approved. The person types the sum, which proves that it was read. */
const askFor = async (job: Job, what: string, approval: Approval, { io, globals }: Run): Promise<void> => {
  const { total } = approval;
  const sum = visible(sumsText(total.amounts) ?? approvedRowsText(total, job.kind));
  if (!canAsk(io, globals)) {
    throw usageError('an approval is typed by a person on a terminal', { hint: "--yes doesn't give it" });
  }
  const lines = approvalLines(job, what, approval, io.clock.now()).map(visible);
  const typed = await askText(io.stdin, [...lines, `Type ${sum} to approve: `].join('\n'));
  if (codeWord(typed) !== codeWord(sum)) throw declinedError();
};

/** Records one person's approval of a job that another person wants to send. */
export const approve = async ({ id }: { readonly id: string }, run: Run): Promise<Result> => {
  const ledger = await run.ledger();
  const job = await findJob(ledger, id);
  const planned = isPlan(id);
  if (!planned && ledger.account === undefined) {
    throw usageError(`${id}: a ledger file can't tell who approves a file`, { hint: NEXT_STEP.share });
  }
  const approval = await ledger.policies.approval(id);
  const isOver = planned && approval !== undefined && ledger.moment().at > approval.askedAt + PLAN_VALID_MS;
  if (approval === undefined || (planned && approval.approvedBy && !isOver)) {
    throw usageError(`${id} needs no approval`, {
      hint: 'a file asks for it when it is run under a policy that wants it; an agent, when it plans a charge or an update',
    });
  }
  const what = planned ? textOfPlan(ledger, id, job.name) : job.name;
  if (what === undefined || isOver) {
    throw new PayError('refused', `${id} has expired`, {
      hint: 'the agent has to plan it again',
      ledgerId: id,
    });
  }
  const me = operatorOf(ledger);
  // An agent runs as the person who started it. That person approves on a terminal.
  if (!planned && me === approval.askedBy) {
    throw new PayError('refused', `${id} was not approved: it was asked for by you, ${me}`, {
      hint: 'another person has to approve it',
      ledgerId: id,
    });
  }
  await askFor(job, what, approval, run);
  const approved = { ...approval, approvedBy: me, approvedAt: ledger.moment().at };
  await ledger.policies.approve(approved);
  return {
    kind: 'record',
    record: jobRecordOf(job, await countRows(ledger, job), [], approved),
    view: jobView,
    notice: planned ? 'The agent can now confirm it.' : `${approval.askedBy} can now run the same command again.`,
  };
};
