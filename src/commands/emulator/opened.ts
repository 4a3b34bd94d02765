import { resolve } from 'node:path';
import { LOCAL_DATA_FILE } from '../../core/local.ts';
import type { Deps } from '../deps.ts';

/** The emulator, and the absolute path of the data file that was meant: the one given, else the one that --local uses. */
export const opened = async (data: string | undefined, deps: Deps) => ({
  file: resolve(data ?? `${(await deps.folders()).data}/${LOCAL_DATA_FILE}`),
  emulator: await deps.emulator(),
  clock: deps.io.clock,
});
