import { usageError } from '../../core/error.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { PolicyOf } from './spec.ts';
import { policyRecordOf, policyView } from './view.ts';
import { today, whoseName } from './whose.ts';

/** The policy that holds for a profile, and what it has charged today. */
export const run = async (input: PolicyOf, deps: Deps): Promise<Result> => {
  const name = await whoseName(input, deps);
  const allowance = await today(await deps.ledger(), name, deps);
  if (allowance === undefined) {
    throw usageError(`no policy holds for ${input.others ? 'other profiles' : `profile ${name}`}`, {
      hint: 'nothing is limited; set one with `paycli policy set`, and see all with `paycli policy list`',
    });
  }
  return {
    kind: 'record',
    record: policyRecordOf(allowance.kept, input.others ? undefined : allowance.spent),
    view: policyView,
  };
};
