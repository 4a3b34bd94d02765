import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { chargeFile } from './bulk-rate.ts';
import type { Measured } from './measured.ts';
import { runPaycli, startStub } from './programs.ts';
import { writeRows } from './rows.ts';

const [FEW, MANY] = [10_000, 1_000_000];
const GOAL = 1.25;

/** Issue 4: the most memory that a bulk charge of a million rows ever has. It takes some ten minutes. */
export const bulkMemory = async (folder: string): Promise<Measured> => {
  const service = await startStub();
  const peak = async (rows: number): Promise<number> => {
    const home = mkdtempSync(join(folder, 'home-'));
    const file = join(home, 'rows.csv');
    writeRows(file, rows);
    const report = ['--report', join(home, 'report.csv')];
    return (await runPaycli([...chargeFile(file), ...report], home, service.origin)).peakMb;
  };
  try {
    const [few, many] = [await peak(FEW), await peak(MANY)];
    return {
      row: '7, memory',
      work: `peak memory of a bulk charge, ${MANY} rows`,
      against: `with ${FEW} rows`,
      ratio: many / few,
      goal: `≤ ${GOAL}`,
      holds: many / few <= GOAL,
      seen: { 'MB with many': many, 'MB with few': few },
    };
  } finally {
    service.close();
  }
};
