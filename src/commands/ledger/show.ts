import type { Deps } from '../../cli/deps.ts';
import type { Result } from '../../output/view.ts';
import { find } from './find.ts';
import type { ShowInput } from './spec.ts';
import { chargeView, recordOf } from './view.ts';

/** One charge with its evidence. */
export const run = async ({ id }: ShowInput, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: recordOf(await find(await deps.ledger(), id)),
  view: chargeView,
});
