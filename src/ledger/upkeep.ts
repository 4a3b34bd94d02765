import { sum } from '../charge/payment.ts';
import { counted } from '../core/bounds.ts';
import { handleSignals } from '../core/error.ts';
import { utcAtom } from '../core/time.ts';
import type { Backend, Query } from './backend.ts';
import { type Entry, isCharge, type Scope } from './entry.ts';
import type { Job } from './job.ts';
import type { Reducer, Verified } from './ledger.ts';
import { pruned } from './pruned.ts';
import { wasResolved } from './transitions.ts';

/** Counts the final entries from before a moment that pruning would change, and those that are not final. */
export const prunable = async (backend: Backend, before: number, scope: Scope) => {
  const count = (more: Query) => backend.count({ ...scope, started: { until: before }, ...more });
  const open = await count({ payments: ['open', 'refund_open'] });
  return { count: await count({ prunable: true }), open: open + (await count({ states: ['sending', 'unknown'] })) };
};

const PRUNED_PER_STEP = 500;

/**
 * Prunes the same entries, oldest first, in batches: a concurrent charge waits for one batch at most. `stop` ends it after
 * a batch.
 */
export const pruneEntries = async (
  backend: Backend,
  before: number,
  scope: Scope,
  stop: AbortSignal | undefined,
): Promise<number> => {
  const at = utcAtom(backend.moment().at);
  let count = 0;
  for (let since: number | undefined; ; ) {
    const started = { since, until: before };
    const query = { ...scope, prunable: true, started, order: 'time', limit: PRUNED_PER_STEP } as const;
    const found = await backend.change('prune', [query], ([entries = []]) => ({
      write: entries.map((entry) => pruned(entry, at)),
      result: entries,
    }));
    count += found.length;
    await handleSignals(stop);
    if (found.length < PRUNED_PER_STEP) return count;
    since = found.at(-1)?.createdAt;
  }
};

/** Number of reported faults after which the ledger is known to be damaged. */
const MOST_FAULTS_LISTED = 50;

const NEVER_MADE: readonly string[] = ['rejected', 'not_sent', 'not_created'];

/** Faults of an entry that no rule can produce. */
const impossibleFaults = (entry: Entry): readonly string[] => {
  const { id, state, activity, recordedAt, createdAt, deadline, row, job } = entry;
  const isWordless = state === 'accepted' && isCharge(entry) && activity === undefined && !wasResolved(entry);
  return [
    ...((state === 'sending') === (recordedAt === undefined)
      ? []
      : [`${id} is ${state} and has the date of another state`]),
    ...(NEVER_MADE.includes(state) && activity !== undefined ? [`${id} is ${state} and has an activity`] : []),
    ...(isWordless ? [`${id} is accepted and has no activity`] : []),
    ...(deadline < createdAt ? [`${id} ends before it started`] : []),
    ...((job === undefined) === (row === undefined) ? [] : [`${id} has a job without a row, or a row without a job`]),
  ];
};

/** Set of a job's started rows. It uses a byte per row: a bit would do, but a byte is faster. */
const startedRowsOf = ({ id, rows }: Job) => {
  const startedRows = new Uint8Array(rows + 1);
  let count = 0;
  return {
    add: (row: number): string | undefined => {
      if (!(row >= 1 && row <= rows)) return `${id} has a row ${row}, and its file has ${rows}`;
      if (startedRows[row] === 0) count += 1;
      startedRows[row] = 1;
      return undefined;
    },
    count: () => count,
  };
};

interface Seen {
  readonly entries: number;
  readonly faults: readonly string[];
  /** Number of started rows of each job. */
  readonly startedRows: ReadonlyMap<string, number>;
  /** Jobs that were not listed before the walk, with the id of one of their entries. */
  readonly strange: ReadonlyMap<string, string>;
}

const faultSearch = (jobs: readonly Job[]) => (): Reducer<Seen> => {
  const rows = new Map(jobs.filter(({ kind }) => kind === 'charge').map((job) => [job.id, startedRowsOf(job)]));
  const strange = new Map<string, string>();
  const faults: string[] = [];
  let entries = 0;
  const look = (entry: Entry): void => {
    entries += 1;
    const { id, job, row } = entry;
    faults.push(...impossibleFaults(entry));
    if (job === undefined || row === undefined) return;
    const ofJob = rows.get(job);
    if (ofJob === undefined && strange.size < MOST_FAULTS_LISTED) strange.set(job, id);
    const fault = ofJob?.add(row);
    if (fault !== undefined) faults.push(fault);
  };
  return {
    take: (some) => {
      for (const entry of some) if (faults.length < MOST_FAULTS_LISTED) look(entry);
    },
    end: () => ({
      entries,
      faults,
      strange,
      startedRows: new Map([...rows].map(([id, ofJob]) => [id, ofJob.count()])),
    }),
  };
};

/**
 * Compares the counts of each job's rows with its rows. Rows may be started meanwhile, so a count can grow but not
 * shrink.
 */
const tallyFaults = async (
  { jobs }: Backend,
  all: readonly Job[],
  startedRows: Seen['startedRows'],
  stop: AbortSignal | undefined,
): Promise<string[]> => {
  const faults: string[] = [];
  for (const { id, kind, rows } of all) {
    await handleSignals(stop);
    const tally = kind === 'charge' ? await jobs.chargeTally(id) : await jobs.updateTally(id);
    const count = sum(Object.values(tally));
    if (count > rows) faults.push(`${id} counts ${counted(count, 'row')}, and its file has ${rows}`);
    else if (count < (startedRows.get(id) ?? 0))
      faults.push(`${id} counts ${counted(count, 'row')}, but ${startedRows.get(id)} started`);
  }
  return faults;
};

/** A job may have been started after the walk began. */
const jobFaults = async ({ jobs }: Backend, strange: Seen['strange']): Promise<string[]> => {
  const faults: string[] = [];
  for (const [job, id] of strange) {
    const known = await jobs.get(job);
    if (known?.kind !== 'charge') faults.push(`${id} belongs to ${job}, which the ledger does not know`);
  }
  return faults;
};

/** Verifies a whole ledger: entries are undamaged, plausible, and consistent with the counts of jobs. */
export const verifyEntries = async (backend: Backend, stop?: AbortSignal): Promise<Verified> => {
  const before = await backend.jobs.list({ limit: -1 });
  const { faults, seen } = await backend.inspect(faultSearch(before));
  const jobs = await jobFaults(backend, seen.strange);
  const tallies = await tallyFaults(backend, before, seen.startedRows, stop);
  return {
    entries: seen.entries,
    jobs: before.length,
    faults: [...faults, ...seen.faults, ...jobs, ...tallies].slice(0, MOST_FAULTS_LISTED),
  };
};
