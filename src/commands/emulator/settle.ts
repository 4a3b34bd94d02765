import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { formatDateAtom } from '../../core/time.ts';
import type { Deps } from '../deps.ts';
import { dataFile } from './data-file.ts';
import type { SettleInput } from './spec.ts';
import { settledView } from './view.ts';

/** Ends an open activity in the emulator's data, now or later. */
export const run = async ({ activity: uid, as, after, amount, data }: SettleInput, deps: Deps): Promise<Result> => {
  const file = await dataFile(data, deps);
  const emulator = await deps.emulator();
  const { activity, due } = await emulator.settle({ file, clock: deps.io.clock, activity: uid, as, after, amount });
  const when = due === undefined ? {} : { due: formatDateAtom({ ms: due, offset: 0 }) };
  return { kind: 'record', record: madeHere({ ...activity, ...when }), view: settledView };
};
