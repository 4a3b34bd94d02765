import { join } from 'node:path';
import { writeRows } from '../run/charge-file.ts';
import type { Compared } from '../run/line.ts';
import { environment, NPM_BUILD, newHome } from '../run/programs.ts';
import { during, startCharges } from '../run/services.ts';
import { missingPeak, watch } from '../run/watched.ts';
import { chargeFile } from './bulk-rate.ts';
import type { Bench } from './scene.ts';

const [FEW, MANY] = [10_000, 1_000_000];
const COMPARED: Compared = {
  row: 7,
  name: 'bulk charge, growth in memory',
  work: `Node, peak memory of a file of ${MANY.toLocaleString('en')} charges with a report`,
  against: `with ${FEW.toLocaleString('en')}`,
  goal: { bound: '≤', value: 1.25 },
};

/** Issue 4: the most memory that a bulk charge of a million rows ever has. It takes some ten minutes. */
export const bulkMemory: Bench = async ({ folder }) => {
  const missing = missingPeak();
  if (missing !== undefined) return [{ ...COMPARED, missing }];
  return during(startCharges(), async (origin) => {
    const peak = async (rows: number): Promise<number> => {
      const home = newHome(folder);
      const file = join(home, 'rows.csv');
      writeRows(file, rows);
      const env = { ...environment(folder, home), PAYCLI_BASE_URL: origin };
      const words = [...chargeFile(file), '--report', join(home, 'report.csv')];
      return (await watch([...NPM_BUILD, ...words], env)).peakMb;
    };
    const [few, many] = [await peak(FEW), await peak(MANY)];
    return [{ ...COMPARED, value: many / few, seen: { many, few }, seenIn: 'MB' }];
  });
};
