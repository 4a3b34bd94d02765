import { createHash } from 'node:crypto';
import type { BulkInput } from '../cli/bulk-options.ts';
import type { PayError } from '../core/error.ts';
import { sumsText } from '../core/money.ts';
import { environmentName, isGuarded } from '../core/origin.ts';
import { onePage } from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import { countStartedRows } from '../ledger/jobs.ts';
import type { PlannedRows } from '../ledger/ledger.ts';
import { NO_TOTAL } from '../ledger/policy.ts';
import { noCounts } from './counters.ts';
import type { FileRun, RowDeps, RowJob, RowKind, RowServices } from './kind.ts';
import { mostOpen } from './pace.ts';
import {
  type FileJob,
  filePolicy,
  type Plan,
  planFile,
  refuseCheck,
  refuseOtherJob,
  refuseReport,
  refuseUnapproved,
  type SendingJob,
  totalText,
} from './plan.ts';
import { openInput } from './read-file.ts';
import { openReporter } from './report.ts';
import { nextInput, RowReader } from './rows.ts';
import { type JobEnd, jobResult } from './summary.ts';
import { type RowsWalked, type RowWalk, walkRows } from './walk.ts';

const JOB_ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const JOB_ID_LENGTH = 16;

/**
 * The id of a job, from everything that affects the requests: the same parts give the same job (docs/protocol.md, Files).
 * The length of each part is hashed, too, so that different splits give different ids.
 */
const jobId = (parts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  const letters = [...hash.digest().subarray(0, JOB_ID_LENGTH)].map((byte) => JOB_ID_ALPHABET.charAt(byte & 31));
  return `job-${letters.join('')}`;
};

/**
 * Describes the rows of a plan: `3 payments for NGN 1,000.00, 2 of them without a known amount (in NGN 1, in full 2)`.
 * `before` is the number of rows that were started before.
 */
const describeRows = <T>({ kind }: FileJob<T>, { counts, rows: all, bad, sums, unpriced }: Plan, before = 0) => {
  const rows = all - bad.count;
  const checked = kind.checked?.();
  const isWhole = checked === undefined || (checked.unknown === 0 && checked.rows + before >= rows);
  const amounts = isWhole ? (checked?.amounts ?? sums) : new Map<string, bigint>();
  const what = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  const started = before === 0 ? '' : `; ${before} started before`;
  const things = totalText({ rows, amounts, unknown: unpriced }, kind.words.one);
  return { text: `${things} (${what}${started})`, typed: (unpriced === 0 && sumsText(amounts)) || String(rows) };
};

/** The job for a file with these options, and the sender of its rows. */
const openJobOf = async <T>(
  file: Pick<FileJob<T>, 'bulk' | 'name' | 'kind' | 'input' | 'reader' | 'run'>,
  rowDeps: RowDeps,
): Promise<SendingJob<T>> => {
  const { bulk, name, kind, input, reader, run } = file;
  const { service, workspace } = rowDeps.place;
  const id = jobId([kind.command, service, workspace ?? '', kind.options, input.digest, ...reader.ignored]);
  refuseOtherJob(id, bulk);
  const said = new Set<string>();
  const tellOnce: RowJob<T>['tellOnce'] = async (what, text) => {
    if (said.has(what)) return;
    said.add(what);
    await run.say(text);
  };
  const { io } = run;
  const sender = kind.openSender({ ...rowDeps, job: id, retry: bulk.retryFailed, named: reader.named, io, tellOnce });
  return { id, rowDeps, sender, policy: await filePolicy(id, name, kind, rowDeps) };
};

/** Asks for confirmation before rows are sent to a service where money may be real. */
const askToSend = async <T>(file: FileJob<T>, { id, rowDeps, sender }: SendingJob<T>, plan: Plan): Promise<void> => {
  const { kind, run } = file;
  const { origin, profile } = rowDeps.place;
  const isReal = isGuarded(origin);
  if (kind.asks !== true && !isReal) return;
  const { text, typed } = describeRows(file, plan, await countStartedRows(rowDeps.ledger, id));
  const where = `${environmentName(origin)}: ${origin}${profile === undefined ? '' : `, profile ${profile}`}`;
  const isGrave = isReal && sender.kind === 'charge';
  await run.ask([where, `${kind.words.verb} ${text}?`], 'refuse', isGrave ? typed : undefined);
};

/** Stores this run's counts, and releases its leases. No row depends on it. */
const closeRun = async ({ ledger: { jobs } }: RowDeps, id: string, { adjustments }: RowsWalked): Promise<void> => {
  try {
    await jobs.adjust(id, adjustments);
    await jobs.release(id);
  } catch {
    // The summary has these counts, too.
  }
};

/** Plans, asks and sends; with --dry-run it judges the rows instead. Nothing is sent before the whole file is valid. */
const sendPlanned = async <T>(file: FileJob<T>): Promise<JobEnd> => {
  const { bulk, name, kind, run, reporter, job, walk } = file;
  const { progress } = file.services;
  const { plan, reader } = await planFile(file);
  const { rows, bad } = plan;
  const ended = (walked: RowsWalked): Omit<JobEnd, 'id'> => {
    const { reason, aborted } = reporter.failed;
    return { ...walked, ...(aborted ? { stopped: reason as PayError } : {}), name, rows, bad: bad.count };
  };
  if (job === undefined) {
    return { ...ended(noCounts()), id: null, inFile: describeRows(file, plan).text };
  }
  const { id, rowDeps, sender } = job;
  const { service, origin, profile } = rowDeps.place;
  const { dryRun } = run.globals;
  const total = rows - bad.count;
  await progress.end();
  const about = { id, kind: sender.kind, command: kind.command, name, service, origin, profile, rows };
  const begin = (): Promise<void> => rowDeps.ledger.jobs.open(about, mostOpen(bulk.concurrency));
  await refuseUnapproved(file, job, dryRun ? undefined : begin);
  const step = { ...plan, read: reader.read, onSettled: reporter.settled };
  if (dryRun) {
    const planned: PlannedRows = { total: NO_TOTAL, made: bulk.allowRepeats ? new Map() : undefined };
    if (sender.judge === undefined) throw new Error('nothing judges these rows');
    await reporter.open(id);
    const tell: RowWalk<T>['tell'] = ({ done, passed }) => progress.checking(done + passed, total);
    const walked = await walk({ ...step, mode: 'judge', work: sender.judge(planned), tell });
    return { ...ended(walked), id: null, planned: planned.total };
  }
  await askToSend(file, job, plan);
  await reporter.open(id);
  await begin();
  await kind.resume?.(id, rowDeps);
  const tell: RowWalk<T>['tell'] = (counted) => progress.working(counted, total);
  const walked = await walk({ ...step, mode: 'send', work: sender.send, tell, onWaiting: progress.waiting });
  await closeRun(rowDeps, id, walked);
  return { ...ended(walked), id };
};

/** An empty file: the columns that no option sets, and an example row. A name such as `meta.k` stands for any key. */
const templateOf = <T>({ key, columns, flagOf, example }: RowKind<T>): Result => {
  const all = [key.name, ...columns.flatMap((name) => name.split(' or '))].filter((name) => flagOf(name) === undefined);
  // Named keys follow the name that stands for all.
  const names = all.filter((name, at) => !(name.endsWith('.k') && all[at + 1]?.startsWith(name.slice(0, -1))));
  const row = Object.fromEntries(names.map((name) => [name, example[name] ?? null]));
  const view: View = { columns: names.map((path) => ({ path, kind: 'text' })) };
  return { kind: 'list', pages: onePage([row]), view, format: 'csv' };
};

/** Sends the rows of a file, each once over any number of runs (docs/protocol.md, Files); --dry-run sends none. */
export const runFile = async <T>(
  bulk: BulkInput,
  kind: RowKind<T>,
  view: View,
  run: FileRun,
  services: RowServices,
): Promise<Result> => {
  if (bulk.template) return templateOf(kind);
  const { io, globals } = run;
  const { dryRun } = globals;
  const client = await run.client(dryRun ? (bulk.check || kind.judges ? 'read' : 'preview') : 'write');
  refuseCheck(bulk, kind);
  const rowDeps =
    dryRun && kind.judges !== true ? undefined : { client, ledger: await run.ledger(), place: await run.target(), io };
  const { from, inputFormat: format, delimiter, report } = bulk;
  const name = from === '-' ? 'standard input' : from;
  const { source, folder, checkPath, progress } = services;
  const input = nextInput(await openInput({ ...source(from), name, format, delimiter, spoolFolder: folder }), kind);
  const clean = (text: string): string => io.redactor.cleanAll(text);
  const { stop, leave } = io.signals;
  const reporter = openReporter(input, { ...globals, clean, checkPath, stop, path: report, columns: kind.report });
  let end: JobEnd;
  try {
    const reader = new RowReader(kind, input, { ...globals, ...bulk, client });
    for (const line of reader.notices) await run.say(line);
    const opened = { bulk, name, kind, run, client, services, input, reader, reporter };
    const job = rowDeps && (await openJobOf(opened, rowDeps));
    if (report !== undefined) await refuseReport(report, opened, job?.id);
    const either = AbortSignal.any([stop, reporter.failed]);
    const walker = { ...bulk, ...io, stop: either, leave, input, sender: job?.sender };
    end = await sendPlanned({ ...opened, job, walk: (walk) => walkRows(walker, walk) });
  } finally {
    await progress.end();
    await reporter.close().catch(() => undefined);
    await input.close();
  }
  const followed = rowDeps && end.id !== null ? await kind.follow?.(end.id, services, rowDeps) : undefined;
  return jobResult(end, { ...kind, bulk, stop, followed }, view);
};
