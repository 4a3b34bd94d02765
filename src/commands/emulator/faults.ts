import { reasonOf, usageError } from '../../core/error.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { onePage } from '../one-page.ts';
import type { FaultsInput } from './control-spec.ts';
import { dataFile } from './data-file.ts';
import { faultView } from './view.ts';

/** The JSON of a file, `-` for standard input; whether it holds rules is the emulator's to say. */
export const readRules = async (path: string, { source }: Deps): Promise<unknown> => {
  const text = await source(path === '-' ? { kind: 'stdin' } : { kind: 'file', path });
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usageError(`${path} is not JSON: ${reasonOf(thrown)}`);
  }
};

/** Shows the rules for faults, or puts others in their place, whether the emulator is running or not. */
export const run = async ({ from, clear, data }: FaultsInput, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const rules = clear ? { rules: [] } : from === undefined ? undefined : await readRules(from, deps);
  const emulator = await deps.emulator();
  const kept = await emulator.faults({ file, ...(rules === undefined ? {} : { rules }) });
  const shown = kept.map(({ rule, seen, fired }) => ({ ...rule, seen, fired }));
  return { kind: 'list', pages: onePage(shown), view: faultView };
};
