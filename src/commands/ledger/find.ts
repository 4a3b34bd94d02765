import type { PayError } from '../../core/error.ts';
import { usageError } from '../../core/error.ts';
import { isId } from '../../core/ids.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** So many of the newest are looked through for one that was meant. */
const NEWEST = 100;

interface Named {
  readonly id: string;
}

const noSuch = (what: 'charge' | 'job', id: string, newest: readonly Named[], list: string): PayError => {
  const meant = didYouMean(
    id,
    newest.map((known) => known.id),
  );
  const where = `see them all: \`paycli ledger ${list} --all-profiles\``;
  return usageError(`no ${what} ${JSON.stringify(id)} in the ledger`, {
    hint: meant === undefined ? where : `did you mean ${meant}?\n${where}`,
  });
};

/** How what somebody has at hand in place of a charge's id leads to it; undefined where it does not. */
const hintFor = async (ledger: Ledger, id: string): Promise<string | undefined> => {
  if (isId('ugw', id)) return `find its charges: \`paycli ledger list --all-profiles --ugwo ${id}\``;
  if (!isId('act', id)) return undefined;
  const [owner] = await ledger.list({ activities: [id], limit: 1 });
  return owner && `it is the activity of ${owner.id}: \`paycli ledger show ${owner.id}\``;
};

/** The entry of that name; a usage error when there is none. */
export const find = async (ledger: Ledger, id: string): Promise<Entry> => {
  const found = await ledger.get(id);
  if (found !== undefined) return found;
  const none = noSuch('charge', id, await ledger.list({ limit: NEWEST }), 'list');
  const hint = await hintFor(ledger, id);
  throw hint === undefined ? none : none.with({ hint });
};

/** Whether a job is meant, and not a charge. */
export const namesJob = (id: string): boolean => id.startsWith('job-');

/** The job of that name; a usage error when there is none. */
export const findJob = async ({ jobs }: Ledger, id: string): Promise<Job> => {
  const found = await jobs.get(id);
  if (found === undefined) throw noSuch('job', id, await jobs.list({ limit: NEWEST }), 'jobs');
  return found;
};
