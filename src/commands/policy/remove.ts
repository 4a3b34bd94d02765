import { usageError } from '../../core/error.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { PolicyOf } from './spec.ts';
import { policyRecordOf, policyView } from './view.ts';
import { ownPolicy, whoseName } from './whose.ts';

/** Removes a profile's policy; who did so is kept. */
export const run = async (input: PolicyOf, deps: Deps): Promise<Result> => {
  const [name, ledger] = [await whoseName(input, deps), await deps.ledger()];
  const removed = await ownPolicy(ledger, name);
  if (removed === undefined) {
    throw usageError(`there is no policy ${input.others ? 'for all other profiles' : `of profile ${name}`}`, {
      hint: 'see all policies with `paycli policy list`',
    });
  }
  await ledger.policies.set({ profile: name, policy: undefined, by: await deps.operator(), at: ledger.moment().at });
  return { kind: 'record', record: policyRecordOf(removed, undefined), view: policyView };
};
