import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import { resetView } from './view.ts';

/** Empties the emulator's data after a confirmation. */
export const run = async ({ data }: { readonly data?: string }, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  await deps.confirm([`Remove every record from ${file}?`], 'refuse');
  const emulator = await deps.emulator();
  await emulator.reset({ file, clock: deps.io.clock });
  return { kind: 'record', record: madeHere({ data: file }), view: resetView };
};
