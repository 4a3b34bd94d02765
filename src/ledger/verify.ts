import type { Backend } from './backend.ts';
import { type Entry, isCharge } from './entry.ts';
import type { Job } from './job.ts';
import type { Verified } from './keeping.ts';
import { wasResolved } from './precedence.ts';
import type { Taker } from './walk.ts';

/** So many sentences are enough to know that it is damaged. */
const MOST = 50;

const NEVER_MADE: readonly string[] = ['rejected', 'not_sent', 'not_created'];

/** What no rule ever makes of an entry. */
const impossibleIn = (entry: Entry): readonly string[] => {
  const { id, state, activity, recordedAt, createdAt, deadline, row, job } = entry;
  const isWordless = state === 'accepted' && isCharge(entry) && activity === undefined && !wasResolved(entry);
  return [
    ...((state === 'sending') === (recordedAt === undefined)
      ? []
      : [`${id} is ${state} and has the date of another state`]),
    ...(NEVER_MADE.includes(state) && activity !== undefined ? [`${id} is ${state} and has an activity`] : []),
    ...(isWordless ? [`${id} is accepted and has no activity`] : []),
    ...(deadline < createdAt ? [`${id} was to end before it was begun`] : []),
    ...((job === undefined) === (row === undefined) ? [] : [`${id} has a job without a row, or a row without a job`]),
  ];
};

/** Which rows of its file a job has begun; a bit would do, and a byte is quicker. */
const rowsOf = ({ id, rows }: Job) => {
  const begun = new Uint8Array(rows + 1);
  let count = 0;
  return {
    add: (row: number): string | undefined => {
      if (!(row >= 1 && row <= rows)) return `${id} has a row ${row}, and its file has ${rows}`;
      if (begun[row] === 0) count += 1;
      begun[row] = 1;
      return undefined;
    },
    count: () => count,
  };
};

interface Seen {
  readonly entries: number;
  readonly faults: readonly string[];
  /** How many rows of each job were begun. */
  readonly begun: ReadonlyMap<string, number>;
  /** Jobs that were not known before, with one of the entries of each. */
  readonly strange: ReadonlyMap<string, string>;
}

const openLook = (jobs: readonly Job[]) => (): Taker<Seen> => {
  const rows = new Map(jobs.filter(({ kind }) => kind === 'charge').map((job) => [job.id, rowsOf(job)]));
  const strange = new Map<string, string>();
  const faults: string[] = [];
  let entries = 0;
  const look = (entry: Entry): void => {
    entries += 1;
    const { id, job, row } = entry;
    faults.push(...impossibleIn(entry));
    if (job === undefined || row === undefined) return;
    const ofJob = rows.get(job);
    if (ofJob === undefined && strange.size < MOST) strange.set(job, id);
    const fault = ofJob?.add(row);
    if (fault !== undefined) faults.push(fault);
  };
  return {
    take: (some) => {
      for (const entry of some) if (faults.length < MOST) look(entry);
    },
    end: () => ({ entries, faults, strange, begun: new Map([...rows].map(([id, ofJob]) => [id, ofJob.count()])) }),
  };
};

/** Whether what is counted of a job's rows is what its rows are. Rows may be begun meanwhile, never fewer than before. */
const tallyFaults = async ({ jobs }: Backend, all: readonly Job[], begun: Seen['begun']): Promise<string[]> => {
  const faults: string[] = [];
  for (const { id, kind, rows } of all) {
    const tally = kind === 'charge' ? await jobs.chargeTally(id) : await jobs.updateTally(id);
    const counted = Object.values(tally).reduce((sum, count) => sum + count, 0);
    if (counted > rows) faults.push(`${id} counts ${counted} rows, and its file has ${rows}`);
    else if (counted < (begun.get(id) ?? 0))
      faults.push(`${id} counts ${counted} rows, and has begun ${begun.get(id)}`);
  }
  return faults;
};

/** A job may have been begun since the look began. */
const jobFaults = async ({ jobs }: Backend, strange: Seen['strange']): Promise<string[]> => {
  const faults: string[] = [];
  for (const [job, id] of strange) {
    const known = await jobs.get(job);
    if (known?.kind !== 'charge') faults.push(`${id} belongs to ${job}, which the ledger does not know`);
  }
  return faults;
};

/** Looks at all of a ledger: whether it is what was written, whether it can be, and whether it adds up. */
export const verify = async (backend: Backend): Promise<Verified> => {
  const before = await backend.jobs.list({ limit: -1 });
  const { faults, seen } = await backend.inspect(openLook(before));
  const jobs = await jobFaults(backend, seen.strange);
  const tallies = await tallyFaults(backend, before, seen.begun);
  return {
    entries: seen.entries,
    jobs: before.length,
    faults: [...faults, ...seen.faults, ...jobs, ...tallies].slice(0, MOST),
  };
};
