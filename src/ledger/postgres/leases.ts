import type { JobsBackend } from '../backend.ts';
import type { Answer } from './session.ts';
import { literal } from './sql.ts';

/** For so long a slice is left to whoever has taken it; it only saves work: a row is claimed by its intent. */
const LEASE = "interval '60 s'";

/** Slices of jobs, each with one who works at it. */
export const leases = (
  worker: string,
  read: (statement: string) => Promise<Answer>,
): Required<Pick<JobsBackend, 'lease' | 'release' | 'workers'>> => ({
  lease: async (job, slice) => {
    const values = [literal(job), slice, literal(worker), 1, `clock_timestamp() + ${LEASE}`];
    const { rows } =
      await read(`INSERT INTO paycli.slice AS s (job, slice, owner, epoch, until) VALUES (${values.join()})
      ON CONFLICT (job, slice) DO UPDATE SET owner = excluded.owner, epoch = s.epoch + 1, until = excluded.until
      WHERE s.owner = excluded.owner OR s.until < clock_timestamp() RETURNING epoch`);
    return rows.length > 0;
  },
  release: async (job) => {
    await read(`UPDATE paycli.slice SET until = clock_timestamp()
      WHERE job = ${literal(job)} AND owner = ${literal(worker)} AND until > clock_timestamp()`);
  },
  workers: async (job) => {
    const { rows } = await read(`SELECT owner, count(*) FROM paycli.slice
      WHERE job = ${literal(job)} AND until > clock_timestamp() GROUP BY owner ORDER BY owner`);
    return rows.map(([owner, slices]) => ({ worker: String(owner), slices: Number(slices) }));
  },
});
