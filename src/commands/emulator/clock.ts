import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { ClockInput } from './control-spec.ts';
import { dataFile } from './data-file.ts';
import { clockView } from './view.ts';

/** Shows or moves the emulator's clock, whether it is running or not. */
export const run = async ({ by, data }: ClockInput, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const emulator = await deps.emulator();
  const state = await emulator.clock({ file, clock: deps.io.clock, ...(by === undefined ? {} : { by }) });
  return { kind: 'record', record: madeHere(state), view: clockView };
};
