import type { BulkInput } from '../cli/bulk-options.ts';
import { columnNames } from '../core/column-names.ts';
import type { PayError } from '../core/error.ts';
import { usageError } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { checkRows, hasEnd } from './planning/check.ts';
import { jobId } from './planning/job-id.ts';
import type { Plan, Seen } from './planning/plan.ts';
import { planRows } from './planning/plan.ts';
import type { ShowProgress } from './progress/show.ts';
import { fieldsOf } from './reading/fields.ts';
import type { Input } from './reading/input.ts';
import { openInput } from './reading/input.ts';
import type { OpenOptions } from './reporting/report.ts';
import type { Reporter } from './reporting/reporter.ts';
import { openReporter } from './reporting/reporter.ts';
import type { WorkedOff } from './sending/work-off.ts';
import { workOff } from './sending/work-off.ts';
import type { Reader, Worker } from './trade.ts';

/** What a job needs of the world. */
export interface JobWorld {
  readonly clock: Pick<Clock, 'ticks' | 'sleep'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** The first and the second signal of the user. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** What --from names: a file, or what can be read only once, which a signal ends. */
  readonly source: (from: string) => { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> };
  /** A private folder for what can be read only once. */
  readonly folder: string;
  /** What a path leads to that a report must not be written to; undefined where it may. */
  readonly ownFileAt: (path: string) => string | undefined;
  /** Throws where a path leads through what others may have put there, or not to what was opened. */
  readonly checkPath: OpenOptions['checkPath'];
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
  /** A report in CSV is written as it is, for programs (--raw-csv). */
  readonly rawCsv: boolean;
  readonly openSeen: () => Seen & { close(): void };
  readonly notice: (text: string) => Promise<void>;
  readonly progress: ShowProgress;
}

/** How the rows of a file are sent. */
export interface Sending<T> {
  /** What shapes the requests besides the content of the file: the command, its options, the place. */
  readonly shape: readonly string[];
  readonly worker: (job: string, input: Pick<Input, 'columns'>) => Worker<T>;
  /** Asked once everything is checked, before anything is sent; throws where it shall not be. `rows` are those that are not left out. */
  readonly confirm: (job: { readonly id: string; readonly rows: number }) => Promise<void>;
  /** Notes the job before its first row. */
  readonly open: (job: { readonly id: string; readonly rows: number; readonly name: string }) => Promise<void>;
}

/** A file and what is to be done with its rows. */
export interface JobSpec<T> {
  readonly bulk: BulkInput;
  /** The names of columns that are read, in lower case; a dot at the end stands for all that begin so. */
  readonly known: readonly string[];
  /** Made once the columns are known; throws where they can't be. */
  readonly reader: (input: Pick<Input, 'columns' | 'format'>) => Reader<T>;
  /** The columns of the report that come behind those of the file, `row`, `state` and `error` apart. */
  readonly columns: readonly string[];
  /** undefined: the file is only looked at (--dry-run). */
  readonly sending: Sending<T> | undefined;
}

export interface JobEnd extends WorkedOff {
  /** null where nothing was to be sent. */
  readonly id: string | null;
  readonly name: string;
  readonly rows: number;
  /** Rows that were left out since something is wrong with them. */
  readonly bad: number;
}

const nameOf = ({ from }: BulkInput): string => (from === '-' ? 'standard input' : from);

const inputOf = (bulk: BulkInput, { source, folder }: JobWorld): Promise<Input> => {
  const { from, inputFormat: format, delimiter } = bulk;
  return openInput({ ...source(from), name: nameOf(bulk), format, delimiter, spoolFolder: folder });
};

/** A header without rows is more often a broken export than nothing to do. */
const refuseEmpty = ({ rows }: Plan, bulk: BulkInput): void => {
  if (rows > 0) return;
  throw usageError(`${nameOf(bulk)} has no rows; nothing was sent`, {
    hint: 'a CSV file needs a header and then one line per row',
  });
};

/** Any row that is not right ends the run before anything is sent, with the first of what is wrong. */
const refuseBad = ({ bad, faults, rows }: Plan, bulk: BulkInput): void => {
  if (bad.count === 0 || (bulk.skipInvalid && bad.count < rows)) return;
  const more = bulk.report === undefined ? '--report FILE lists all of them' : `all of them are in ${bulk.report}`;
  throw usageError(
    `${nameOf(bulk)}: ${bad.count} of ${rows} ${rows === 1 ? 'row' : 'rows'} can't be sent; nothing was sent`,
    {
      violations: faults.map(({ row, column, what }) => ({
        propertyPath: '',
        title: what,
        row,
        ...(column === undefined ? {} : { column }),
      })),
      hint: `${bulk.skipInvalid ? 'fix the file: no row is valid' : 'fix the file, or skip these rows with --skip-invalid'}; ${more}`,
    },
  );
};

const refuseOther = (id: string, { resume, from }: BulkInput): void => {
  if (resume === undefined || resume === id) return;
  throw usageError(`--resume ${resume}: ${from} with these options is a different job, ${id}`, {
    hint: `the file, an option or the service has changed: compare with \`paycli ledger show ${resume}\`, or leave out --resume to start a new job`,
  });
};

/** A report must replace nothing that is read, written or kept besides. */
const refuseReport = async (input: Input, { report }: BulkInput, { ownFileAt }: JobWorld): Promise<void> => {
  if (report === undefined) return;
  const what = (await input.isAt(report)) ? 'the input file' : ownFileAt(report);
  if (what === undefined) return;
  throw usageError(`--report: ${report} is ${what}`, { hint: 'choose another file; nothing was sent' });
};

/** Reads, checks, asks, and then works off the rows of a file. Nothing is sent before all of it is read and right. */
export const runJob = async <T>(spec: JobSpec<T>, world: JobWorld): Promise<JobEnd> => {
  const { bulk } = spec;
  const input = await inputOf(bulk, world);
  const reporter = openReporter(input, { ...world, path: bulk.report, columns: spec.columns });
  try {
    await refuseReport(input, bulk, world);
    return await runInput(spec, world, input, reporter);
  } finally {
    await world.progress.end();
    await reporter.close().catch(() => undefined);
    await input.close();
  }
};

interface Source<T> {
  readonly input: Input;
  readonly reader: Reader<T>;
  readonly onBad: Reporter['bad'];
}

const planOf = async <T>(
  { bulk }: JobSpec<T>,
  { stop, progress, openSeen }: JobWorld,
  source: Source<T>,
  worker: Worker<T> | undefined,
): Promise<Plan> => {
  const seen = bulk.allowRepeats ? undefined : openSeen();
  try {
    const ended = worker === undefined ? undefined : (row: number) => hasEnd(worker, row);
    return await planRows({ ...source, seen, hasEnd: ended, tell: progress.reading, stop });
  } finally {
    seen?.close();
  }
};

const checkedPlan = async <T>(
  { bulk }: JobSpec<T>,
  { clock, random, stop, progress }: JobWorld,
  source: Source<T>,
  plan: Plan,
  worker: Worker<T> | undefined,
): Promise<Plan> => {
  if (!bulk.check) return plan;
  const found = await checkRows({ ...bulk, ...source, worker, plan, clock, random, stop, tell: progress.checking });
  refuseBad(found, bulk);
  return found;
};

const NOTHING_SENT = { counts: {}, done: 0, skipped: 0, codes: new Set<number>(), troubles: [], untold: 0 };

/** The reader of a file, to which the columns have their known names, however the header writes them; and those names. */
const readerOf = <T>({ known, reader: make }: JobSpec<T>, { columns: written, format }: Input) => {
  // Keys of JSON are what they are.
  const columns = format === 'csv' ? columnNames(written, known) : written;
  const reader = make({ columns, format });
  if (columns.every((name, index) => name === written[index])) return { columns, reader };
  const read: Reader<T>['read'] = ({ number, fields }) =>
    reader.read({ number, fields: fieldsOf(columns.map((name, index) => [name, fields[written[index] ?? '']])) });
  return { columns, reader: { ...reader, read } };
};

/** The job that a file is with these options, and who works on its rows. */
const jobOf = async <T>({ bulk, sending }: JobSpec<T>, input: Input, columns: Input['columns']) => {
  if (sending === undefined) return undefined;
  const id = jobId([...sending.shape, await input.digest()]);
  refuseOther(id, bulk);
  return { ...sending, id, worker: sending.worker(id, { columns }) };
};

const runInput = async <T>(spec: JobSpec<T>, world: JobWorld, input: Input, reporter: Reporter): Promise<JobEnd> => {
  const { bulk } = spec;
  const { progress, stop } = world;
  const { columns, reader } = readerOf(spec, input);
  for (const line of reader.notices) await world.notice(line);
  const job = await jobOf(spec, input, columns);
  const source = { input, reader, onBad: reporter.bad };
  const plan = await planOf(spec, world, source, job?.worker);
  refuseEmpty(plan, bulk);
  refuseBad(plan, bulk);
  const { rows, bad } = plan;
  const name = nameOf(bulk);
  await checkedPlan(spec, world, source, plan, job?.worker);
  if (job === undefined) {
    return { ...NOTHING_SENT, id: null, name, rows, bad: bad.count };
  }
  const { id, worker } = job;
  await progress.end();
  await job.confirm({ id, rows: rows - bad.count });
  await reporter.open();
  await job.open({ id, rows, name });
  const worked = await workOff({
    ...bulk,
    ...world,
    input,
    reader,
    worker,
    rows,
    excluded: bad,
    stop: AbortSignal.any([stop, reporter.failed]),
    onSettled: reporter.settled,
    tell: (standing) => progress.working(standing, rows - bad.count),
    onWaiting: progress.waiting,
  });
  const { reason, aborted } = reporter.failed;
  return { ...worked, ...(aborted ? { stopped: reason as PayError } : {}), id, name, rows, bad: bad.count };
};
