import type { BulkInput } from '../cli/bulk-options.ts';
import { interrupted, isRejected, PayError, usageError } from '../core/error.ts';
import { sumsText } from '../core/money.ts';
import { shellLine } from '../core/shell.ts';
import { dayOf, type Policy, SHARE_HINT, sumOf, type Total, worthOf } from '../ledger/policy.ts';
import type { InputRow } from './cells.ts';
import { type BitSet, bitSet } from './counters.ts';
import type { KeySet, RowCheck, RowDeps, RowKind, RowServices } from './kind.ts';
import { type RowSignals, runRows } from './pace.ts';
import type { RowsFile } from './read-file.ts';
import { jobOfReport } from './report.ts';
import type { ColumnFault } from './row-end.ts';
import type { ReadRow, RowReader } from './rows.ts';

/** A fault and its row; the first row is 1. */
interface RowFault extends ColumnFault {
  readonly row: number;
}

/** The result of reading a file once from its first row to its last (charge-protocol, Bulk). */
export interface Plan {
  readonly rows: number;
  /** The rows that can't be sent as they are. */
  readonly bad: BitSet;
  /** The first faults, up to a limit. */
  readonly faults: readonly RowFault[];
  /** The number of rows under each label of the confirmation question. */
  readonly counts: ReadonlyMap<string, number>;
  /** The sums by currency, in the minor unit. */
  readonly sums: ReadonlyMap<string, bigint>;
  /** True where a row is compared with its object. */
  readonly compares: boolean;
}

export interface Planning<T> {
  readonly kind: Pick<RowKind<T>, 'key' | 'counts' | 'money' | 'compares' | 'check'>;
  readonly input: Pick<RowsFile, 'rows'>;
  readonly reader: RowReader<T>;
  /** undefined where the same key may be in several rows. */
  readonly seen: KeySet | undefined;
  /** Resolves to true for a row that needs no sending any more. */
  readonly hasEnd: (row: number) => Promise<boolean>;
  /** Called for each row that can't be sent; undefined where no report is wanted. */
  readonly onBad: ((row: InputRow, faults: readonly ColumnFault[]) => Promise<void>) | undefined;
  readonly stop: AbortSignal;
}

/** The number of faults that fit on a screen. */
const MOST_FAULTS = 20;

/** Marks a row as bad and adds its faults to the earlier ones. */
const addTo = (faults: RowFault[], bad: BitSet, row: number, found: readonly ColumnFault[]): void => {
  bad.set(row);
  for (const { column, what } of found) if (faults.length < MOST_FAULTS) faults.push({ row, column, what });
};

const judge = <T>({ kind, reader, seen }: Planning<T>, row: InputRow): ReadRow<T> => {
  const judged = reader.judge(row);
  const first = 'faults' in judged ? undefined : seen?.firstAt(judged.key, row.number);
  if (first === undefined) return judged;
  return { faults: [{ column: kind.key.name, what: `duplicate of row ${first} (allow with --allow-repeats)` }] };
};

async function* rowsIn<T>({ input, stop }: Planning<T>): AsyncGenerator<InputRow> {
  for await (const row of input.rows()) {
    if (stop.aborted) throw interrupted(stop.reason);
    yield row;
  }
}

/**
 * Reads the file a second time to report bad rows: a file that can't be read to its end must not leave part of a
 * report, which looks like a complete one.
 */
const tellBad = async <T>(planning: Planning<T>, bad: BitSet): Promise<void> => {
  const { onBad } = planning;
  if (onBad === undefined || bad.count === 0) return;
  for await (const row of rowsIn(planning)) {
    const judged = bad.has(row.number) ? judge(planning, row) : undefined;
    if (judged !== undefined && 'faults' in judged) await onBad(row, judged.faults);
  }
};

/** Reads the whole file and checks every row; sends nothing. `tell` gets the number of rows read so far. */
export const planRows = async <T>(planning: Planning<T>, tell: (done: number) => void): Promise<Plan> => {
  const { kind, hasEnd } = planning;
  const [faults, bad, counts]: [RowFault[], BitSet, Map<string, number>] = [[], bitSet(), new Map()];
  const sums = new Map<string, bigint>();
  let [rows, compares] = [0, false];
  for await (const row of rowsIn(planning)) {
    rows = row.number;
    const judged = judge(planning, row);
    if (!('faults' in judged)) {
      for (const name of kind.counts(judged.item)) counts.set(name, (counts.get(name) ?? 0) + 1);
      const money = kind.money?.(judged.item);
      compares ||= kind.compares?.(judged.item) === true;
      if (money !== undefined) sums.set(money.currency, (sums.get(money.currency) ?? 0n) + BigInt(money.minor));
    } else if (!(await hasEnd(row.number))) {
      // A row that was sent may have become invalid since, for example because a date in it has passed.
      addTo(faults, bad, row.number, judged.faults);
    }
    tell(rows);
  }
  await tellBad(planning, bad);
  return { rows, bad, faults, counts, sums, compares };
};

interface Checking
  extends Pick<RowServices, 'clock' | 'random'>,
    Pick<BulkInput, 'concurrency' | 'rate'>,
    Pick<RowCheck, 'check'> {
  readonly tell: (done: number, total: number) => void;
}

/** The reasons of the service against sending a row; a rejected read is one. */
const faultsAt = async <T>(
  { key, compares, check }: Planning<T>['kind'],
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
 * Reads the object of each remaining row before anything is sent; without `check`, only of rows to compare with it. No
 * request is made before the whole file is valid, so the file is read again.
 */
export const checkRows = async <T>(planning: Planning<T>, plan: Plan, checking: Checking): Promise<Plan> => {
  const { kind, input, reader, hasEnd, onBad, stop } = planning;
  const faults = [...plan.faults];
  let done = 0;
  async function* toCheck(): AsyncGenerator<InputRow> {
    for await (const row of input.rows()) {
      if (!plan.bad.has(row.number) && !(await hasEnd(row.number))) yield row;
    }
  }
  const work = async (row: InputRow, { slowDown }: RowSignals) => {
    const asked = reader.read(row);
    const { check } = checking;
    const found = 'faults' in asked ? asked.faults : await faultsAt(kind, asked.item, { check, slowDown });
    if (found.length > 0) {
      addTo(faults, plan.bad, row.number, found);
      await onBad?.(row, found);
    }
    return {};
  };
  const onSettled = (): void => {
    done += 1;
    checking.tell(done, plan.rows);
  };
  const ran = await runRows({ ...checking, rows: toCheck(), work, stop, onSettled });
  if (ran.stopped !== undefined) throw interrupted(stop.reason);
  return { ...plan, faults };
};

/** A header without rows is more often a broken export than an intended empty file. */
export const refuseEmpty = ({ rows }: Plan, name: string): void => {
  if (rows > 0) return;
  throw usageError(`${name} has no rows; nothing was sent`, {
    hint: 'a CSV file needs a header and then one line per row',
  });
};

/**
 * A bad row ends the run before anything is sent, with the first faults; not with --skip-invalid while other rows are
 * valid.
 */
export const refuseBad = (
  { bad, faults, rows }: Plan,
  { bulk, name }: { readonly bulk: BulkInput; readonly name: string },
): void => {
  if (bad.count === 0 || (bulk.skipInvalid && bad.count < rows)) return;
  const more = bulk.report === undefined ? '--report FILE lists all of them' : `all of them are in ${bulk.report}`;
  throw usageError(`${name}: ${bad.count} of ${rows} ${rows === 1 ? 'row' : 'rows'} can't be sent; nothing was sent`, {
    violations: faults.map(({ row, column, what }) => ({
      propertyPath: '',
      title: what,
      row,
      ...(column === undefined ? {} : { column }),
    })),
    hint: `${bulk.skipInvalid ? 'fix the file: no row is valid' : 'fix the file, or skip these rows with --skip-invalid'}; ${more}`,
  });
};

/** A --check without anything to read would wrongly say that all is well. */
export const refuseCheck = ({ check }: BulkInput, kind: Pick<RowKind<never>, 'command' | 'check'>): void => {
  if (!check || kind.check !== undefined) return;
  throw usageError(`--check: ${kind.command} has nothing to look at beforehand`, {
    hint: 'leave it out; --dry-run checks the file alone',
  });
};

export const refuseOther = (id: string, { resume, from }: BulkInput): void => {
  if (resume === undefined || resume === id) return;
  throw usageError(`--resume ${resume}: ${from} with these options is a different job, ${id}`, {
    hint: `the file, an option or the service has changed: compare with \`${shellLine(['paycli', 'ledger', 'show', resume])}\`, or leave out --resume to start a new job`,
  });
};

/** A report must not overwrite the input or a file of paycli itself. */
export const refuseReport = async (
  input: RowsFile,
  { report }: BulkInput,
  { ownFileAt }: RowServices,
): Promise<void> => {
  if (report === undefined) return;
  const what = (await input.isAt(report)) ? 'the input file' : ownFileAt(report);
  if (what === undefined) return;
  throw usageError(`--report: ${report} is ${what}`, { hint: 'choose another file; nothing was sent' });
};

/**
 * Refuses to overwrite another job's report, which may be the only place that has a customer's account number, or any
 * other file.
 */
export const refuseOtherReport = async (
  report: string | undefined,
  input: Pick<RowsFile, 'format' | 'delimiter'>,
  job: string | undefined,
  { checkPath }: Pick<RowServices, 'checkPath'>,
): Promise<void> => {
  if (report === undefined) return;
  checkPath(report);
  const other = await jobOfReport(report, input);
  // A full disk may have cut the job id off.
  if (other !== undefined && (job ?? '').startsWith(other)) return;
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

/** The policy for a file; undefined where no file needs an approval. Throws where nobody can approve one. */
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
  throw new PayError('refused', message, { hint: SHARE_HINT });
};

/** The total of a file: `3 payment requests for NGN 5,000.00, 1 of them without a known amount`. */
export const totalText = ({ rows, amounts, unknown }: Total, one: string): string => {
  const sums = sumsText(amounts);
  const untold = unknown === 0 ? '' : `, ${unknown} of them without a known amount`;
  return `${rows} ${rows === 1 ? one : `${one}s`}${sums === undefined ? '' : ` for ${sums}`}${untold}`;
};

/** A file to send under a policy. */
interface Checked {
  readonly id: string;
  readonly name: string;
  readonly policy: FilePolicy;
  /** Records the job, so that others can see what they approve; undefined where nothing may be written. */
  readonly begin?: () => Promise<void>;
}

/**
 * Throws unless a checked file may be sent: where its total, earlier charges of it included, exceeds the policy's limit
 * for one person, another person must have approved that much. Records who asks for the approval. The ledger applies
 * the same limit to each row.
 */
export const refuseUnapproved = async (
  { id, name, policy: { policy, me, charged }, begin }: Checked,
  { checked, hold, words }: Pick<RowKind<never>, 'checked' | 'hold' | 'words'>,
  { ledger }: RowDeps,
): Promise<void> => {
  const left = checked?.();
  if (left === undefined) return;
  const { policies } = ledger;
  hold?.();
  const approval = await policies.approval(id);
  const total = sumOf(left, charged);
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
