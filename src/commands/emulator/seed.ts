import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import type { SeedInput } from './spec.ts';
import { seededView } from './view.ts';

/** Adds records to the emulator's data, whether it is running or not. */
export const run = async ({ customers, ugwo, data }: SeedInput, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const emulator = await deps.emulator();
  const added = await emulator.seed({ file, clock: deps.io.clock, customers, ugwo });
  return { kind: 'record', record: madeHere({ ...added, data: file }), view: seededView };
};
