import { join } from 'node:path';
import { kills as killsAmong } from '../bulk-kills.ts';
import type { Part } from '../part.ts';
import { openBench } from './bench.ts';
import { faultsIn } from './history.ts';

const FULL = { rows: 10_000, kills: 100, processes: 4, concurrency: 8, latency: 50, again: false };
const SHORT = { rows: 60, kills: 3, processes: 2, concurrency: 4, latency: 200, again: false };

/** Releases all slices to the next process that asks. Reserved slices only save work. */
const FORGET = 'UPDATE paycli.slice SET until = clock_timestamp()';

/**
 * Processes of the built program, each with its own folder, that process one file with one database and are killed
 * repeatedly. Each kill releases the reserved rows.
 */
export const kills: Part = async ({ short, folder, say }) => {
  const bench = await openBench(folder);
  try {
    return await killsAmong(
      short ? SHORT : FULL,
      { folder: join(folder, 'team'), say },
      {
        env: { PAYCLI_LEDGER: bench.url() },
        killed: () => void bench.cluster.sql(FORGET, [], bench.database).catch(() => undefined),
        faults: async (posts) => {
          const came = posts.map(({ ugwo, at }) => ({ about: ugwo, at: Math.floor(performance.timeOrigin + at) }));
          return faultsIn(await bench.changes(), came);
        },
      },
    );
  } finally {
    await bench.close();
  }
};
