import { NEXT_STEP } from '../charge/words.ts';
import type { BulkInput } from '../cli/bulk-options.ts';
import type { Client } from '../client/client.ts';
import { counted } from '../core/bounds.ts';
import { interrupted, isRejected, PayError, usageError } from '../core/error.ts';
import { isId } from '../core/ids.ts';
import { sumsText } from '../core/money.ts';
import { shellLine } from '../core/shell.ts';
import { openSeen } from '../database/seen.ts';
import { addTotals, dayOf, type Policy, type Total, worthOf } from '../ledger/policy.ts';
import type { InputRow } from './cells.ts';
import { bitSet } from './counters.ts';
import type { FileRun, Meant, RowCheck, RowDeps, RowKind, RowSender, RowServices } from './kind.ts';
import { findIds } from './names.ts';
import type { RowsFile } from './read-file.ts';
import { jobOfReport, type Reporter } from './report.ts';
import { type ColumnFault, invalidEnd, type RowEnd } from './row-end.ts';
import { type NextInput, openLeftovers, type ReadRow, type RowReader } from './rows.ts';
import type { RowsWalked, RowWalk } from './walk.ts';

/** A job whose rows may be sent. */
export interface SendingJob<T> {
  readonly id: string;
  readonly rowDeps: RowDeps;
  readonly sender: RowSender<T>;
  readonly policy: FilePolicy | undefined;
}

/** A file of rows, opened with its options. */
export interface FileJob<T> {
  readonly bulk: BulkInput;
  /** The file's name in messages. */
  readonly name: string;
  readonly kind: RowKind<T>;
  readonly run: FileRun;
  readonly client: Client;
  readonly services: RowServices;
  readonly input: NextInput;
  readonly reader: RowReader<T>;
  readonly reporter: Reporter;
  /** Undefined if --dry-run only checks the file, and does not open the ledger. */
  readonly job: SendingJob<T> | undefined;
  readonly walk: (walk: RowWalk<T>) => Promise<RowsWalked>;
}

/** The result of reading a file from its first row to its last (docs/protocol.md, Files). */
export interface Plan extends Pick<RowWalk<never>, 'bad'> {
  rows: number;
  /** Bad rows for which an earlier command made nothing. */
  leftOut: number;
  /** The first faults, up to a limit, each with its row; the first row is 1. */
  readonly faults: (ColumnFault & { readonly row: number })[];
  /** The number of rows under each label of the confirmation question. */
  readonly counts: Map<string, number>;
  /** The sums by currency, in the minor unit. */
  readonly sums: Map<string, bigint>;
  /** Rows with money whose amount is not known. */
  unpriced: number;
  /** True if a row is compared with its object. */
  compares: boolean;
  readonly leftovers: ReturnType<typeof openLeftovers>;
}

/** A plan, and the reader that knows the ids of all names in the file. */
interface Planned<T> {
  readonly plan: Plan;
  readonly reader: RowReader<T>;
}

/** The number of faults that fit on a screen. */
const MOST_FAULTS = 20;

const emptyPlan = (): Plan => ({
  rows: 0,
  leftOut: 0,
  bad: bitSet(),
  faults: [],
  counts: new Map(),
  sums: new Map(),
  unpriced: 0,
  compares: false,
  leftovers: openLeftovers(),
});

const leaveOut = ({ bad, faults }: Plan, row: number, found: readonly ColumnFault[]): void => {
  bad.set(row);
  for (const { column, what } of found) if (faults.length < MOST_FAULTS) faults.push({ row, column, what });
};

const throwIfStopped = ({ signals: { stop } }: FileRun['io'], isStopped = stop.aborted): void => {
  if (isStopped) throw interrupted(stop.reason);
};

/** Writes the bad rows to the report. */
const reportBad = async <T>(
  { run, input, reporter }: Pick<FileJob<T>, 'run' | 'input' | 'reporter'>,
  { bad }: Plan,
  judge: (row: InputRow) => ReadRow<T>,
): Promise<void> => {
  for await (const row of input.rows()) {
    throwIfStopped(run.io);
    const asked = bad.has(row.number) ? judge(row) : undefined;
    if (asked !== undefined && 'faults' in asked) await reporter.write(row, invalidEnd(asked.faults));
  }
};

/**
 * Reads the whole file and checks every row; sends nothing. Rows may have names in place of ids: they are looked up
 * together after the first reading, and a second one has their ids.
 */
const planRows = async <T>(file: FileJob<T>): Promise<Planned<T>> => {
  const { bulk, kind, run, services, reader, job, walk } = file;
  const plan = emptyPlan();
  const [, prefix] = kind.named ?? [];
  const names = new Map<string, Meant | undefined>();
  const seen = bulk.allowRepeats ? undefined : openSeen();
  const judge = (row: InputRow): ReadRow<T> => {
    const asked = reader.judge(row);
    const first = 'faults' in asked ? undefined : seen?.firstAt(asked.key, row.number);
    if (first === undefined) return asked;
    return { faults: [{ column: kind.key.name, what: `duplicate of row ${first} (allow with --allow-repeats)` }] };
  };
  const read = (row: InputRow): ReadRow<T> => {
    plan.rows = row.number;
    const name = reader.newNameIn(row);
    if (name !== undefined) names.set(name, names.get(name));
    const asked = judge(row);
    if ('faults' in asked) return asked;
    plan.leftovers.add(reader.leftoversIn(row));
    const { item } = asked;
    for (const label of kind.counts(item)) plan.counts.set(label, (plan.counts.get(label) ?? 0) + 1);
    const money = kind.money?.(item);
    plan.unpriced += Number(kind.money !== undefined && money === undefined);
    if (money !== undefined) plan.sums.set(money.currency, (plan.sums.get(money.currency) ?? 0n) + BigInt(money.minor));
    plan.compares ||= kind.compares?.(item) === true;
    return asked;
  };
  // The name of a row that was sent may be gone by now: an update may have changed it, and another record taken it.
  const keepId = (row: InputRow, id: string): void => {
    const name = reader.newNameIn(row);
    if (prefix !== undefined && name !== undefined && isId(prefix, id)) names.set(name, { ids: [id] });
  };
  // A row that was sent may have become invalid since, for example because a date in it has passed.
  const onSettled = async (row: InputRow, { faults = [] }: RowEnd): Promise<void> => {
    const end = (await job?.sender.earlier(row.number, row.number))?.get(row.number);
    const isDone = end !== undefined && job?.sender.takesUp(end) === false;
    if (end?.about !== undefined && (isDone || end.state === 'unknown')) keepId(row, end.about);
    if (isDone) return;
    const isLeftOut = reader.isLeftOut(row);
    if (isLeftOut) plan.leftOut += 1;
    leaveOut(plan, row.number, isLeftOut ? [] : faults);
  };
  try {
    const { stopped } = await walk({
      ...plan,
      mode: 'plan',
      read,
      onSettled,
      tell: ({ done, passed }) => services.progress.reading(done + passed),
    });
    throwIfStopped(run.io, stopped !== undefined);
    if (prefix !== undefined && names.size > 0) {
      return await planRows({ ...file, reader: reader.withIds(await findIds(prefix, names, services, run)) });
    }
    // A file that can't be read to its end must not leave part of a report, which looks like a complete one.
    if (bulk.report === undefined || plan.bad.count === 0) return { plan, reader };
    await reportBad(file, plan, judge);
    return { plan, reader };
  } finally {
    seen?.close();
  }
};

/** The reasons of the service against sending a row; a rejected read is one. */
const faultsAt = async <T>(
  { key, compares, check }: RowKind<T>,
  item: T,
  how: RowCheck,
): Promise<readonly ColumnFault[]> => {
  if (!how.check && compares?.(item) !== true) return [];
  try {
    return (await check?.(item, how)) ?? [];
  } catch (thrown) {
    if (!isRejected(thrown)) throw thrown;
    return [{ column: key.name, what: thrown.message }];
  }
};

/**
 * Reads the object of each row that is left to send, before anything is sent; without `check`, only of rows to compare
 * with it. Adds the faults to the plan.
 */
const checkRows = async <T>(
  { kind, run, client, services, reader, reporter, walk }: FileJob<T>,
  plan: Plan,
  check: boolean,
): Promise<void> => {
  const { stopped } = await walk({
    ...plan,
    mode: 'check',
    read: reader.read,
    work: async ({ item }, _row, { slowDown }) => {
      const found = await faultsAt(kind, item, { check, client: client.paced({ slowDown }) });
      return found.length === 0 ? undefined : invalidEnd(found);
    },
    onSettled: async (row, end) => {
      if (end.faults === undefined) return;
      leaveOut(plan, row.number, end.faults);
      await reporter.write(row, end);
    },
    tell: ({ done, passed }) => services.progress.checking(done + passed, plan.rows),
  });
  throwIfStopped(run.io, stopped !== undefined);
};

/**
 * A bad row ends the run before anything is sent, with the first faults; not with --skip-invalid while other rows are
 * valid.
 */
const refuseBad = (
  { bad, faults, leftOut, rows }: Plan,
  { bulk, name }: Pick<FileJob<never>, 'bulk' | 'name'>,
): void => {
  if (bad.count === 0 || ((bulk.skipInvalid || bad.count === leftOut) && bad.count < rows)) return;
  const more = bulk.report === undefined ? '--report FILE lists all of them' : `all of them are in ${bulk.report}`;
  throw usageError(`${name}: ${bad.count - leftOut} of ${counted(rows, 'row')} can't be sent; nothing was sent`, {
    violations: faults.map(({ row, column, what }) => ({
      propertyPath: '',
      title: what,
      row,
      ...(column === undefined ? {} : { column }),
    })),
    hint: `${bulk.skipInvalid ? 'fix the file: no row is valid' : 'fix the file, or skip these rows with --skip-invalid'}; ${more}`,
  });
};

/** Plans a file; throws unless it can be sent, as far as that can be known in advance. */
export const planFile = async <T>(file: FileJob<T>): Promise<Planned<T>> => {
  const { bulk, name, kind, run, job } = file;
  const planned = await planRows(file);
  const { plan, reader } = planned;
  // A header without rows is more often a broken export than an intended empty file.
  if (plan.rows === 0) {
    throw usageError(`${name} has no rows; nothing was sent`, {
      hint: 'a CSV file needs a header and then one line per row',
    });
  }
  const { leftOut } = plan;
  const without = `without a value for ${kind.key.name}`;
  if (leftOut === plan.rows) {
    throw usageError(`${name} has only rows ${without}; nothing was sent`, {
      hint: 'it is the report of an earlier command: its column state says how each row ended',
    });
  }
  refuseBad(plan, file);
  if (leftOut > 0)
    await run.say(
      `Skipped ${counted(leftOut, 'row')} ${without}: the column state says how ${leftOut === 1 ? 'it' : 'each'} ended.`,
    );
  const leftovers = plan.leftovers.notice();
  if (leftovers !== undefined) await run.say(leftovers);
  const check = bulk.check || job?.policy !== undefined;
  if (!check && !plan.compares) return planned;
  await checkRows({ ...file, reader }, plan, check);
  refuseBad(plan, file);
  for (const line of kind.warnings?.() ?? []) await run.say(line);
  return planned;
};

/** A --check without anything to read would wrongly say that all is well. */
export const refuseCheck = ({ check }: BulkInput, kind: Pick<RowKind<never>, 'command' | 'check'>): void => {
  if (!check || kind.check !== undefined) return;
  throw usageError(`--check: ${kind.command} has nothing to look at beforehand`, {
    hint: 'leave it out; --dry-run checks the file alone',
  });
};

export const refuseOtherJob = (id: string, { resume, from }: BulkInput): void => {
  if (resume === undefined || resume === id) return;
  throw usageError(`--resume ${resume}: ${from} with these options is a different job, ${id}`, {
    hint: `the file, an option or the service has changed: compare with \`${shellLine(['paycli', 'ledger', 'show', resume])}\`, or leave out --resume to start a new job`,
  });
};

/**
 * Refuses to overwrite the input, a file of paycli itself, and another job's report, which may be the only place that
 * has a customer's account number, or any other file.
 */
export const refuseReport = async <T>(
  report: string,
  { input, services: { ownFileAt, checkPath } }: Pick<FileJob<T>, 'services'> & { readonly input: RowsFile },
  job = '',
): Promise<void> => {
  const own = (await input.isAt(report)) ? 'the input file' : ownFileAt(report);
  if (own !== undefined) {
    throw usageError(`--report: ${report} is ${own}`, { hint: 'choose another file; nothing was sent' });
  }
  checkPath(report);
  const other = await jobOfReport(report, input);
  // A full disk may have cut the job id off.
  if (other !== undefined && job.startsWith(other)) return;
  const what = other === undefined ? 'is there already, and is no report' : `is the report of another job, ${other}`;
  throw usageError(`--report: ${report} ${what}`, {
    hint: 'name a new file, or move this one away; a changed file or option is another job. Nothing was sent',
  });
};

/** A policy under which a file may need another person's approval. */
export interface FilePolicy {
  readonly policy: Policy;
  /** The person who runs the file. */
  readonly me: string;
  /** Earlier charges of the file. Rows that other processes send from now on have no end yet, so the check adds them. */
  readonly charged: Total;
}

/** The policy for a file; undefined if no file needs an approval. Throws if nobody can approve one. */
export const filePolicy = async (
  id: string,
  name: string,
  { checked }: Pick<RowKind<never>, 'checked'>,
  { ledger, place }: RowDeps,
): Promise<FilePolicy | undefined> => {
  if (checked === undefined) return undefined;
  const { profile } = place;
  const allowance = await ledger.policies.allowance({ profile, since: dayOf(ledger.moment().at) });
  if (allowance?.kept.policy.approveAbove === undefined) return undefined;
  if (ledger.account !== undefined) {
    return { policy: allowance.kept.policy, me: ledger.account, charged: await ledger.jobs.charged(id) };
  }
  const message = `${name}: nothing was sent: the policy wants approvals, and a ledger file can't tell who approves`;
  throw new PayError('refused', message, { hint: NEXT_STEP.share });
};

/** The total of a file: `3 payment requests for NGN 5,000.00, 1 of them without a known amount`. */
export const totalText = ({ rows, amounts, unknown }: Total, one: string): string => {
  const sums = sumsText(amounts);
  const unpriced = unknown === 0 ? '' : `, ${unknown} of them without a known amount`;
  return `${counted(rows, one)}${sums === undefined ? '' : ` for ${sums}`}${unpriced}`;
};

/**
 * Throws unless a checked file may be sent: if its total, earlier charges of it included, exceeds the policy's limit
 * for one person, another person must have approved that much. Records who asks for the approval. The ledger applies
 * the same limit to each row. `begin` records the job, so that others can see what they approve; undefined if nothing
 * may be written.
 */
export const refuseUnapproved = async <T>(
  { name, kind: { checked, hold, words } }: FileJob<T>,
  { id, policy: wanted, rowDeps: { ledger } }: SendingJob<T>,
  begin: (() => Promise<void>) | undefined,
): Promise<void> => {
  const left = checked?.();
  if (wanted === undefined || left === undefined) return;
  const { policy, me, charged } = wanted;
  const { policies } = ledger;
  hold?.();
  const approval = await policies.approval(id);
  const total = addTotals(left, charged);
  const worth = worthOf(policy, approval, total, me);
  if (worth === 'holds') return;
  const what = `${name}: nothing was sent: ${totalText(total, words.one)}`;
  if (worth === 'own') {
    const hint = `another person has to run it, such as ${approval?.askedBy}`;
    throw new PayError('refused', `${what} were approved by you, ${me}`, { hint, ledgerId: id });
  }
  await begin?.();
  if (begin !== undefined) await policies.approve({ job: id, total, askedBy: me, askedAt: ledger.moment().at });
  const why = worth === 'outgrown' ? 'are more than was approved' : "need another person's approval";
  throw new PayError('refused', `${what} ${why}`, {
    hint:
      begin === undefined
        ? 'run the same command without --dry-run to ask for the approval'
        : `ask somebody else to run \`${shellLine(['paycli', 'approve', id])}\`, then run the same command again`,
    ledgerId: id,
  });
};
