import { findOutStep } from '../../charge/words.ts';
import { scopeOf } from '../../compose/client.ts';
import { counted } from '../../core/bounds.ts';
import { CHARGE, type RowCounts } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { aimed, commandLine, ownerTarget } from '../../core/input.ts';
import { type ApiPage, instantOf, PAGE_MAX } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { type Entry, isCharge, keptAccount } from '../../ledger/entry.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Approval, isPlan } from '../../ledger/policy.ts';
import { type EntryFilter, entriesBehind } from '../../ledger/reconcile.ts';
import { entryRecord, entryView, viewFor } from '../../records/entry.ts';
import { isApproved, jobRecordOf, jobView, notStarted } from '../../records/job.ts';
import { checkPeriod, listedPages, numberedCursors, type StoredList } from '../list.ts';
import { continueCommand, paidTwiceLines } from '../record.ts';
import type { Run } from '../run.ts';
import { entryNamed, findJob, namesJob } from './named.ts';
import type { EntryOptions } from './spec.ts';
import { countRows } from './view.ts';

/** Cursors by sequence number, the order of creation. */
const { cursorOf, seqOf } = numberedCursors('seq:');

/** Yields entries in pages. `seen` gets the entries of each page. */
const entryPages = (
  run: Run,
  ledger: Ledger,
  filter: EntryFilter,
  bounds: { readonly from?: number | undefined; readonly max?: number | undefined },
  seen: (entries: readonly Entry[]) => void = () => undefined,
): AsyncGenerator<ApiPage> => {
  const entries: StoredList<Entry, number> = {
    find: (seq, limit) => entriesBehind(ledger, filter, seq, limit),
    placeOf: ({ seq }) => seq,
    cursorOf,
    recordsOf: async (found) => {
      seen(found);
      return found.map(entryRecord);
    },
    size: PAGE_MAX,
  };
  return listedPages(run, entries, bounds);
};

const entryFilter = (input: EntryOptions, { digest }: Ledger): EntryFilter => {
  const { payment, kind, state, ref, customer, ugwo, job, paidTwice, operator, accountNumber, pspReference } = input;
  const isEmail = customer?.includes('@') === true;
  const account = accountNumber === undefined ? {} : keptAccount(accountNumber, digest);
  return {
    kind: kind === 'all' ? undefined : kind,
    payments: payment,
    states: state,
    ref,
    about: ugwo,
    job,
    ...(isEmail ? { email: customer } : { customer }),
    paidTwice,
    operator,
    pspReference,
    accountDigest: account.accountDigest,
  };
};

/** Throws for a job of updates, which have no entries: an empty list would look like an answer. */
const refuseUpdates = ({ id, kind }: Job): void => {
  if (kind !== 'update') return;
  throw usageError(`${id} updates customers, and the ledger lists no updates`, {
    hint: `to count its rows: \`${shellLine(['paycli', 'ledger', 'show', id])}\`; to see each row, run the same command again with --report`,
  });
};

/** Yields pages, and names the payment requests of their charges that were paid twice after the last one. */
async function* withPaidTwice(
  open: (seen: (entries: readonly Entry[]) => void) => AsyncGenerator<ApiPage>,
  { say }: Run,
): AsyncGenerator<ApiPage> {
  const twice: Entry[] = [];
  try {
    yield* open((entries) => void twice.push(...entries.filter(({ money }) => money?.isPaidTwice === true)));
  } finally {
    const lines = paidTwiceLines(twice);
    if (lines.length > 0) await say(lines);
  }
}

/** Lists the ledger's entries, newest first. */
export const listEntries = async (input: EntryOptions, run: Run): Promise<Result> => {
  const { since, until, job, max, cursor, allProfiles } = input;
  const now = run.io.clock.now();
  await checkPeriod(input, run);
  const started = { since: since && instantOf(since, now), until: until && instantOf(until, now) };
  const from = cursor === undefined ? undefined : seqOf(cursor);
  const ledger = await run.ledger();
  if (job !== undefined) refuseUpdates(await findJob(ledger, job));
  // A job has one profile.
  const scope = allProfiles || job !== undefined ? {} : await scopeOf(run);
  const filter = { ...scope, ...entryFilter(input, ledger), started };
  return {
    kind: 'list',
    pages: withPaidTwice((seen) => entryPages(run, ledger, filter, { from, max }, seen), run),
    view: viewFor(input.kind, allProfiles),
    goOn: (at) => {
      const kind = input.kind === CHARGE ? undefined : input.kind;
      const words = { ...input, kind, all: undefined, cursor: undefined };
      return continueCommand(at, ['ledger', 'list'], words, run.globals, now);
    },
    max,
  };
};

/**
 * Next step for unknown rows. `ledger sync` checks charges at the service; a person checks other requests. An
 * update may be sent again, since its customer is read first.
 */
const unknownStep = (job: Job): string => {
  if (job.kind === 'update' && isPlan(job.id))
    return 'look at the customer; if it is not updated, the agent can plan it again';
  if (job.kind === 'update') return 'run the same command again: it checks each customer first';
  const line = (verb: string): string => `\`${commandLine(ownerTarget(job), 'ledger', verb)}\``;
  // The service shows the outcome of a charge.
  return job.command === 'ugwo charge'
    ? `run ${line('sync')}`
    : `look for each at the service, then record what you found with ${line('resolve')}`;
};

/**
 * Approval of a job. A job without rows to send waits for none: it was sent under another policy.
 */
export const findApproval = async (
  { policies }: Ledger,
  job: Job,
  counts: RowCounts,
): Promise<Approval | undefined> => {
  const approval = await policies.approval(job.id);
  const { not_sent = 0, refused = 0 } = counts;
  const isOver = notStarted(job, counts) + not_sent + refused === 0;
  return isOver && approval !== undefined && !isApproved(approval) ? undefined : approval;
};

/** First step of a job that waits for an approval; empty otherwise. */
const approvalStep = (approval: Approval | undefined, { globals }: Run): string[] => {
  if (approval === undefined || isApproved(approval)) return [];
  const { askedBy, job } = approval;
  const who = isPlan(job) ? 'a person' : `somebody else than ${askedBy}`;
  return [`it waits for approval: ${who} has to run \`${commandLine(globals, 'approve', job)}\``];
};

/** Next steps of a job: one line for each kind of unfinished row; empty if all rows are done. */
const stepsOf = (job: Job, counts: RowCounts): string[] => {
  const { unknown = 0, rejected = 0, failed = 0, not_sent = 0, not_created = 0, refused = 0 } = counts;
  const { invalid = 0, expired = 0 } = counts;
  // Only the agent that planned it can start it.
  if (isPlan(job.id)) return unknown === 0 ? [] : [`its ${job.kind} is unknown: ${unknownStep(job)}`];
  const steps: readonly (readonly [rows: number, are: string, step: string])[] = [
    [unknown, 'unknown', unknownStep(job)],
    [rejected + failed + not_created, 'rejected, failed or not made', 'run the same command again with --retry-failed'],
    [expired, 'expired', 'run the same command again with --retry-failed, which charges them again'],
    [not_sent, 'not sent', 'run the same command again'],
    [refused, 'refused', 'run the same command again: it checks them again, and says why'],
    // The whole file, changed, is another job, in which rows of some commands would be sent again.
    [invalid, 'invalid', 'send a new file of these rows alone, corrected'],
    [notStarted(job, counts), 'not started', 'run the same command again'],
  ];
  return steps
    .filter(([rows]) => rows > 0)
    .map(([rows, are, step]) => `${counted(rows, 'row is', 'rows are')} ${are}: ${step}`);
};

const showJob = async (id: string, run: Run): Promise<Result> => {
  const ledger = await run.ledger();
  const job = await findJob(ledger, id);
  const counts = await countRows(ledger, job);
  const approval = await findApproval(ledger, job, counts);
  const steps = [...approvalStep(approval, run), ...stepsOf(job, counts)];
  return {
    kind: 'record',
    record: jobRecordOf(job, counts, await ledger.jobs.workers(id), approval),
    view: jobView,
    notice: steps,
  };
};

const showCharge = (charge: Entry): Result => {
  const { id, kind, state } = charge;
  const notice = [
    ...paidTwiceLines([charge]),
    ...(state === 'unknown' ? [aimed(findOutStep(id, kind), ownerTarget(charge))] : []),
  ];
  return { kind: 'record', record: entryRecord(charge), view: entryView(charge), notice };
};

/** Shows one charge with its evidence, or one job with its row counts and next steps. */
export const showEntry = async ({ id }: { readonly id: string }, run: Run): Promise<Result> => {
  if (namesJob(id)) return showJob(id, run);
  return showCharge(await entryNamed(id, { one: 'charge', can: isCharge }, run));
};
