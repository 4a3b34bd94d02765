import { resolve } from 'node:path';
import type { Deps } from '../../cli/deps.ts';
import { usageError } from '../../core/error.ts';

/** The absolute path of the data file that was meant: the one given, else the one that --local uses. */
export const dataFile = async (data: string | undefined, deps: Deps): Promise<string> =>
  resolve(data ?? `${(await deps.folders()).data}/emulator.sqlite`);

/** Nothing here is a request, so an option that promises to show one and send none is refused. */
export const refuseSendingOptions = ({ globals }: Deps): void => {
  if (!globals.dryRun && !globals.asCurl) return;
  throw usageError('--dry-run and --as-curl show a request, and this command sends none', {
    hint: 'Leave them out. Nothing was changed.',
  });
};
