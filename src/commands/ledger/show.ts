import type { Deps } from '../../cli/deps.ts';
import type { Result } from '../../output/view.ts';
import { find } from './find.ts';
import type { ShowInput } from './spec.ts';
import { recordOf, viewOf } from './view.ts';

/** One charge with its evidence. */
export const run = async ({ id }: ShowInput, deps: Deps): Promise<Result> => {
  const charge = await find(await deps.ledger(), id);
  return { kind: 'record', record: recordOf(charge), view: viewOf(charge) };
};
