import { createHash } from 'node:crypto';
import type { BulkInput } from '../cli/bulk-options.ts';
import type { Client } from '../client/client.ts';
import type { PayError } from '../core/error.ts';
import { targetFlags } from '../core/input.ts';
import { sumsText } from '../core/money.ts';
import { environmentName, isGuarded } from '../core/origin.ts';
import type { Result, View } from '../core/result.ts';
import { rowsBegun } from '../ledger/open.ts';
import { judgeRows } from './judge.ts';
import type { FileDeps, RowDeps, RowKind, RowServices } from './kind.ts';
import { mostOpen } from './pace.ts';
import {
  checkRows,
  type FilePolicy,
  filePolicy,
  type Plan,
  type Planning,
  planRows,
  refuseBad,
  refuseCheck,
  refuseEmpty,
  refuseOther,
  refuseOtherReport,
  refuseReport,
  refuseUnapproved,
} from './plan.ts';
import { openInput, type RowsFile } from './read-file.ts';
import { openReporter, type Reporter } from './report.ts';
import { openRows, type RowReader } from './rows.ts';
import { hasEnd, type RowSender, type WorkedOff, workOff } from './send.ts';
import { protectedRows, repeatableRows } from './send-row.ts';
import { type JobEnd, jobResult } from './summary.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;

/**
 * The id of a job, from everything that affects the requests: the same parts give the same job (charge-protocol, Bulk).
 * The length of each part is hashed, too, so that different splits give different ids.
 */
export const jobId = (parts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  const letters = [...hash.digest().subarray(0, LENGTH)].map((byte) => ALPHABET.charAt(byte & 31));
  return `job-${letters.join('')}`;
};

/** The parts of the question before rows are sent to a service where money may be real. */
interface JobQuestion {
  /** `Charge`, `Update`. */
  readonly verb: string;
  /** The object of a row: `payment request`, `customer`. */
  readonly one: string;
  readonly rows: number;
  /** The number of rows that were started before. */
  readonly before: number;
  /** A short summary of the rows. */
  readonly what: string;
  /** The total of all rows, where it is known. */
  readonly total?: string | undefined;
}

/** The rows and what they do: `3 payments for NGN 1,000.00 (NGN 1, in full 2)`. */
const rowsText = ({ one, rows, before, what, total }: Omit<JobQuestion, 'verb'>): string => {
  const things = rows === 1 ? one : `${one}s`;
  const sums = total === undefined ? '' : ` for ${total}`;
  const begun = before === 0 ? '' : `; ${before} started before`;
  return `${rows} ${things}${sums} (${what}${begun})`;
};

/** The lines of the question. */
export const questionOf = (
  question: JobQuestion,
  { origin, profile }: { readonly origin: string; readonly profile: string | undefined },
): readonly string[] => {
  const where = `${environmentName(origin)}: ${origin}${profile === undefined ? '' : `, profile ${profile}`}`;
  return [where, `${question.verb} ${rowsText(question)}?`];
};

/** A file, and the job for its rows. */
interface FileOfRows<T> {
  readonly bulk: BulkInput;
  readonly kindOf: (client: Client) => RowKind<T>;
  /** The view of the summary. */
  readonly view: View;
  /** True where --dry-run judges each row by a read of its object and by the ledger. */
  readonly reads?: boolean;
}

/** The values that the steps of one run share. */
interface JobRun<T> extends Pick<FileDeps, 'io' | 'ask'> {
  readonly bulk: BulkInput;
  /** The file's name in messages. */
  readonly name: string;
  readonly kind: RowKind<T>;
  readonly client: Client;
  /** undefined where --dry-run only checks the file, and does not open the ledger. */
  readonly rowDeps: RowDeps | undefined;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly world: RowServices;
}

interface JobToSend<T> {
  readonly id: string;
  readonly rowDeps: RowDeps;
  readonly sender: RowSender<T>;
  readonly policy: FilePolicy | undefined;
}

/** An opened file and its job. */
interface Opened<T> {
  readonly input: RowsFile;
  readonly reader: RowReader<T>;
  readonly reporter: Reporter;
  readonly job: JobToSend<T> | undefined;
}

/** The job for a file with these options, and the sender of its rows. */
const jobOf = async <T>(
  { bulk, name, kind, rowDeps, io, world }: JobRun<T>,
  input: RowsFile,
  { named, ignored }: RowReader<T>,
): Promise<JobToSend<T> | undefined> => {
  if (rowDeps === undefined) return undefined;
  const { service, workspace } = rowDeps.place;
  const id = jobId([kind.command, service, workspace ?? '', kind.options, input.digest, ...ignored]);
  refuseOther(id, bulk);
  const { sending } = kind;
  const how = { job: id, retry: bulk.retryFailed };
  const sender =
    sending.kind === 'protected'
      ? protectedRows(sending, how, rowDeps, { named, io, notice: world.notice })
      : repeatableRows({ request: kind.request, sending }, how, rowDeps, { named, io });
  return { id, rowDeps, sender, policy: await filePolicy(id, name, kind, rowDeps) };
};

/** Plans a file; throws unless it can be sent, as far as that can be known in advance. */
const planOf = async <T>(run: JobRun<T>, { input, reader, reporter, job }: Opened<T>): Promise<Plan> => {
  const { bulk, name, kind, world } = run;
  const { stop, progress, openSeen } = world;
  const seen = bulk.allowRepeats ? undefined : openSeen();
  const isDone = async (row: number): Promise<boolean> => job !== undefined && (await hasEnd(job.sender, row));
  const planning: Planning<T> = { kind, input, reader, seen, hasEnd: isDone, onBad: reporter.bad, stop };
  try {
    const plan = await planRows(planning, progress.reading);
    refuseEmpty(plan, name);
    refuseBad(plan, run);
    const leftovers = reader.leftovers();
    if (leftovers !== undefined) await world.notice(leftovers);
    const check = bulk.check || job?.policy !== undefined;
    if (!check && !plan.compares) return plan;
    const checked = await checkRows(planning, plan, { ...bulk, ...world, check, tell: progress.checking });
    refuseBad(checked, run);
    for (const line of kind.warnings?.() ?? []) await world.notice(line);
    return checked;
  } finally {
    seen?.close();
  }
};

/** The rows of a plan: their number, kind and sum. */
const countedIn = <T>({ kind }: Pick<JobRun<T>, 'kind'>, { counts, rows, bad, sums }: Plan) => ({
  ...kind.words,
  rows: rows - bad.count,
  what: [...counts].map(([name, count]) => `${name} ${count}`).join(', '),
  total: sumsText(kind.checked?.().amounts ?? sums),
});

/** Asks for confirmation before rows are sent to a service where money may be real. */
const ask = async <T>(
  { kind, ask: confirm }: JobRun<T>,
  { place, ledger }: RowDeps,
  id: string,
  plan: Plan,
): Promise<void> => {
  if (kind.asks !== true && !isGuarded(place.origin)) return;
  const before = await rowsBegun(ledger, id);
  const counted = countedIn({ kind }, plan);
  const isGrave = isGuarded(place.origin) && kind.sending.kind === 'protected';
  const question = questionOf({ ...counted, before }, place);
  await confirm(question, 'refuse', isGrave ? (counted.total ?? String(counted.rows)) : undefined);
};

const NOTHING_SENT = {
  counts: {},
  done: 0,
  skipped: 0,
  codes: new Set<number>(),
  troubles: [],
  untold: 0,
  again: false,
  unresolved: false,
  unrecorded: [],
  adjustments: {},
};

/** Notes what only this run knows of its rows, and leaves the others to whoever wants them. No row depends on it. */
const endIn = async ({ ledger: { jobs } }: RowDeps, id: string, { adjustments }: WorkedOff): Promise<void> => {
  try {
    await jobs.adjust(id, adjustments);
    await jobs.release(id);
  } catch {
    // The summary tells what the ledger then does not.
  }
};

/** Options for working on the rows, in a run and in a dry run. */
const workingOn = <T>({ bulk, world }: JobRun<T>, { input, reader, reporter }: Opened<T>, { rows, bad }: Plan) => ({
  ...{ ...bulk, ...world, input, reader, rows, excluded: bad },
  stop: AbortSignal.any([world.stop, reporter.failed]),
  onSettled: reporter.settled,
});

const endedAs = <T, W extends WorkedOff>(
  { name }: JobRun<T>,
  { reporter }: Opened<T>,
  { rows, bad }: Plan,
  worked: W,
) => {
  const { reason, aborted } = reporter.failed;
  return { ...worked, ...(aborted ? { stopped: reason as PayError } : {}), name, rows, bad: bad.count };
};

/** Judges the rows and sends none. */
const judgeOpened = async <T>(
  run: JobRun<T>,
  opened: Opened<T>,
  { id, rowDeps, sender }: JobToSend<T>,
  plan: Plan,
): Promise<JobEnd> => {
  const { bulk, kind, world } = run;
  const { sending } = kind;
  if (sending.kind !== 'protected' || sending.judge === undefined) throw new Error('nothing judges these rows');
  await opened.reporter.open(id);
  const worked = await judgeRows({
    ...workingOn(run, opened, plan),
    ...{ judge: sending.judge, kept: sending.kept, sender, rowDeps, job: id, retry: bulk.retryFailed },
    tell: (done) => world.progress.checking(done, plan.rows - plan.bad.count),
  });
  return { ...endedAs(run, opened, plan, worked), id: null };
};

/** Plans, asks and sends. Nothing is sent before the whole file is read and valid. */
const runOpened = async <T>(run: JobRun<T>, opened: Opened<T>): Promise<JobEnd> => {
  const { bulk, name, kind, world, dryRun } = run;
  const { reporter, job } = opened;
  const { progress } = world;
  const plan = await planOf(run, opened);
  const { rows, bad } = plan;
  if (job === undefined) {
    const inFile = rowsText({ ...countedIn(run, plan), before: 0 });
    return { ...NOTHING_SENT, id: null, name, rows, bad: bad.count, inFile };
  }
  const { id, rowDeps, sender, policy } = job;
  const { service, origin, profile } = rowDeps.place;
  await progress.end();
  const ledgerKind = kind.sending.kind === 'protected' ? 'charge' : 'update';
  const about = { id, kind: ledgerKind, command: kind.command, name, service, origin, profile, rows } as const;
  const begin = (): Promise<void> => rowDeps.ledger.jobs.open(about, mostOpen(bulk.concurrency));
  if (policy !== undefined) {
    await refuseUnapproved({ id, name, ...(dryRun ? {} : { begin }), policy }, kind, rowDeps);
  }
  if (dryRun) return judgeOpened(run, opened, job, plan);
  await ask(run, rowDeps, id, plan);
  await reporter.open(id);
  await begin();
  const worked = await workOff({
    ...workingOn(run, opened, plan),
    sender,
    tell: (standing) => progress.working(standing, rows - bad.count),
    onWaiting: progress.waiting,
  });
  await endIn(rowDeps, id, worked);
  return { ...endedAs(run, opened, plan, worked), id };
};

const runJob = async <T>(run: JobRun<T>): Promise<JobEnd> => {
  const { bulk, name, kind, world } = run;
  const { source, folder, progress, notice } = world;
  const { from, inputFormat: format, delimiter } = bulk;
  const input = await openInput({ ...source(from), name, format, delimiter, spoolFolder: folder });
  const reporter = openReporter(input, { ...world, path: bulk.report, columns: kind.report });
  try {
    await refuseReport(input, bulk, world);
    const reader = openRows(kind, input, { ...run, ...bulk });
    for (const line of reader.notices) await notice(line);
    const job = await jobOf(run, input, reader);
    await refuseOtherReport(bulk.report, input, job?.id, world);
    return await runOpened(run, { input, reader, reporter, job });
  } finally {
    await progress.end();
    await reporter.close().catch(() => undefined);
    await input.close();
  }
};

/**
 * Sends the rows of a file, each once over any number of runs (charge-protocol, Bulk); --dry-run sends none.
 */
export const runFile = async <T>(
  { bulk, kindOf, view, reads = false }: FileOfRows<T>,
  run: FileDeps,
): Promise<Result> => {
  const { dryRun, validate } = run.globals;
  const world = await run.jobWorld();
  const client = await run.client(dryRun ? (bulk.check || reads ? 'read' : 'preview') : 'write');
  const kind = kindOf(client);
  refuseCheck(bulk, kind);
  const rowDeps =
    dryRun && !reads
      ? undefined
      : { client, ledger: await run.ledger(), place: await run.target(), words: targetFlags(run.globals) };
  const name = bulk.from === '-' ? 'standard input' : bulk.from;
  const { io } = run;
  const end = await runJob({ bulk, name, kind, client, rowDeps, dryRun, validate, world, io, ask: run.ask });
  const followed = rowDeps && end.id !== null ? await kind.follow?.(end.id, world, rowDeps) : undefined;
  return jobResult(end, { ...kind, bulk, stop: io.signals.stop, followed }, view);
};
